"""Reads a crawl directory back with PyPI's warcio and cdxj-indexer:

    python readback.py CRAWL-DIR

warcio checks the digests of all records. It takes the digest of a payload to be of what follows the HTTP head, chunk framing
included; WARC/1.1 means the entity without. So where it complains of a chunked answer the entity is compared instead.
archive/index.cdxj must have the keys and members of cdxj-indexer, sorted by bytes.
"""

import hashlib
import io
import json
import pathlib
import sys

from cdxj_indexer.main import CDXJIndexer
from warcio.archiveiterator import ArchiveIterator

archive = pathlib.Path(sys.argv[1]) / "archive"
files = sorted(archive.glob("*.warc.gz"))
wrong = []
records = chunked = 0


def entity_digest(file, offset):
    """Returns the digest of the entity of the record at an offset."""
    with open(file, "rb") as raw:
        raw.seek(offset)
        record = next(iter(ArchiveIterator(raw)))
        record.http_headers.remove_header("Content-Encoding")  # content_stream takes off the transfer coding alone
        return "sha256:" + hashlib.sha256(record.content_stream().read()).hexdigest()


for file in files:
    with open(file, "rb") as raw:
        records_of = ArchiveIterator(raw, check_digests=True)
        for record in records_of:
            offset = records_of.get_record_offset()
            record.raw_stream.read()
            records += 1
            for problem in record.digest_checker.problems:
                headers = record.http_headers
                if problem.startswith("payload") and headers and headers.get_header("Transfer-Encoding") == "chunked":
                    chunked += 1
                    if entity_digest(file, offset) == record.rec_headers.get_header("WARC-Payload-Digest"):
                        continue
                wrong.append(f"{file.name}, byte {offset}: {problem}")

out = io.StringIO()


class Indexer(CDXJIndexer):
    def _do_write(self, urlkey, ts, index, _):
        out.write(f"{urlkey} {ts} {json.dumps(index, sort_keys=True)}\n")


Indexer(None, [str(f) for f in files]).process_all()
want = set(out.getvalue().splitlines())
lines = (archive / "index.cdxj").read_text(encoding="utf-8").splitlines()
have = set()
for line in lines:
    key, ts, members = line.split(" ", 2)
    have.add(f"{key} {ts} {json.dumps(json.loads(members), sort_keys=True)}")
for line in sorted(have - want)[:3]:
    wrong.append(f"index.cdxj has, and cdxj-indexer has not\n  {line}")
for line in sorted(want - have)[:3]:
    wrong.append(f"cdxj-indexer has, and index.cdxj has not\n  {line}")
if lines != sorted(lines, key=lambda line: line.encode()):
    wrong.append("index.cdxj is not sorted")

print(json.dumps({"files": len(files), "records": records, "chunked": chunked, "index": len(lines)}))
for reason in wrong:
    print(reason, file=sys.stderr)
sys.exit(1 if wrong else 0)
