// A scorer: how densely the terms of the topic stand in a page and around each of
// its links.
#include "awarc.h"

static aw_matcher *terms;

static int configure(const aw_config *c) {
  terms = aw_matcher_of(&c->topic);
  return AW_OK;
}

static int score(const aw_page *p, aw_scores *out) {
  out->doc = aw_density(terms, p->title, 3, aw_text(p), 1);
  for (uint32_t i = 0; i < p->link_count; i++)
    aw_score_link(out, i, aw_density(terms, p->links[i].anchor, 2, p->links[i].context, 1));
  return AW_OK;
}

AW_CONFIGURE(configure)
AW_SCORER(score)
