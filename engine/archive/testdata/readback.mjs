// Reads a crawl directory back with npm warcio, as a second opinion on our writer:
//
//	cd SOMEWHERE && npm install warcio@2.4.11 && node readback.mjs CRAWL-DIR [EARLIER-CRAWL-DIR]
//
// Every record of archive/*.warc.gz is read to its end; the JSON of archive/index.cdxj must be, byte for byte, what the cdx-index
// of warcio gives for the same files, each once, but that digests have their algorithm (keys are those of cdxj-indexer, see
// readback.py); and at the place that a line names there must be the
// record that it describes; a revisit record must name a response record that is there, or in the earlier crawl, by its id, URL,
// date and payload. Prints the counts as JSON; exit status 1 and the reasons on standard error when
// something is wrong.
import { createReadStream, readdirSync, readFileSync, openSync, readSync, closeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "/")); // the package is where the caller installed it
const { CDXIndexer, WARCParser } = require("warcio");

const dir = join(process.argv[2] ?? ".", "archive");
const names = readdirSync(dir).filter((n) => n.endsWith(".warc.gz")).sort();
const wrong = [];

const records = {};
let bytes = 0;
const originals = new Set();
const revisits = [];
const isOriginal = (record) => {
  if (record.warcType === "response")
    originals.add([record.warcHeader("WARC-Record-ID"), record.warcTargetURI, record.warcDate, record.warcPayloadDigest].join(" "));
};
for (const name of names) {
  for await (const record of new WARCParser(createReadStream(join(dir, name)))) {
    records[record.warcType] = (records[record.warcType] ?? 0) + 1;
    const header = (name) => record.warcHeader(name);
    isOriginal(record);
    if (record.warcType === "revisit")
      revisits.push([header("WARC-Refers-To"), record.warcRefersToTargetURI, record.warcRefersToDate, record.warcPayloadDigest].join(" "));
    bytes += (await record.readFully(false))?.length ?? 0;
  }
}

const earlier = process.argv[3] ? join(process.argv[3], "archive") : dir;
for (const name of readdirSync(earlier).filter((n) => n.endsWith(".warc.gz")))
  for await (const record of new WARCParser(createReadStream(join(earlier, name)))) isOriginal(record);

for (const original of revisits) if (!originals.has(original)) wrong.push(`a revisit refers to ${original}, which is not there`);

const text = readFileSync(join(dir, "index.cdxj"), "utf8");
const lines = text.split("\n");
if (lines.pop() !== "") wrong.push("index.cdxj does not end in a line break");

const indexer = new CDXIndexer({ format: "cdxj" });
const json = (line) => line.slice(line.indexOf(" {") + 1);
const expected = new Set();
for (const name of names) {
  const files = [{ filename: name, reader: createReadStream(join(dir, name)) }];
  for await (const entry of indexer.iterIndex(files))
    expected.add(json(indexer.serialize(entry).trimEnd()).replace(`"digest":"`, `"digest":"sha256:`));
}
const want = [...expected].sort();
const have = lines.map(json).sort();
for (let i = 0; i < Math.max(want.length, have.length); i++) {
  if (want[i] !== have[i]) {
    wrong.push(`index.cdxj has\n  ${have[i]}\nwarcio has\n  ${want[i]}`);
    break;
  }
}

for (const line of lines) {
  const { url, digest, length, offset, filename } = JSON.parse(line.slice(line.indexOf(" {")));
  const member = Buffer.alloc(Number(length));
  const fd = openSync(join(dir, filename), "r");
  const n = readSync(fd, member, 0, member.length, Number(offset));
  closeSync(fd);
  const record = n === member.length ? await WARCParser.parse([member]) : null;
  if (!record || record.warcTargetURI !== url || record.warcPayloadDigest !== digest) {
    wrong.push(`no record of ${url} at ${offset} of ${filename}`);
  }
}

console.log(JSON.stringify({ files: names.length, records, bytes, index: lines.length }));
for (const reason of wrong) console.error(reason);
process.exit(wrong.length > 0 ? 1 : 0);
