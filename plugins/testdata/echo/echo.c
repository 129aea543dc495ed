// A plugin that answers with what it was told: a test of the SDK.
#include "awarc.h"

static const aw_config *config;

static int configure(const aw_config *c) {
  config = c;
  return AW_OK;
}

static int is(aw_str a, aw_str b) {
  for (uint32_t i = 0; i < a.n && a.n == b.n; i++)
    if (a.p[i] != b.p[i]) return 0;
  return a.n == b.n;
}

static int score(const aw_page *p, aw_scores *out) {
  if (is(p->title, AW_STR("fail"))) return aw_fail(AW_STR("because"));
  if (is(p->title, AW_STR("none"))) return AW_NO_OPINION;
  out->doc = p->parent_score;
  out->reason = p->content_type;
  if (p->truncated) aw_blacklist_page(out);
  if (p->http_status == 404) aw_no_doc(out);
  if (p->link_count > 2) {
    aw_score_link(out, 0, (float)p->depth);
    aw_blacklist_url(out, 1);
    aw_blacklist_host(out, 2);
  }
  return AW_OK;
}

static int extract(const aw_page *p, aw_objects *out) {
  aw_object(out, AW_STR("schema:Page"), p->url);
  aw_add_text(out, AW_STR("title"), p->title, p->lang);
  aw_add_text(out, AW_STR("html"), p->html, AW_STR(""));
  aw_add_text(out, AW_STR("mime"), p->content_type, AW_STR(""));
  aw_add_int(out, AW_STR("captured"), -(int64_t)p->capture_unix);
  for (uint32_t i = 0; i < p->part_count; i++) {
    aw_at(out, i, 0, p->parts[i].text.n);
    aw_add_text(out, AW_STR("part"), p->parts[i].text, AW_STR(""));
    aw_add_int(out, AW_STR("kind"), p->parts[i].kind);
  }
  for (uint32_t i = 0; i < p->link_count; i++) {
    aw_object(out, AW_STR("schema:Link"), AW_STR(""));
    out->confidence = 0.5f;
    aw_add_iri(out, AW_STR("url"), p->links[i].url);
    aw_add_text(out, AW_STR("anchor"), p->links[i].anchor, AW_STR(""));
    aw_add_text(out, AW_STR("context"), p->links[i].context, AW_STR(""));
    aw_add_int(out, AW_STR("flags"), p->links[i].flags);
  }
  aw_object(out, AW_STR("schema:Config"), AW_STR(""));
  aw_add_text(out, AW_STR("raw"), config->raw, AW_STR(""));
  aw_add_text(out, AW_STR("crawl"), config->crawl_id, AW_STR(""));
  aw_add_int(out, AW_STR("seed"), (int64_t)config->seed);
  aw_add_bool(out, AW_STR("deterministic"), config->deterministic);
  aw_add_text(out, AW_STR("name"), config->topic.name, config->topic.lang);
  for (uint32_t i = 0; i < config->topic.term_count; i++) {
    aw_add_text(out, AW_STR("term"), config->topic.terms[i].text, AW_STR(""));
    aw_add_float(out, AW_STR("weight"), (double)config->topic.terms[i].weight);
    aw_add_int(out, AW_STR("flags"), config->topic.terms[i].flags);
  }
  for (uint32_t i = 0; i < config->topic.seed_count; i++) aw_add_iri(out, AW_STR("start"), config->topic.seed_urls[i]);
  for (uint32_t i = 0; i < config->topic.param_count; i++) {
    aw_add_text(out, AW_STR("key"), config->topic.params[i].name, AW_STR(""));
    aw_add_text(out, AW_STR("value"), config->topic.params[i].value, AW_STR(""));
  }
  aw_add_time(out, AW_STR("time"), AW_STR("2026-11-21T10:00:00Z"));
  aw_triple(out, AW_STR("http://s/"), AW_STR("http://p/"), AW_STR("http://o/"), AW_IRI, AW_STR(""), AW_STR(""));
  aw_triple(out, AW_STR("_:s"), AW_STR("http://p/"), AW_STR("text"), AW_LITERAL, AW_STR(""), AW_STR("de"));
  aw_triple(out, AW_STR("_:s"), AW_STR("http://p/"), AW_STR("1"), AW_LITERAL, AW_STR("http://www.w3.org/2001/XMLSchema#int"), AW_STR(""));
  aw_triple(out, AW_STR("http://s/"), AW_STR("http://p/"), AW_STR("_:o"), AW_BLANK, AW_STR(""), AW_STR(""));
  return AW_OK;
}

AW_CONFIGURE(configure)
AW_SCORER(score)
AW_EXTRACTOR(extract)
