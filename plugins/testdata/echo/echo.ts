// A plugin that answers with what it was told: a test of the SDK.
import { Config, NO_OPINION, OK, fail, onConfigure, onExtract, onScore } from "./awarc";
export { awarc_abi_1, awarc_configure, awarc_extract, awarc_score } from "./awarc";

let config: Config | null = null;

onConfigure((c) => {
  config = c;
  return OK;
});

onScore((p, out) => {
  if (p.title.equals("fail")) return fail("because");
  if (p.title.equals("none")) return NO_OPINION;
  out.doc = p.parentScore;
  out.reason = p.contentType.toString();
  if (p.truncated) out.blacklistPage();
  if (p.httpStatus == 404) out.noDoc();
  if (p.linkCount > 2) {
    out.link(0, <f32>p.depth);
    out.blacklistURL(1);
    out.blacklistHost(2);
  }
  return OK;
});

onExtract((p, out) => {
  out.object("schema:Page", p.url.toString());
  out.text("title", p.title, p.lang.toString());
  out.text("html", p.html);
  out.text("mime", p.contentType);
  out.int("captured", -(<i64>p.captureUnix));
  for (let i = 0; i < p.partCount; i++) {
    const part = p.part(i);
    out.at(i, 0, part.text.len);
    out.text("part", part.text);
    out.int("kind", part.kind);
  }
  for (let i = 0; i < p.linkCount; i++) {
    const l = p.link(i);
    out.object("schema:Link");
    out.confidence = 0.5;
    out.iri("url", l.url.toString());
    out.text("anchor", l.anchor);
    out.string("context", l.context.toString());
    out.int("flags", l.flags);
  }
  const c = config!;
  out.object("schema:Config");
  out.text("raw", c.raw);
  out.text("crawl", c.crawlID);
  out.int("seed", <i64>c.seed);
  out.bool("deterministic", c.deterministic);
  out.text("name", c.topic.name, c.topic.lang.toString());
  for (let i = 0; i < c.topic.termCount; i++) {
    const t = c.topic.term(i);
    out.text("term", t.text);
    out.float("weight", t.weight);
    out.int("flags", t.flags);
  }
  for (let i = 0; i < c.topic.seedCount; i++) out.iri("start", c.topic.seedURL(i).toString());
  for (let i = 0; i < c.topic.paramCount; i++) {
    const one = c.topic.param(i);
    out.text("key", one.name);
    out.text("value", one.value);
  }
  out.time("time", "2026-11-21T10:00:00Z");
  out.triple("http://s/", "http://p/", "http://o/");
  out.triple("_:s", "http://p/", "text", 1, "", "de");
  out.triple("_:s", "http://p/", "1", 1, "http://www.w3.org/2001/XMLSchema#int");
  out.triple("http://s/", "http://p/", "_:o", 2);
  return OK;
});
