"""A minimal feed service: the protocol of docs/internals/service.md, written without looking at flick's server.

service.py FOLDER TABLE [PORT]: serves the manifest FOLDER/feed.json and its clips on a port of 127.0.0.1, which it
writes to TABLE.port. Each message that counts is a line of JSON in TABLE, which is read again at the start. PUT /mode
with one of these words sets how requests that report something are handled: ok, 500, 503, slow (half a second),
refuse (403), hang (no answer for 20 s), cut (accepted, and the connection closed without an answer), lose (closed
before it is accepted). hostile: as many and as bad comments as one answer can hold, and the next page is the same.
"""
import http.server, json, os, re, sys, threading, time, urllib.parse

folder, table = sys.argv[1:3]
lock = threading.RLock()
mode = ["ok"]
events, reactions, comments = {}, {}, []


def remember(kind, event, **fields):
    """Whether it is new."""
    with lock:
        if event in events:
            return False
        line = dict(kind=kind, event_id=event, **fields)
        with open(table, "a") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
        take(line)
        return True


def take(line):
    events[line["event_id"]] = line
    key = (line.get("viewer"), line.get("video"))
    if line["kind"] in ("like", "dislike", "save", "follow"):
        held = reactions.setdefault(key, set())
        if not line["holds"]:
            held.discard(line["kind"])
            return
        if line["kind"] in ("like", "dislike"):
            held.difference_update(("like", "dislike"))
        held.add(line["kind"])
    elif line["kind"] == "comment":
        comments.append(line)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", type="application/json", **fields):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/feed.json":
            with open(folder + "/feed.json") as file:
                feed = json.load(file)
            for item in feed["items"]:
                item["url"] = "/media/" + item["url"]
                item["creator"] = {"id": "creator of " + item["id"], "name": "Creator"}
            feed["engagement"] = "/service?token=t"
            return self.answer(200, feed)
        if url.path.startswith("/media/"):
            return self.media(os.path.basename(urllib.parse.unquote(url.path)))
        if url.path == "/table":
            with lock:
                held = {f"{viewer} {video}": sorted(kinds) for (viewer, video), kinds in reactions.items() if kinds}
                return self.answer(200, {"events": list(events.values()), "reactions": held, "comments": comments})
        found = re.fullmatch(r"/service/videos/([^/]+)/comments", url.path)
        if found:
            if mode[0] == "hostile":
                return self.answer(200, self.hostile(url.path))
            video = urllib.parse.unquote(found[1])
            with lock:
                of = [c for c in comments if c["video"] == video]
            shown = [self.comment(c, of) for c in reversed(of) if not c["parent"]]
            return self.answer(200, {"comments": shown, "total": len(of)})
        self.answer(404, {"error": "there is no such thing"})

    do_HEAD = do_GET

    def comment(self, line, of):
        shown = {k: line[k] for k in ("text", "at", "name")} | {"id": "c-" + line["event_id"]}
        shown["own"] = line["viewer"] == self.headers.get("Flick-Viewer")
        if line["parent"]:
            shown["parent"] = line["parent"]
        shown["replies"] = [self.comment(c, []) for c in of if c["parent"] == shown["id"]]
        return shown

    def hostile(self, path):
        """What would command a terminal, and turn the text round, if it were shown as it is; with three answers to each, and far too many."""
        bad = "\x1b]0;taken\x07\x1b[2J\x1b[?1049l\x9b31mred\u202e back\u2066\u200f"
        def one(number, **more):
            return dict(id=str(number), text=f"said {bad} end {number}", at="2026-01-01T00:00:00Z", name=bad + "me", own=False, **more)
        top = [one(n, replies=[one(n + 0.1 * k) for k in (1, 2, 3)]) for n in range(850)]
        return {"comments": top + [{}] * 10_000 + [None, 1], "next": path + "?token=t", "total": 1 << 62}

    def media(self, name):
        try:
            with open(f"{folder}/{name}", "rb") as file:
                body = file.read()
        except OSError:
            return self.answer(404)
        fields = dict(ETag=f'"{len(body)}"', Accept_Ranges="bytes")
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not found:
            return self.answer(200, body, "video/mp4", **fields)
        first, last = int(found[1]), min(int(found[2] or len(body)), len(body) - 1)
        if first > last:
            return self.answer(416, b"", Content_Range=f"bytes */{len(body)}")
        fields["Content_Range"] = f"bytes {first}-{last}/{len(body)}"
        self.answer(206, body[first : last + 1], "video/mp4", **fields)

    def receive(self):
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/mode":
            mode[0] = content.decode()
            return self.answer(200)
        now = mode[0]
        if now == "lose":
            self.close_connection = True
            return
        if now in ("slow", "hang"):
            time.sleep(0.5 if now == "slow" else 20)
        if now in ("500", "503"):
            return self.answer(int(now), {"error": "in trouble"})
        if now == "refuse":
            return self.answer(403, {"error": "not \x1b[31mtoday"})
        if url.query != "token=t":
            return self.answer(401, {"error": "no token"})
        status, body = self.taken(url.path, json.loads(content))
        if now == "cut":
            self.close_connection = True
            return
        self.answer(status, body)

    def taken(self, path, body):
        event, viewer = body["event_id"], self.headers["Flick-Viewer"]
        tracked = re.fullmatch(r"/service/videos/track_(view|engagement)", path)
        if tracked:
            remember(tracked[1], event, viewer=viewer, video=body["video_id"], body=body)
            return 200, {}
        done = re.fullmatch(r"/service/(?:videos|creators)/([^/]+)/(like|dislike|save|follow|share|comments)", path)
        if not done:
            return 404, {"error": "there is no such thing"}
        video, action = urllib.parse.unquote(done[1]), done[2]
        if action == "comments":
            fields = dict(text=body["text"], at=body["at"], name=body.get("name"), parent=body.get("parent"))
            remember("comment", event, viewer=viewer, video=video, **fields)
            return 201, self.comment(events[event], [])
        remember(action, event, viewer=viewer, video=video, holds=self.command != "DELETE")
        return 200, {}

    do_POST = do_PUT = do_DELETE = receive


if os.path.exists(table):
    with open(table) as file:
        for line in file:
            if line.endswith("\n"):
                take(json.loads(line))
port = int(sys.argv[3]) if len(sys.argv) > 3 else 0
http.server.ThreadingHTTPServer.allow_reuse_address = True
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
with open(table + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(table + ".new", table + ".port")
server.serve_forever()
