// A scorer: how densely the terms of the topic stand in a page and around each of
// its links.
import { Matcher, onConfigure, onScore } from "./awarc";
export { awarc_abi_1, awarc_configure, awarc_score } from "./awarc";

const terms = new Matcher();

onConfigure((c) => {
  terms.learn(c.topic);
  return 0;
});

onScore((p, out) => {
  out.doc = terms.density(p.title, 3, p.text(), 1);
  for (let i = 0; i < p.linkCount; i++) {
    const l = p.link(i);
    out.link(i, terms.density(l.anchor, 2, l.context, 1));
  }
  return 0;
});
