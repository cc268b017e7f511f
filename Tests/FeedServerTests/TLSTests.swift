import Foundation
import TestSupport
import Testing

@testable import FeedServer

/// `flick serve` over TLS, asked by Python's client, which is OpenSSL too, and by bare sockets.
@Suite struct TLSTests {
    /// A certificate for "localhost" and its key, as files.
    private struct Certificate {
        let folder = TemporaryFolder()
        var certificate: String { folder.path + "/cert.pem" }
        var key: String { folder.path + "/key.pem" }

        init(passphrase: String? = nil) throws {
            let protection = passphrase.map { ["-passout", "pass:" + $0] } ?? ["-nodes"]
            let made = try Command.run(
                [
                    "openssl", "req", "-x509", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
                ] + protection)
            guard made.status == 0 else { throw Command.Error(description: made.errors) }
        }
    }

    /// Runs Python with `connect()`, a connection of TLS, and `ask(connection, path)`, a response's status and body.
    /// Returns what it prints.
    private func python(_ script: String, _ served: ServedFolder, _ certificate: Certificate) async throws -> String {
        let common = """
            import socket, ssl, sys
            port, authority = int(sys.argv[1]), sys.argv[2]
            def plain():
                return socket.create_connection(("127.0.0.1", port), 20)
            def connect(change=lambda context: None):
                context = ssl.create_default_context(cafile=authority)
                change(context)
                return context.wrap_socket(plain(), server_hostname="localhost", suppress_ragged_eofs=False)
            def ask(connection, path, more=""):
                connection.sendall(f"GET {path} HTTP/1.1\\r\\nHost: localhost\\r\\n{more}\\r\\n".encode())
                return answer(connection)
            def answer(connection):
                got = b""
                while b"\\r\\n\\r\\n" not in got:
                    more = connection.recv(65536)
                    if not more: return "closed", got
                    got += more
                head, body = got.split(b"\\r\\n\\r\\n", 1)
                length = int(head.lower().split(b"\\r\\ncontent-length:")[1].split(b"\\r\\n")[0])
                while len(body) < length: body += connection.recv(65536)
                return int(head.split(b" ")[1]), body
            class Session:
                # TLS in memory: up to `limit` bytes move at a time.
                def __init__(self, limit=65536):
                    self.into, self.out, self.limit = ssl.MemoryBIO(), ssl.MemoryBIO(), limit
                    context = ssl.create_default_context(cafile=authority)
                    self.tls = context.wrap_bio(self.into, self.out, server_hostname="localhost")
                    self.raw = plain()
                    self.raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.run(self.tls.do_handshake)
                def run(self, step, once=False):
                    while True:
                        try: result, wants = step(), False
                        except ssl.SSLWantReadError: result, wants = None, True
                        while sent := self.out.read(self.limit): self.raw.sendall(sent)
                        if once or not wants: return result
                        if got := self.raw.recv(self.limit): self.into.write(got)
                        else: self.into.write_eof()
                def request(self, path):
                    head = f"GET {path} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"
                    self.run(lambda: self.tls.write(head.encode()))

            """
        let arguments = ["\(served.port)", certificate.certificate, ServedFolder.a]
        // The server answers on the threads of tasks, which must not wait for its client.
        let result = try await onThread {
            try Command.run(["python3", "-W", "ignore", "-c", common + script] + arguments)
        }
        guard result.status == 0 else { throw Command.Error(description: result.output + result.errors) }
        return result.output
    }

    private func withServer(
        _ change: @Sendable (inout ServerOptions) -> Void = { _ in },
        _ test: (ServedFolder, Certificate) async throws -> Void
    ) async throws {
        let certificate = try Certificate()
        let files = (certificate.certificate, certificate.key)
        let served = try await ServedFolder {
            $0.tls = files
            change(&$0)
        }
        do { try await test(served, certificate) } catch {
            await served.stop()
            throw error
        }
        await served.stop()
    }

    @Test(arguments: ["TLSv1_2", "TLSv1_3"]) func connectionIsReused(version: String) async throws {
        try await withServer { served, certificate in
            let printed = try await python(
                """
                def only(context):
                    context.minimum_version = context.maximum_version = ssl.TLSVersion.\(version)
                c = connect(only)
                whole = bytes((i * 31 ^ i >> 8) & 255 for i in range(300_000))
                for _ in range(3): print(ask(c, "/media/" + sys.argv[3]) == (200, whole))
                print(ask(c, "/media/" + sys.argv[3], "Range: bytes=7-99999\\r\\n") == (206, whole[7:100_000]))
                print(ask(c, "/nothing")[0], c.version())
                """, served, certificate)
            let shown = version.replacing("_", with: ".")
            #expect(printed == "True\nTrue\nTrue\nTrue\n404 \(shown)\n")
        }
    }

    @Test func rejectsOldVersionsAndSelectsHTTP1() async throws {
        try await withServer { served, certificate in
            let printed = try await python(
                """
                def old(context):
                    context.set_ciphers("ALL:@SECLEVEL=0")
                    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
                try:
                    connect(old)
                    print("open")
                except ssl.SSLError as error: print(error.reason)
                c = connect(lambda context: context.set_alpn_protocols(["h2", "http/1.1"]))
                print(c.selected_alpn_protocol(), ask(c, "/feed.json")[0])
                c = connect(lambda context: context.set_alpn_protocols(["h2"]))
                print(c.selected_alpn_protocol(), ask(c, "/feed.json")[0])
                """, served, certificate)
            #expect(printed == "TLSV1_ALERT_PROTOCOL_VERSION\nhttp/1.1 200\nNone 200\n")
        }
    }

    /// Records are cut anywhere, within the handshake and after it.
    @Test func acceptsOneByteAtATime() async throws {
        try await withServer { served, certificate in
            let printed = try await python(
                """
                c = Session(limit=1)
                c.request("/healthz")
                print(c.run(lambda: c.tls.read(15)))
                """, served, certificate)
            #expect(printed == "b'HTTP/1.1 200 OK'\n")
        }
    }

    /// None of these keeps the server from answering the next.
    @Test func bytesOtherThanTLSAreAnsweredWithAnAlert() async throws {
        try await withServer { served, certificate in
            let printed = try await python(
                """
                request = b"GET /feed.json HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"
                for sent in [request, bytes(1000), b"\\x16\\x03\\x01\\xff\\xff" + b"\\xff" * 70000]:
                    c = plain()
                    got = b""
                    try:
                        c.sendall(sent)
                        while more := c.recv(1000): got += more
                    except ConnectionError: pass
                    # An alert, unless it was lost with the unread data.
                    print(got[:1] in (b"", b"\\x15"))
                # Cut within the handshake: half a greeting, and nothing.
                for sent in [b"\\x16\\x03\\x01\\x02\\x00\\x01\\x00\\x01\\xfc\\x03\\x03", b""]:
                    c = plain()
                    c.sendall(sent)
                    c.close()
                # Changed after the handshake.
                c = connect()
                raw = socket.socket(fileno=c.detach())
                raw.settimeout(20)
                raw.sendall(b"\\x17\\x03\\x03\\x00\\x20" + bytes(32))
                kinds = []
                while more := raw.recv(1000): kinds.append(more[0])
                print(kinds[-1] in (0x15, 0x17))
                print(ask(connect(), "/feed.json")[0])
                """, served, certificate)
            #expect(printed == "True\nTrue\nTrue\nTrue\n200\n")
        }
    }

    /// Without close_notify a client cannot distinguish an end from a truncation (RFC 8446, 6.1).
    @Test func bothSidesSendCloseNotify() async throws {
        try await withServer { served, certificate in
            let printed = try await python(
                """
                c = connect()
                print(ask(c, "/feed.json", "Connection: close\\r\\n")[0], c.recv(10))
                c = connect()
                ask(c, "/feed.json")
                print(c.unwrap().recv(10))
                """, served, certificate)
            #expect(printed == "200 b''\nb''\n")
        }
    }

    /// close_notify ends one direction: the response is still sent.
    @Test func responseIsCompleteAfterTheClientsCloseNotify() async throws {
        try await withServer { served, certificate in
            let printed = try await python(
                """
                c = Session()
                c.request("/media/" + sys.argv[3])
                c.run(c.tls.unwrap, once=True)
                got = b""
                while True:
                    try: more = c.run(lambda: c.tls.read(65536))
                    except ssl.SSLZeroReturnError: break
                    if not more: break
                    got += more
                print(len(got.split(b"\\r\\n\\r\\n", 1)[1]))
                """, served, certificate)
            #expect(printed == "\(ServedFolder.bytes.count)\n")
        }
    }

    /// A client that never finishes the handshake has no more time than one that sends no headers.
    @Test func silentHandshakeTimesOut() async throws {
        try await withServer({ $0.limits.head = .milliseconds(300) }) { served, certificate in
            let printed = try await python(
                """
                c = plain()
                c.sendall(b"\\x16\\x03\\x01\\x02\\x00\\x01")
                print(c.recv(10))
                """, served, certificate)
            #expect(printed == "b''\n")
        }
    }

    @Test func unusableCertificatesAreReported() async throws {
        let (good, other, locked) = (try Certificate(), try Certificate(), try Certificate(passphrase: "secret"))
        let empty = good.folder.path + "/empty"
        try good.folder.write("empty", [])
        func why(_ certificate: String, _ key: String) -> String {
            do {
                _ = try TLSContext(certificate: certificate, key: key)
                return "usable"
            } catch { return "\(error)" }
        }
        #expect(why(good.certificate, good.key) == "usable")
        for (certificate, key, reason) in [
            (good.certificate, other.key, "key values mismatch"), ("/nowhere", good.key, "No such file or directory"),
            // OpenSSL's releases word these differently. The passphrase is not prompted for.
            (locked.certificate, locked.key, ""), (empty, good.key, ""), (good.certificate, empty, ""),
        ] {
            let said = why(certificate, key)
            #expect(said.hasPrefix("cannot use the certificate '\(certificate)' with the key '\(key)': \(reason)"))
            #expect(said.hasSuffix("; pass PEM files, and a key without a passphrase"))
        }
    }
}
