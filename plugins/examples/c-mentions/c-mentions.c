// An extractor: the paragraphs of a page that mention the topic, with their places.
#include "awarc.h"

static aw_matcher *terms;

static int configure(const aw_config *c) {
  terms = aw_matcher_of(&c->topic);
  return AW_OK;
}

static int extract(const aw_page *p, aw_objects *out) {
  int found = 0;
  for (uint32_t i = 0; i < p->part_count; i++) {
    double about = aw_relevance(terms, p->parts[i].text);
    if (about == 0) continue;
    if (!found++) {
      aw_object(out, AW_STR("schema:WebPage"), p->url);
      out->confidence = 0;
      if (p->title.n) aw_add_text(out, AW_STR("name"), p->title, p->lang);
    }
    if (about > out->confidence) out->confidence = (float)about;
    aw_at(out, i, 0, p->parts[i].text.n);
    aw_add_text(out, AW_STR("text"), p->parts[i].text, p->lang);
  }
  return found ? AW_OK : AW_NO_OPINION;
}

AW_CONFIGURE(configure)
AW_EXTRACTOR(extract)
