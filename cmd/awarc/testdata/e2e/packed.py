"""Reads a WACZ file as its specification says, since py-wacz's validate misses what is not there:

    python packed.py WACZ CRAWL-DIR

All files have the sizes and digests that datapackage.json states, and that has its own; what is compressed is stored as it is. Each page
of the crawl is listed, with title, time and text, and is found by its URL and time: through the index of the index, the block that
it names and the line in it, at the place in the WARC file that the line names. Each line of the index leads to its record, and what revisits
refer to is there.
"""

import bisect
import gzip
import hashlib
import io
import json
import pathlib
import sys
import zipfile

import surt
from warcio.archiveiterator import ArchiveIterator

wacz = zipfile.ZipFile(sys.argv[1])
crawl = pathlib.Path(sys.argv[2])
wrong = []


def lines(name):
    return wacz.read(name).decode().splitlines() if name in wacz.namelist() else []


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


about = json.loads(wacz.read("datapackage.json"))
resources = {r["path"]: r for r in about["resources"]}
if about["profile"] != "data-package" or about["wacz_version"] != "1.1.1":
    wrong.append(f"it is {about['profile']} {about['wacz_version']}")
if json.loads(wacz.read("datapackage-digest.json")) != {"path": "datapackage.json", "hash": digest(wacz.read("datapackage.json"))}:
    wrong.append("datapackage-digest.json has not the digest of datapackage.json")
if set(wacz.namelist()) != set(resources) | {"datapackage.json", "datapackage-digest.json"} or len(wacz.namelist()) != len(set(wacz.namelist())):
    wrong.append("datapackage.json does not list all files, each once")
for info in wacz.infolist():
    data = wacz.read(info)
    r = resources.get(info.filename)
    if r and (r["hash"] != digest(data) or r["bytes"] != len(data) or r["name"] != info.filename.rsplit("/", 1)[-1].lower()):
        wrong.append(f"{info.filename} is not as datapackage.json says")
    if info.filename.endswith(".gz") and info.compress_type != zipfile.ZIP_STORED:
        wrong.append(f"{info.filename} is compressed twice")

# The index, as those read it who do not read it whole.
blocks = []
for line in lines("indexes/index.idx")[1:]:
    key, members = line.split(" {", 1)
    blocks.append((key, json.loads("{" + members)))
packed = wacz.read("indexes/index.cdx.gz")


def block(n):
    at = blocks[n][1]
    data = packed[at["offset"] : at["offset"] + at["length"]]
    if digest(data) != at["digest"]:
        wrong.append(f"block {n} of the index has another digest")
    return gzip.decompress(data).decode().splitlines()


archives = {n[len("archive/") :]: wacz.read(n) for n in wacz.namelist() if n.startswith("archive/")}


def record(line):
    members = json.loads(line[line.index(" {") :])
    data = archives[members["filename"]][int(members["offset"]) :][: int(members["length"])]
    rec = next(ArchiveIterator(io.BytesIO(data), check_digests=True))
    status = rec.http_headers.get_statuscode() if rec.http_headers else rec.rec_type  # a revisit of what was not modified has no head
    return rec.rec_headers.get_header("WARC-Target-URI"), rec.rec_headers.get_header("WARC-Date"), status


every = [line for n in range(len(blocks)) for line in block(n)]
own = [line for line in every if '"filename":"originals.warc.gz"' not in line]  # what revisits refer to
if own != (crawl / "archive/index.cdxj").read_text().splitlines() or every != sorted(every, key=lambda line: line.encode()):
    wrong.append("the index is not that of the crawl")
for line in every:
    if record(line)[0] != json.loads(line[line.index(" {") :])["url"]:
        wrong.append(f"another record is at the place of {line}")

originals = {record(line)[:2] for line in every}
for name, data in archives.items():
    for rec in ArchiveIterator(io.BytesIO(data)):
        header = rec.rec_headers.get_header
        if rec.rec_type == "revisit" and (header("WARC-Refers-To-Target-URI"), header("WARC-Refers-To-Date")) not in originals:
            wrong.append(f"{name} refers to {header('WARC-Refers-To-Target-URI')}, which is not there")

listed = set()
for name in "pages/pages.jsonl", "pages/extraPages.jsonl":
    for line in lines(name)[1:]:
        page = json.loads(line)
        if not page.get("title") or not page.get("text") or not page.get("ts"):
            wrong.append(f"{page['url']} lacks a title, a time or text")
        listed.add((page["url"], page["ts"]))
        ts = "".join(c for c in page["ts"] if c.isdigit())
        key = f"{surt.surt(page['url'])} {ts}"
        n = max(bisect.bisect_right([k for k, _ in blocks], key) - 1, 0)
        found = [line for line in block(n) if line.startswith(key + " {") and json.loads(line[line.index(" {") :])["url"] == page["url"]]
        if not found or record(found[0])[2] not in ("200", "304", "revisit"):
            wrong.append(f"{page['url']} of {page['ts']} is not found through the index")
for line in own:
    _, ts, members = line.split(" ", 2)
    members = json.loads(members)
    time = f"{ts[:4]}-{ts[4:6]}-{ts[6:8]}T{ts[8:10]}:{ts[10:12]}:{ts[12:]}Z"
    # A rendered tree is no answer and has no status.
    if members["mime"] == "text/html" and members.get("status") == "200" and (members["url"], time) not in listed:
        wrong.append(f"{members['url']} of {time} is not listed")
pages = json.loads((crawl / "report.json").read_text())["pages"]
if len(listed) < pages:  # more are those that were archived when the crawl was killed, and fetched again
    wrong.append(f"{len(listed)} pages are listed, the crawl has {pages}")
if about.get("mainPageUrl") not in {url for url, _ in listed}:
    wrong.append(f"it begins at {about.get('mainPageUrl')}, which is no page")

print(json.dumps({"files": len(resources), "pages": len(listed), "blocks": len(blocks), "index": len(every)}))
for reason in wrong[:20]:
    print(reason, file=sys.stderr)
sys.exit(1 if wrong else 0)
