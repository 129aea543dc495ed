// An extractor: the paragraphs of a page that mention the topic, with their places.
import { Matcher, NO_OPINION, OK, onConfigure, onExtract } from "./awarc";
export { awarc_abi_1, awarc_configure, awarc_extract } from "./awarc";

const terms = new Matcher();

onConfigure((c) => {
  terms.learn(c.topic);
  return OK;
});

onExtract((p, out) => {
  let found = false;
  const lang = p.lang.toString();
  for (let i = 0; i < p.partCount; i++) {
    const text = p.part(i).text;
    const about = <f32>terms.relevance(text);
    if (about == 0) continue;
    if (!found) {
      found = true;
      out.object("schema:WebPage", p.url.toString());
      out.confidence = 0;
      if (p.title.len > 0) out.text("name", p.title, lang);
    }
    if (about > out.confidence) out.confidence = about;
    out.at(i, 0, text.len);
    out.text("text", text, lang);
  }
  return found ? OK : NO_OPINION;
});
