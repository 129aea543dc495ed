// awarc.h makes a plugin of ABI 1 of a C program: a scorer, an extractor or both.
// It is the whole SDK: freestanding, without libc.
//
//   #include "awarc.h"
//
//   static aw_matcher *terms;
//
//   static int configure(const aw_config *c) {
//     terms = aw_matcher_of(&c->topic);
//     return AW_OK;
//   }
//
//   static int score(const aw_page *p, aw_scores *out) {
//     out->doc = aw_density(terms, p->title, 3, aw_text(p), 1);
//     for (uint32_t i = 0; i < p->link_count; i++)
//       aw_score_link(out, i, aw_density(terms, p->links[i].anchor, 2, p->links[i].context, 1));
//     return AW_OK;
//   }
//
//   AW_CONFIGURE(configure)
//   AW_SCORER(score)
//
//   clang --target=wasm32 -O2 -ffreestanding -nostdlib -mbulk-memory -Wl,--no-entry,--strip-debug -o birds.wasm birds.c
//   awarc plugin pack birds.wasm plugin.json
//
// Memory: aw_alloc gives zeroed memory and never fails; there is no free. What is
// allocated for a page, the page itself included, is valid until the function of the
// plugin returns; what is allocated in configure, its configuration included, until
// the next configure. The header owns all memory above __heap_base: link no malloc.
#ifndef AWARC_H
#define AWARC_H

#include <stddef.h>
#include <stdint.h>

// What the functions of a plugin return.
enum { AW_OK, AW_NO_OPINION, AW_ERROR, AW_UNSUPPORTED };

// aw_str is a text: UTF-8 without a zero at its end.
typedef struct {
  const char *p;
  uint32_t n;
} aw_str;

#define AW_STR(literal) ((aw_str){"" literal, sizeof(literal) - 1})

// Flags of a term, of a link of a page, and kinds of a part.
enum { AW_PHRASE = 1, AW_NEGATIVE = 2, AW_REGEXP = 4 };
enum { AW_NOFOLLOW = 1, AW_SAME_HOST = 2, AW_IMAGE = 4, AW_IN_NAVIGATION = 8 };
enum { AW_BODY, AW_HEADING, AW_META, AW_NAVIGATION, AW_ALT_TEXT, AW_LIST, AW_TABLE, AW_CODE };

typedef struct {
  aw_str text;
  float weight;
  uint32_t flags;
} aw_term;

typedef struct {
  aw_str name, value;
} aw_param;

// aw_topic is what the crawl looks for.
typedef struct {
  aw_str name, lang;
  aw_term *terms;
  aw_str *seed_urls;
  aw_param *params;
  uint32_t term_count, seed_count, param_count;
} aw_topic;

typedef struct {
  aw_topic topic;
  aw_str raw; // the plugin's own configuration as the user wrote it
  aw_str crawl_id;
  uint64_t seed;
  uint32_t abi_minor;
  int deterministic;
} aw_config;

typedef struct {
  uint32_t kind;
  aw_str text;
} aw_part;

typedef struct {
  aw_str url, anchor, context;
  uint32_t flags;
} aw_link;

// aw_page is the page to score or to extract from. What the manifest's "needs" does
// not name is empty, and so is what the other kind of request has.
typedef struct {
  aw_str url, title, lang, content_type;
  aw_part *parts;
  aw_link *links;
  uint32_t part_count, link_count;

  uint32_t depth, http_status; // to score
  float parent_score;
  int truncated;

  aw_str html; // to extract from
  uint64_t capture_unix;
} aw_page;

// ---- The host ----

#define AW_IMPORT(name) __attribute__((import_module("awarc"), import_name(name)))
#define AW_EXPORT(name) __attribute__((export_name(name)))

AW_IMPORT("input_len") uint32_t aw_host_input_len(void);
AW_IMPORT("input_read") uint32_t aw_host_input_read(uint32_t off, void *to, uint32_t n);
AW_IMPORT("output_write") uint32_t aw_host_output_write(const void *from, uint32_t n);
AW_IMPORT("error_set") void aw_host_error_set(const void *from, uint32_t n);
AW_IMPORT("log") void aw_host_log(int32_t level, const void *from, uint32_t n);
AW_IMPORT("log_enabled") uint32_t aw_host_log_enabled(int32_t level);

AW_EXPORT("awarc_abi_1") void aw_abi_1(void) {}

enum { AW_DEBUG, AW_INFO, AW_WARN, AW_BAD };

// aw_log writes a line. The host takes a few lines a call and drops the rest.
static inline void aw_log(int32_t level, aw_str line) { aw_host_log(level, line.p, line.n); }

// aw_fail says what went wrong: return aw_fail(AW_STR("...")).
static inline int aw_fail(aw_str message) {
  aw_host_error_set(message.p, message.n);
  return AW_ERROR;
}

// ---- Memory ----

extern unsigned char __heap_base;

static uintptr_t aw_top;  // of the memory in use; 0 before the first call
static uintptr_t aw_kept; // of what configure allocated

static inline void *aw_alloc_raw(uint64_t n) {
  uint64_t at = ((uint64_t)aw_top + 15) & ~(uint64_t)15, end = at + n;
  uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
  if (end > have && (end > UINT32_MAX || __builtin_wasm_memory_grow(0, (uint32_t)((end - have + 65535) >> 16)) == (size_t)-1))
    __builtin_trap(); // no memory left
  aw_top = (uintptr_t)end;
  return (void *)(uintptr_t)at;
}

static inline void *aw_alloc(uint64_t n) { return __builtin_memset(aw_alloc_raw(n), 0, (size_t)n); }

// aw_input reads the request of the current call into fresh memory.
static inline aw_str aw_input(uintptr_t from) {
  aw_top = from ? from : (uintptr_t)&__heap_base;
  uint32_t n = aw_host_input_len();
  char *p = aw_alloc_raw(n);
  return (aw_str){p, aw_host_input_read(0, p, n)};
}

// ---- Protobuf, reading ----

typedef struct {
  const uint8_t *p, *end;
  int bad; // the message is malformed; reading has ended
} aw_reader;

// aw_field is a field: value holds a number as it is encoded, bytes the content of a
// string or an embedded message.
typedef struct {
  uint32_t number, wire;
  uint64_t value;
  aw_str bytes;
} aw_field;

static inline aw_reader aw_read(aw_str s) { return (aw_reader){(const uint8_t *)s.p, (const uint8_t *)s.p + s.n, 0}; }

static inline uint64_t aw_varint(aw_reader *r) {
  uint64_t v = 0;
  for (int shift = 0; shift < 70 && r->p < r->end; shift += 7) {
    uint8_t c = *r->p++;
    v |= (uint64_t)(c & 0x7f) << (shift & 63);
    if (c < 0x80) return v;
  }
  r->bad = 1;
  return 0;
}

// aw_next reads the next field; 0 at the end, and where the message is malformed.
static inline int aw_next(aw_reader *r, aw_field *f) {
  if (r->bad || r->p >= r->end) return 0;
  uint64_t tag = aw_varint(r), n = 0;
  f->number = (uint32_t)(tag >> 3);
  f->wire = tag & 7;
  f->value = 0;
  f->bytes = (aw_str){0, 0};
  switch (f->wire) {
  case 0: f->value = aw_varint(r); return !r->bad;
  case 1: n = 8; break;
  case 2: n = aw_varint(r); break;
  case 5: n = 4; break;
  default: r->bad = 1;
  }
  if (n > (uint64_t)(r->end - r->p)) r->bad = 1;
  if (r->bad) return 0;
  if (f->wire == 2)
    f->bytes = (aw_str){(const char *)r->p, (uint32_t)n};
  else
    __builtin_memcpy(&f->value, r->p, (size_t)n);
  r->p += n;
  return 1;
}

static inline float aw_float(const aw_field *f) {
  float v;
  uint32_t bits = (uint32_t)f->value;
  __builtin_memcpy(&v, &bits, 4);
  return v;
}

// aw_count returns how often fields of a number occur in a message.
static inline uint32_t aw_count(aw_str message, uint32_t number) {
  uint32_t n = 0;
  aw_field f;
  for (aw_reader r = aw_read(message); aw_next(&r, &f);) n += f.number == number;
  return n;
}

static inline int aw_read_term(aw_str s, aw_term *t) {
  aw_field f;
  aw_reader r = aw_read(s);
  while (aw_next(&r, &f)) switch (f.number) {
    case 1: t->text = f.bytes; break;
    case 2: t->weight = aw_float(&f); break;
    case 3: t->flags = (uint32_t)f.value; break;
    }
  return !r.bad;
}

static inline int aw_read_param(aw_str s, aw_param *p) {
  aw_field f;
  aw_reader r = aw_read(s);
  while (aw_next(&r, &f)) switch (f.number) {
    case 1: p->name = f.bytes; break;
    case 2: p->value = f.bytes; break;
    }
  return !r.bad;
}

static inline int aw_read_topic(aw_str s, aw_topic *t) {
  aw_field f;
  *t = (aw_topic){0};
  t->terms = aw_alloc(sizeof(aw_term) * aw_count(s, 2));
  t->seed_urls = aw_alloc(sizeof(aw_str) * aw_count(s, 3));
  t->params = aw_alloc(sizeof(aw_param) * aw_count(s, 4));
  aw_reader r = aw_read(s);
  while (aw_next(&r, &f)) switch (f.number) {
    case 1: t->name = f.bytes; break;
    case 2: r.bad |= !aw_read_term(f.bytes, &t->terms[t->term_count++]); break;
    case 3: t->seed_urls[t->seed_count++] = f.bytes; break;
    case 4: r.bad |= !aw_read_param(f.bytes, &t->params[t->param_count++]); break;
    case 5: t->lang = f.bytes; break;
    }
  return !r.bad;
}

static inline int aw_read_config(aw_str s, aw_config *c) {
  aw_field f;
  aw_reader r = aw_read(s);
  while (aw_next(&r, &f)) switch (f.number) {
    case 1: c->abi_minor = (uint32_t)f.value; break;
    case 2: r.bad |= !aw_read_topic(f.bytes, &c->topic); break;
    case 3: c->raw = f.bytes; break;
    case 4: c->deterministic = f.value != 0; break;
    case 5: c->crawl_id = f.bytes; break;
    case 6: c->seed = f.value; break;
    }
  return !r.bad;
}

static inline int aw_read_part(aw_str s, aw_part *p) {
  aw_field f;
  aw_reader r = aw_read(s);
  while (aw_next(&r, &f)) switch (f.number) {
    case 1: p->kind = (uint32_t)f.value; break;
    case 2: p->text = f.bytes; break;
    }
  return !r.bad;
}

static inline int aw_read_link(aw_str s, aw_link *l) {
  aw_field f;
  aw_reader r = aw_read(s);
  while (aw_next(&r, &f)) switch (f.number) {
    case 1: l->url = f.bytes; break;
    case 2: l->anchor = f.bytes; break;
    case 3: l->context = f.bytes; break;
    case 4: l->flags = (uint32_t)f.value; break;
    }
  return !r.bad;
}

static inline int aw_read_page(aw_str s, aw_page *p, int extract) {
  aw_field f;
  p->parts = aw_alloc(sizeof(aw_part) * aw_count(s, 3));
  p->links = aw_alloc(sizeof(aw_link) * aw_count(s, 4));
  aw_reader r = aw_read(s);
  while (aw_next(&r, &f)) switch (f.number + (extract && f.number > 5 ? 100 : 0)) {
    case 1: p->url = f.bytes; break;
    case 2: p->title = f.bytes; break;
    case 3: r.bad |= !aw_read_part(f.bytes, &p->parts[p->part_count++]); break;
    case 4: r.bad |= !aw_read_link(f.bytes, &p->links[p->link_count++]); break;
    case 5: p->lang = f.bytes; break;
    case 6: p->depth = (uint32_t)f.value; break;
    case 7: p->http_status = (uint32_t)f.value; break;
    case 8: p->content_type = f.bytes; break;
    case 9: p->parent_score = aw_float(&f); break;
    case 10: p->truncated = f.value != 0; break;
    case 106: p->content_type = f.bytes; break;
    case 107: p->html = f.bytes; break;
    case 108: p->capture_unix = f.value; break;
    }
  return !r.bad;
}

// aw_text is the text of all parts of the page, a line for each.
static inline aw_str aw_text(const aw_page *p) {
  uint64_t n = 0;
  if (p->part_count == 1) return p->parts[0].text;
  for (uint32_t i = 0; i < p->part_count; i++) n += p->parts[i].text.n + 1;
  char *text = aw_alloc_raw(n), *at = text;
  for (uint32_t i = 0; i < p->part_count; i++) {
    if (i > 0) *at++ = '\n';
    __builtin_memcpy(at, p->parts[i].text.p, p->parts[i].text.n);
    at += p->parts[i].text.n;
  }
  return (aw_str){text, (uint32_t)(at - text)};
}

// ---- Protobuf, writing ----

// aw_buffer is a message that grows.
typedef struct {
  uint8_t *p;
  uint32_t n, cap;
} aw_buffer;

static inline uint8_t *aw_room(aw_buffer *b, uint32_t n) {
  if ((uint64_t)b->n + n > b->cap) {
    uint64_t cap = 2 * ((uint64_t)b->n + n) + 64;
    uint8_t *p = aw_alloc_raw(cap);
    if (b->n) __builtin_memcpy(p, b->p, b->n);
    b->p = p;
    b->cap = (uint32_t)cap;
  }
  return b->p + b->n;
}

static inline void aw_put_varint(aw_buffer *b, uint64_t v) {
  uint8_t *p = aw_room(b, 10), *start = p;
  for (; v >= 0x80; v >>= 7) *p++ = (uint8_t)v | 0x80;
  *p++ = (uint8_t)v;
  b->n += (uint32_t)(p - start);
}

static inline void aw_put_tag(aw_buffer *b, uint32_t number, uint32_t wire) { aw_put_varint(b, number << 3 | wire); }

static inline void aw_put_raw(aw_buffer *b, const void *from, uint32_t n) {
  if (n) __builtin_memcpy(aw_room(b, n), from, n);
  b->n += n;
}

static inline void aw_put_bytes(aw_buffer *b, uint32_t number, aw_str s) {
  aw_put_tag(b, number, 2);
  aw_put_varint(b, s.n);
  aw_put_raw(b, s.p, s.n);
}

static inline void aw_put_str(aw_buffer *b, uint32_t number, aw_str s) {
  if (s.n) aw_put_bytes(b, number, s);
}

static inline void aw_put_uint(aw_buffer *b, uint32_t number, uint64_t v) {
  if (v) {
    aw_put_tag(b, number, 0);
    aw_put_varint(b, v);
  }
}

static inline void aw_put_float(aw_buffer *b, uint32_t number, float v) {
  aw_put_tag(b, number, 5);
  aw_put_raw(b, &v, 4);
}

// ---- Scorers ----

// aw_scores takes the scores of a page, 0 to 1; what is outside is moved to the nearer
// end with a warning in the log.
typedef struct {
  float doc;     // the page itself
  aw_str reason; // one line for people

  float *links;
  uint8_t *link_flags;
  uint32_t link_count, doc_flags;
} aw_scores;

enum { AW_BLACKLIST_URL_FLAG = 1, AW_BLACKLIST_HOST_FLAG = 2, AW_NO_OPINION_FLAG = 4 };

// aw_open_links allocates the links, none of them scored.
static inline void aw_open_links(aw_scores *s) {
  if (s->links) return;
  s->links = aw_alloc(4 * (uint64_t)s->link_count);
  s->link_flags = __builtin_memset(aw_alloc_raw(s->link_count), AW_NO_OPINION_FLAG, s->link_count);
}

static inline float aw_clamp(float v) {
  if (v >= 0 && v <= 1) return v;
  aw_log(AW_WARN, AW_STR("a score is not in 0 to 1"));
  return v > 1;
}

// aw_score_link scores link i of the page. When no link is scored the host passes the
// page's score on to all; when some are, the plugin has no opinion on the others.
static inline void aw_score_link(aw_scores *s, uint32_t i, float score) {
  aw_open_links(s);
  if (i >= s->link_count) __builtin_trap();
  s->links[i] = aw_clamp(score);
  s->link_flags[i] &= (uint8_t)~AW_NO_OPINION_FLAG;
}

static inline void aw_flag_link(aw_scores *s, uint32_t i, uint8_t flag) {
  aw_open_links(s);
  if (i >= s->link_count) __builtin_trap();
  s->link_flags[i] |= flag;
}

// What keeps a link, its host or this page out of the crawl for good; the manifest's
// "may" must list blacklist_url or blacklist_host.
static inline void aw_blacklist_url(aw_scores *s, uint32_t i) { aw_flag_link(s, i, AW_BLACKLIST_URL_FLAG); }
static inline void aw_blacklist_host(aw_scores *s, uint32_t i) { aw_flag_link(s, i, AW_BLACKLIST_HOST_FLAG); }
static inline void aw_blacklist_page(aw_scores *s) { s->doc_flags |= AW_BLACKLIST_URL_FLAG; }

// aw_no_doc says that the page itself was not scored, only its links.
static inline void aw_no_doc(aw_scores *s) { s->doc_flags |= AW_NO_OPINION_FLAG; }

static inline void aw_send_scores(const aw_scores *s) {
  aw_buffer b = {0, 0, 0};
  aw_put_float(&b, 1, aw_clamp(s->doc));
  if (s->links) {
    aw_put_bytes(&b, 2, (aw_str){(const char *)s->links, 4 * s->link_count});
    aw_put_bytes(&b, 3, (aw_str){(const char *)s->link_flags, s->link_count});
  }
  aw_put_uint(&b, 4, s->doc_flags);
  aw_put_str(&b, 5, s->reason);
  aw_host_output_write(b.p, b.n);
}

// ---- Extractors ----

// aw_objects takes what was found. Fields belong to the object that aw_object began
// last. The host uses a result whole or, when one of its parts breaks the rules of the
// ABI, not at all.
typedef struct {
  aw_buffer object, field;
  int open;
  float confidence; // of the object; 1 until changed
  uint32_t span[3]; // of the field or triple that comes next
  int placed;
} aw_objects;

static inline void aw_end_object(aw_objects *o) {
  if (!o->open) return;
  aw_put_float(&o->object, 4, o->confidence);
  o->field.n = 0;
  aw_put_bytes(&o->field, 1, (aw_str){(const char *)o->object.p, o->object.n});
  aw_host_output_write(o->field.p, o->field.n);
  o->open = 0;
}

// aw_object begins an object of a class, an absolute IRI or a prefixed name. Its id is
// an absolute IRI, or empty when the page gives none.
static inline void aw_object(aw_objects *o, aw_str type, aw_str id) {
  aw_end_object(o);
  o->open = 1;
  o->confidence = 1;
  o->object.n = 0;
  aw_put_str(&o->object, 1, type);
  aw_put_str(&o->object, 2, id);
}

// aw_at says where in the text of a part the next field or triple was found, in bytes.
static inline void aw_at(aw_objects *o, uint32_t part, uint32_t start, uint32_t end) {
  o->placed = 1;
  o->span[0] = part;
  o->span[1] = start;
  o->span[2] = end;
}

static inline void aw_put_span(aw_objects *o, uint32_t number) {
  if (!o->placed) return;
  o->placed = 0;
  uint8_t bytes[32];
  aw_buffer b = {bytes, 0, sizeof bytes};
  for (uint32_t i = 0; i < 3; i++) {
    aw_put_tag(&b, i + 1, 0);
    aw_put_varint(&b, o->span[i]);
  }
  aw_put_bytes(&o->field, number, (aw_str){(const char *)bytes, b.n});
}

static inline void aw_begin_field(aw_objects *o, aw_str name) {
  if (!o->open) __builtin_trap(); // a field before its object
  o->field.n = 0;
  aw_put_str(&o->field, 1, name);
}

static inline void aw_end_field(aw_objects *o) {
  aw_put_span(o, 9);
  aw_put_bytes(&o->object, 3, (aw_str){(const char *)o->field.p, o->field.n});
}

// A text with its language (BCP 47, or empty), an absolute IRI, a time as RFC 3339
// writes it, a whole number, a finite number, a truth value.
static inline void aw_add_text(aw_objects *o, aw_str name, aw_str text, aw_str lang) {
  aw_begin_field(o, name);
  aw_put_bytes(&o->field, 2, text);
  aw_put_str(&o->field, 8, lang);
  aw_end_field(o);
}

static inline void aw_add_iri(aw_objects *o, aw_str name, aw_str iri) {
  aw_begin_field(o, name);
  aw_put_bytes(&o->field, 6, iri);
  aw_end_field(o);
}

static inline void aw_add_time(aw_objects *o, aw_str name, aw_str rfc3339) {
  aw_begin_field(o, name);
  aw_put_bytes(&o->field, 7, rfc3339);
  aw_end_field(o);
}

static inline void aw_add_int(aw_objects *o, aw_str name, int64_t v) {
  aw_begin_field(o, name);
  aw_put_tag(&o->field, 3, 0);
  aw_put_varint(&o->field, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
  aw_end_field(o);
}

static inline void aw_add_float(aw_objects *o, aw_str name, double v) {
  aw_begin_field(o, name);
  aw_put_tag(&o->field, 4, 1);
  aw_put_raw(&o->field, &v, 8);
  aw_end_field(o);
}

static inline void aw_add_bool(aw_objects *o, aw_str name, int v) {
  aw_begin_field(o, name);
  aw_put_tag(&o->field, 5, 0);
  aw_put_varint(&o->field, v != 0);
  aw_end_field(o);
}

// What the object of a triple is.
enum { AW_IRI, AW_LITERAL, AW_BLANK };

// aw_triple adds a statement. Datatype and lang are of literals only, and may be empty.
static inline void aw_triple(aw_objects *o, aw_str s, aw_str p, aw_str object, uint32_t kind, aw_str datatype, aw_str lang) {
  aw_end_object(o);
  o->field.n = 0;
  aw_put_str(&o->field, 1, s);
  aw_put_str(&o->field, 2, p);
  aw_put_str(&o->field, 3, object);
  aw_put_uint(&o->field, 4, kind);
  aw_put_str(&o->field, 5, datatype);
  aw_put_str(&o->field, 6, lang);
  aw_put_float(&o->field, 7, 1);
  aw_put_span(o, 8);
  o->object.n = 0;
  aw_put_bytes(&o->object, 2, (aw_str){(const char *)o->field.p, o->field.n});
  aw_host_output_write(o->object.p, o->object.n);
}

// ---- The exports ----

static inline int aw_unsupported(void) {
  aw_fail(AW_STR("the request is malformed"));
  return AW_UNSUPPORTED;
}

// AW_CONFIGURE names the function that is called once before the first page and again
// when the topic changes: int f(const aw_config *).
#define AW_CONFIGURE(f)                                        \
  AW_EXPORT("awarc_configure") int aw_export_configure(void) { \
    aw_str in = aw_input(0);                                   \
    aw_config *c = aw_alloc(sizeof *c);                        \
    int status = aw_read_config(in, c) ? f(c) : aw_unsupported(); \
    aw_kept = aw_top;                                          \
    return status;                                             \
  }

// AW_SCORER names the function that scores a page: int f(const aw_page *, aw_scores *).
#define AW_SCORER(f)                                   \
  AW_EXPORT("awarc_score") int aw_export_score(void) { \
    aw_str in = aw_input(aw_kept);                     \
    aw_page p = {0};                                   \
    if (!aw_read_page(in, &p, 0)) return aw_unsupported(); \
    aw_scores out = {.link_count = p.link_count};      \
    int status = f(&p, &out);                          \
    if (status == AW_OK) aw_send_scores(&out);         \
    return status;                                     \
  }

// AW_EXTRACTOR names the function that extracts: int f(const aw_page *, aw_objects *).
#define AW_EXTRACTOR(f)                                    \
  AW_EXPORT("awarc_extract") int aw_export_extract(void) { \
    aw_str in = aw_input(aw_kept);                         \
    aw_page p = {0};                                       \
    if (!aw_read_page(in, &p, 1)) return aw_unsupported(); \
    aw_objects out = {0};                                  \
    int status = f(&p, &out);                              \
    if (status == AW_OK) aw_end_object(&out);              \
    return status;                                         \
  }

// ---- Terms in text ----
//
// A word is a run of ASCII letters and digits and of characters beyond ASCII, less the
// punctuation of U+0080 to U+00BF, U+2000 to U+206F and U+3000 to U+303F; an ideograph
// or kana (U+3040 to U+9FFF) is a word of its own. Case is folded in ASCII, Latin-1,
// Greek (U+0391 to U+03A9) and Cyrillic (U+0400 to U+042F). A term of several words
// matches these words in this order. The SDKs of all languages follow this to the bit.

enum { AW_MAX_WORDS = 8, AW_MAX_BYTES = 64 }; // of a term, of a word; longer ones never match

// aw_ending is a term, in the list of terms with the same last word.
typedef struct aw_ending {
  struct aw_ending *next;
  double weight;
  uint32_t before_count, before[AW_MAX_WORDS - 1]; // ids of the words before the last, nearest first
} aw_ending;

typedef struct {
  aw_str folded;
  uint32_t hash;
  aw_ending *first, **last;
} aw_word;

// aw_matcher finds the terms of a topic in text.
typedef struct {
  uint32_t *slots, mask;           // ids by hash, open addressing; 0 is empty
  aw_word *words;                  // by id
  uint32_t word_count;             // ids in use; 0 is not
  uint32_t recent[AW_MAX_WORDS];   // ids of the last words of the text, a ring
} aw_matcher;

enum { AW_FNV_PRIME = 16777619 };

typedef struct {
  const uint8_t *start, *end; // equal after the last word
  uint32_t hash;              // FNV-1a of the folded word
} aw_place;

// The folded byte of a word, 1 where it goes on beyond ASCII, 0 between words.
static uint8_t aw_classes[256];

static inline void aw_init_classes(void) {
  for (uint32_t i = 0; i < 256; i++)
    aw_classes[i] = i >= 0x80                                              ? 1
                    : (i >= '0' && i <= '9') || (i >= 'a' && i <= 'z') ? (uint8_t)i
                    : i >= 'A' && i <= 'Z'                                 ? (uint8_t)(i + 32)
                                                                           : 0;
}

// aw_rune decodes the character at p, which is not of ASCII, and returns its length.
static inline uint32_t aw_rune(const uint8_t *p, const uint8_t *end, uint32_t *r) {
  uint32_t n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc0 ? 2 : 1;
  if (n == 1 || (uint32_t)(end - p) < n) {
    *r = 0xfffd;
    return 1;
  }
  uint32_t v = *p & (0x7fu >> n);
  for (uint32_t i = 1; i < n; i++) v = v << 6 | (p[i] & 0x3f);
  *r = v;
  return n;
}

// aw_fold keeps the number of bytes.
static inline uint32_t aw_fold(uint32_t r) {
  if ((r >= 0xc0 && r <= 0xde && r != 0xd7) || (r >= 0x391 && r <= 0x3a9) || (r >= 0x410 && r <= 0x42f)) return r + 0x20;
  return r >= 0x400 && r <= 0x40f ? r + 0x50 : r;
}

// aw_fold_rune writes the folded character of n bytes that is at p.
static inline void aw_fold_rune(const uint8_t *p, uint32_t n, uint32_t r, uint8_t *to) {
  uint32_t f = aw_fold(r);
  if (f != r) { // all that fold have two bytes
    to[0] = (uint8_t)(0xc0 | f >> 6);
    to[1] = (uint8_t)(0x80 | (f & 0x3f));
    return;
  }
  for (uint32_t i = 0; i < n; i++) to[i] = p[i];
}

// aw_beyond goes on with a word, perhaps still empty, where the next character is not of
// ASCII. Where that is a separator an empty word begins and ends after it.
static __attribute__((noinline)) void aw_beyond(aw_place *w, const uint8_t *end) {
  while (w->end < end && aw_classes[*w->end]) {
    uint8_t c = aw_classes[*w->end];
    if (c > 1) {
      w->hash = (w->hash ^ c) * AW_FNV_PRIME;
      w->end++;
      continue;
    }
    uint32_t r, n = aw_rune(w->end, end, &r);
    if ((r >= 0x80 && r <= 0xbf) || (r >= 0x2000 && r <= 0x206f) || (r >= 0x3000 && r <= 0x303f)) {
      if (w->end == w->start) w->start = w->end += n;
      return;
    }
    int alone = r >= 0x3040 && r <= 0x9fff;
    if (alone && w->end > w->start) return;
    uint8_t folded[4];
    aw_fold_rune(w->end, n, r, folded);
    for (uint32_t i = 0; i < n; i++) w->hash = (w->hash ^ folded[i]) * AW_FNV_PRIME;
    w->end += n;
    if (alone) return;
  }
}

static inline __attribute__((always_inline)) aw_place aw_word_from(const uint8_t *p, const uint8_t *end) {
  for (;;) {
    uint8_t c = 0;
    while (p < end && !aw_classes[*p]) p++;
    aw_place w = {p, p, 2166136261u};
    while (p < end && (c = aw_classes[*p]) > 1) {
      w.hash = (w.hash ^ c) * AW_FNV_PRIME;
      p++;
    }
    w.end = p;
    if (p == end || c == 0) return w;
    aw_place beyond = w;
    aw_beyond(&beyond, end);
    if (beyond.end > beyond.start) return beyond;
    p = beyond.end; // after a separator beyond ASCII
  }
}

static inline void aw_fold_word(const aw_place *w, uint8_t *to) {
  for (const uint8_t *p = w->start; p < w->end;) {
    uint32_t r, n = 1;
    if (*p < 0x80) {
      *to = aw_classes[*p];
    } else {
      n = aw_rune(p, w->end, &r);
      aw_fold_rune(p, n, r, to);
    }
    p += n;
    to += n;
  }
}

// aw_slot returns the place of the word's id, or the empty one where it belongs.
static inline uint32_t *aw_slot(const aw_matcher *m, const aw_place *w) {
  for (uint32_t at = w->hash & m->mask;; at = (at + 1) & m->mask) {
    uint32_t id = m->slots[at];
    if (!id) return &m->slots[at];
    const aw_word *known = &m->words[id];
    if (known->hash != w->hash || known->folded.n != (uint32_t)(w->end - w->start)) continue;
    uint8_t folded[AW_MAX_BYTES];
    aw_fold_word(w, folded);
    uint32_t i = 0;
    while (i < known->folded.n && folded[i] == (uint8_t)known->folded.p[i]) i++;
    if (i == known->folded.n) return &m->slots[at];
  }
}

static inline void aw_add_term(aw_matcher *m, aw_str text, double weight) {
  uint32_t ids[AW_MAX_WORDS], n = 0;
  const uint8_t *end = (const uint8_t *)text.p + text.n;
  for (aw_place w = aw_word_from((const uint8_t *)text.p, end); w.end > w.start; w = aw_word_from(w.end, end)) {
    uint32_t bytes = (uint32_t)(w.end - w.start);
    if (bytes > AW_MAX_BYTES || n == AW_MAX_WORDS) return;
    uint32_t *slot = aw_slot(m, &w);
    if (!*slot) {
      *slot = ++m->word_count;
      aw_word *known = &m->words[*slot];
      uint8_t *folded = aw_alloc_raw(bytes);
      aw_fold_word(&w, folded);
      *known = (aw_word){{(const char *)folded, bytes}, w.hash, 0, &known->first};
    }
    ids[n++] = *slot;
  }
  if (!n || weight != weight) return;
  aw_ending *t = aw_alloc(sizeof *t);
  t->weight = weight;
  t->before_count = n - 1;
  for (uint32_t i = 0; i < n - 1; i++) t->before[i] = ids[n - 2 - i];
  *m->words[ids[n - 1]].last = t;
  m->words[ids[n - 1]].last = &t->next;
}

// aw_matcher_of makes a matcher of the topic's terms: negative terms count against it,
// regular expressions are left out, a weight of zero is 1. Call it in configure.
static inline aw_matcher *aw_matcher_of(const aw_topic *t) {
  aw_init_classes();
  uint32_t count = 0, size = 16;
  for (uint32_t i = 0; i < t->term_count; i++) {
    const uint8_t *end = (const uint8_t *)t->terms[i].text.p + t->terms[i].text.n;
    for (aw_place w = aw_word_from((const uint8_t *)t->terms[i].text.p, end); w.end > w.start; w = aw_word_from(w.end, end)) count++;
  }
  while (size < 4 * count) size *= 2;
  aw_matcher *m = aw_alloc(sizeof *m);
  m->mask = size - 1;
  m->slots = aw_alloc(sizeof(uint32_t) * (uint64_t)size);
  m->words = aw_alloc(sizeof(aw_word) * (uint64_t)(count + 1));
  for (uint32_t i = 0; i < t->term_count; i++) {
    const aw_term *term = &t->terms[i];
    if (term->flags & AW_REGEXP) continue;
    double weight = term->weight == 0 ? 1 : (double)term->weight;
    aw_add_term(m, term->text, term->flags & AW_NEGATIVE && weight > 0 ? -weight : weight);
  }
  return m;
}

// aw_relevance is the text's relevance, 0 to 1: h / (h + 1 + words/64), where h is the
// sum of the weights of all matches, at least 0.
static inline double aw_relevance(aw_matcher *m, aw_str text) {
  const uint8_t *end = (const uint8_t *)text.p + text.n;
  double h = 0;
  uint32_t words = 0;
  for (uint32_t i = 0; i < AW_MAX_WORDS; i++) m->recent[i] = 0;
  for (aw_place w = aw_word_from((const uint8_t *)text.p, end); w.end > w.start; w = aw_word_from(w.end, end)) {
    uint32_t id = 0;
    if (m->slots[w.hash & m->mask] && w.end - w.start <= AW_MAX_BYTES) id = *aw_slot(m, &w); // most words meet an empty place
    if (id)
      for (const aw_ending *t = m->words[id].first; t; t = t->next) {
        uint32_t i = 0;
        if (t->before_count > words) continue;
        while (i < t->before_count && m->recent[(words - 1 - i) % AW_MAX_WORDS] == t->before[i]) i++;
        if (i == t->before_count) h += t->weight;
      }
    m->recent[words++ % AW_MAX_WORDS] = id;
  }
  return h > 0 ? h / (h + 1 + (double)words / 64) : 0;
}

// aw_density is the mean of the relevance of two texts, weighted by wa and wb.
static inline float aw_density(aw_matcher *m, aw_str a, double wa, aw_str b, double wb) {
  return (float)((wa * aw_relevance(m, a) + wb * aw_relevance(m, b)) / (wa + wb));
}

#endif
