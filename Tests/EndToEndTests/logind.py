"""A stand-in for logind on a bus: gives out inhibitors, and notes in a file when each is held and released.

Usage: logind.py BUS-SOCKET FILE. Speaks the D-Bus protocol itself, as Python has no module for it everywhere.
"""
import os
import socket
import struct
import sys
import threading


def align(count, size):
    return b"\0" * (-count % size)


def string(text):
    data = text.encode()
    return struct.pack("<I", len(data)) + data + b"\0"


def message(kind, serial, fields, body=b""):
    array = b""
    for code, signature, value in fields:
        array += align(len(array), 8) + bytes([code, 1]) + signature.encode() + b"\0"
        if signature == "u":
            array += struct.pack("<I", value)
        elif signature == "g":
            array += bytes([len(value)]) + value.encode() + b"\0"
        else:
            array += string(value)
    header = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), serial, len(array)) + array
    return header + align(len(header), 8) + body


def call(serial, member, body=b"", signature=None):
    name = "org.freedesktop.DBus"
    fields = [(1, "o", "/org/freedesktop/DBus"), (2, "s", name), (3, "s", member), (6, "s", name)]
    return message(1, serial, fields + ([(8, "g", signature)] if signature else []), body)


def receive(bus, count):
    data = b""
    while len(data) < count:
        part = bus.recv(count - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def texts(body, count):
    found, place = [], 0
    for _ in range(count):
        place += -place % 4
        (length,) = struct.unpack_from("<I", body, place)
        found.append(body[place + 4:place + 4 + length].decode())
        place += 5 + length
    return found


def next_message(bus):
    start = receive(bus, 16)
    length, serial, size = struct.unpack("<III", start[4:])
    array = receive(bus, size + -size % 8)
    body = receive(bus, length)
    fields, place = {}, 0
    while place < size:
        place += -place % 8
        code, kind = array[place], chr(array[place + 2])
        place += 4
        if kind == "u":
            (fields[code],) = struct.unpack_from("<I", array, place)
            place += 4
        else:
            (count,) = (array[place],) if kind == "g" else struct.unpack_from("<I", array, place)
            place += 1 if kind == "g" else 4
            fields[code] = array[place:place + count].decode()
            place += count + 1
    return serial, fields, body


def main(address, path):
    def note(text):
        with open(path, "a") as file:
            file.write(text + "\n")

    def wait(end):
        os.read(end, 1)
        os.close(end)
        note("released")

    bus = socket.socket(socket.AF_UNIX)
    bus.connect(address)
    bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    bus.recv(1024)
    bus.sendall(b"NEGOTIATE_UNIX_FD\r\n")
    bus.recv(1024)
    bus.sendall(b"BEGIN\r\n" + call(1, "Hello"))
    name = string("org.freedesktop.login1")
    bus.sendall(call(2, "RequestName", name + align(len(name), 4) + struct.pack("<I", 0), "su"))
    count = 2
    while True:
        serial, fields, body = next_message(bus)
        if fields.get(5) == 2:
            note("ready")
        if fields.get(3) != "Inhibit":
            continue
        note("held " + " ".join(texts(body, 4)))
        reading, writing = os.pipe()
        count += 1
        reply = message(
            2, count, [(5, "u", serial), (6, "s", fields[7]), (8, "g", "h"), (9, "u", 1)], struct.pack("<I", 0))
        socket.send_fds(bus, [reply], [writing])
        os.close(writing)
        threading.Thread(target=wait, args=(reading,), daemon=True).start()


main(*sys.argv[1:])
