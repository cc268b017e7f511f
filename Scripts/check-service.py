"""Checks `flick serve` against docs/openapi.json with independent programs from PyPI, in a virtual environment below
.build. Schemathesis: the server accepts what the document allows, refuses what it does not allow, and responds as
described, with a token and without. feedparser: reads /feed.xml as a feed.

Usage: Scripts/check-service.py FLICK [EXAMPLES]: sends EXAMPLES (300) requests for each operation and run. Prints what
is wrong and returns 1; returns 3 if PyPI cannot be reached, as nothing was checked then.
"""
import copy, json, os, pathlib, shutil, subprocess, sys, tempfile, urllib.request, venv

root = pathlib.Path(__file__).resolve().parent.parent
flick, examples = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "300"
token, admin = "a-token-for-tests", "an-admin-token-for-tests"


def installed():
    """The folder of the programs; None if they cannot be had."""
    programs = root / ".build/check-service/bin"
    if not (programs / "schemathesis").exists():
        venv.create(programs.parent, with_pip=True)
        pip = [programs / "pip", "install", "-q", "--disable-pip-version-check", "feedparser==6.*", "schemathesis==4.*"]
        if subprocess.run(pip, stdout=sys.stderr).returncode:
            return None
    return programs


class Served:
    """A copy of the demo folder, served with these arguments: what is allowed deletes clips, too."""

    def __init__(self, folder, *arguments):
        shutil.copytree(root / "Assets/demo", folder + "/clips")
        self.process = subprocess.Popen(
            [flick, "serve", folder + "/clips", "--port", "0", "--quiet", "--state-dir", folder, *arguments],
            stdout=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().split()[-1].removesuffix("/feed.json")

    def items(self):
        request = urllib.request.Request(self.base + "/feed.json", headers={"Authorization": "Bearer " + token})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["items"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait():
            sys.exit("check-service.py: the server did not end as it should")


def narrowed(document, items):
    """The document, narrowed to what no schema can express: the existing ids, and times that are neither before 1970
    nor in the future. Leaves out cursors, comments to answer, and tokens in addresses, which would be any text, NUL
    too: the header has the right one."""
    document = copy.deepcopy(document)
    schemas, parameters = document["components"]["schemas"], document["components"]["parameters"]
    ids = {"enum": [item["id"] for item in items]}
    parameters["Item"]["schema"] = ids
    schemas["View"]["properties"]["video_id"] = schemas["Engagement"]["properties"]["video_id"] = ids
    time = r"^(19[89]\d|20[01]\d)-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-](0\d|1[0-3]):[0-5]\d)$"
    for schema in schemas.values():
        if "oneOf" in schema.get("properties", {}).get("at", {}):
            schema["properties"]["at"] = {
                "oneOf": [{"type": "string", "pattern": time}, {"type": "number", "minimum": 0, "maximum": 1_700_000_000}]}
    del schemas["NewComment"]["properties"]["parent"]
    for path in document["paths"].values():
        for operation in path.values():
            operation["security"] = [one for one in operation.get("security", document["security"]) if not one.keys() & {"query", "adminQuery"}]
            operation["parameters"] = [
                one for one in operation.get("parameters", [])
                if one.get("name") != "cursor" and not one.get("$ref", "").endswith("/FeedCursor")]
    return document


def is_feed(programs, served, items):
    """Whether a reader of RSS finds a page's items, their clips and the next page in it."""
    script = """import feedparser, json, sys
feed = feedparser.parse(sys.argv[1])
print(json.dumps([str(feed.get("bozo_exception", "")), [[e.id, e.enclosures[0].href] for e in feed.entries if e.enclosures],
    [link.href for link in feed.feed.links if link.rel == "next"]]))"""
    found, address = [], f"{served.base}/feed.xml?limit=4"
    while address:
        run = subprocess.run([programs / "python", "-c", script, address], capture_output=True, text=True, check=True)
        problems, entries, following = json.loads(run.stdout)
        if problems:
            print("feed.xml:", problems)
            return False
        found, address = found + entries, following[0] if following else None
    print("feed.xml:", len(found), "items")
    # A playlist is asked for by its name, in the manifest too.
    return found == [[item["id"], item["url"]] for item in items]


def run(program, folder, served, name, document, settings, *arguments):
    """Whether the server did as `document` says."""
    place = pathlib.Path(folder) / (name + ".json")
    place.write_text(json.dumps(document))
    (pathlib.Path(folder) / "schemathesis.toml").write_text(settings)
    command = [program, "run", place, "--url", served.base, "--max-examples", examples, "--continue-on-failure",
        "--phases", "examples,coverage,fuzzing", "--warnings", "off", "--seed", "20261123", *arguments]
    print(f"{name}:", flush=True)
    return subprocess.run(command, cwd=folder).returncode == 0


def main():
    programs = installed()
    if not programs:
        print("check-service.py: nothing was checked: cannot install schemathesis; is PyPI reachable?", file=sys.stderr)
        return 3
    program = programs / "schemathesis"
    document = json.loads((root / "docs/openapi.json").read_text())
    closed = {**document, "security": document["security"][:-1]}
    # 431 refuses a long address rightly; 416 answers a range that the clip does not have, 412 a condition.
    refused = '[checks.negative_data_rejection]\nexpected-statuses = ["400", "401", "403", "404", "405", "413", "431"]\n'
    taken = '[checks.positive_data_acceptance]\nexpected-statuses = ["2xx", "3xx", "404", "412", "416"]\n'
    with tempfile.TemporaryDirectory() as folder:
        with Served(folder + "/open", "--admin-token", admin) as served:
            items = served.items()
            good = [
                is_feed(programs, served, items),
                run(program, folder, served, "all of it", document, refused, "--exclude-checks", "positive_data_acceptance"),
                run(program, folder, served, "what is allowed", narrowed(document, items), taken, "--mode", "positive",
                    "--header", "Authorization: Bearer " + admin)]
        with Served(folder + "/closed", "--token", token) as served:
            good += [
                run(program, folder, served, "with a token", closed, refused, "--exclude-checks", "positive_data_acceptance",
                    "--header", "Authorization: Bearer " + token)]
    sys.exit(0 if all(good) else 1)


sys.exit(main())
