// awarc.ts makes a plugin of ABI 1 of an AssemblyScript program: a scorer, an extractor
// or both. It is the whole SDK.
//
//   import { Matcher, onConfigure, onScore } from "./awarc";
//   export { awarc_abi_1, awarc_configure, awarc_score } from "./awarc";
//
//   const terms = new Matcher();
//
//   onConfigure((c) => {
//     terms.learn(c.topic);
//     return 0;
//   });
//
//   onScore((p, out) => {
//     out.doc = terms.density(p.title, 3, p.text(), 1);
//     for (let i = 0; i < p.linkCount; i++) {
//       const l = p.link(i);
//       out.link(i, terms.density(l.anchor, 2, l.context, 1));
//     }
//     return 0;
//   });
//
//   asc birds.ts -O3 --noAssert --runtime stub --exportStart _initialize -o birds.wasm
//   awarc plugin pack birds.wasm plugin.json
//
// Buffers of this file are used again by every call, so the runtime "stub", which frees
// nothing, is enough for a plugin that makes no objects of its own per page; one that
// does takes "incremental". Texts of a page are views of the request, valid until the
// handler returns; texts of the configuration are valid until the next one.

/** What a handler returns. */
export const OK: i32 = 0;
export const NO_OPINION: i32 = 1;
export const ERROR: i32 = 2;
export const UNSUPPORTED: i32 = 3;

// @ts-ignore: decorator
@external("awarc", "input_len") declare function hostInputLen(): u32;
// @ts-ignore: decorator
@external("awarc", "input_read") declare function hostInputRead(off: u32, to: usize, n: u32): u32;
// @ts-ignore: decorator
@external("awarc", "output_write") declare function hostOutputWrite(from: usize, n: u32): u32;
// @ts-ignore: decorator
@external("awarc", "error_set") declare function hostErrorSet(from: usize, n: u32): void;
// @ts-ignore: decorator
@external("awarc", "log") declare function hostLog(level: i32, from: usize, n: u32): void;

/** Levels of log lines. */
export const enum Level { DEBUG, INFO, WARN, ERROR }

/** Writes a line. The host takes a few lines a call and drops the rest. */
export function log(level: Level, line: string): void {
  scratch.clear();
  scratch.string(line);
  hostLog(level, scratch.ptr, scratch.len);
}

/** Says what went wrong: return fail("..."). */
export function fail(message: string): i32 {
  scratch.clear();
  scratch.string(message);
  hostErrorSet(scratch.ptr, scratch.len);
  return ERROR;
}

/** UTF-8 in memory. */
export class Text {
  ptr: usize = 0;
  len: u32 = 0;

  set(ptr: usize, len: u32): void {
    this.ptr = ptr;
    this.len = len;
  }

  /** A copy as a string, which the runtime "stub" never frees. */
  toString(): string {
    return String.UTF8.decodeUnsafe(this.ptr, this.len);
  }

  equals(s: string): bool {
    scratch.clear();
    scratch.string(s);
    return scratch.len == this.len && memory.compare(scratch.ptr, this.ptr, this.len) == 0;
  }
}

/** Bytes that grow; their memory is used again. */
class Buffer {
  ptr: usize = 0;
  len: u32 = 0;
  cap: u32 = 0;

  clear(): void {
    this.len = 0;
  }

  /** Allocates n more bytes and returns where they go. */
  room(n: u32): usize {
    if (<u64>this.len + n > this.cap) {
      const cap = 2 * (<u64>this.len + n) + 64;
      if (cap > 0x3fffffff) unreachable();
      const ptr = heap.alloc(<usize>cap);
      if (this.len) memory.copy(ptr, this.ptr, this.len);
      if (this.ptr) heap.free(this.ptr);
      this.ptr = ptr;
      this.cap = <u32>cap;
    }
    return this.ptr + this.len;
  }

  /** n bytes of zero from the start. */
  zero(n: u32): usize {
    this.len = 0;
    const ptr = this.room(n);
    memory.fill(ptr, 0, n);
    this.len = n;
    return ptr;
  }

  varint(v: u64): void {
    const start = this.room(10);
    let p = start;
    for (; v >= 0x80; v >>= 7) store<u8>(p++, <u8>v | 0x80);
    store<u8>(p++, <u8>v);
    this.len += <u32>(p - start);
  }

  tag(number: u32, wire: u32): void {
    this.varint((number << 3) | wire);
  }

  raw(from: usize, n: u32): void {
    memory.copy(this.room(n), from, n);
    this.len += n;
  }

  bytes(number: u32, from: usize, n: u32): void {
    this.tag(number, 2);
    this.varint(n);
    this.raw(from, n);
  }

  float(number: u32, v: f32): void {
    this.tag(number, 5);
    store<f32>(this.room(4), v);
    this.len += 4;
  }

  uint(number: u32, v: u64): void {
    if (v == 0) return;
    this.tag(number, 0);
    this.varint(v);
  }

  string(s: string): void {
    const most = 3 * s.length;
    this.len += <u32>String.UTF8.encodeUnsafe(changetype<usize>(s), s.length, this.room(most), false);
  }

  /** A field of text; an empty one is left out. */
  stringField(number: u32, s: string): void {
    if (s.length == 0) return;
    this.tag(number, 2);
    this.varint(String.UTF8.byteLength(s));
    this.string(s);
  }
}

const scratch = new Buffer();
const input = new Buffer();
const configInput = new Buffer();
const output = new Buffer();

// ---- Protobuf, reading ----

/** The fields of a message: for (r.set(...); r.next(); ) ... r.number ... */
class Reader {
  at: usize = 0;
  end: usize = 0;
  bad: bool = false;
  number: u64 = 0;
  value: u64 = 0; // a number as it is encoded
  ptr: usize = 0; // the content of a string or an embedded message
  len: u32 = 0;

  set(ptr: usize, len: u32): void {
    this.at = ptr;
    this.end = ptr + len;
    this.bad = false;
  }

  varint(): u64 {
    let v: u64 = 0;
    for (let shift: u64 = 0; shift < 64 && this.at < this.end; shift += 7) {
      const c = load<u8>(this.at++);
      v |= <u64>(c & 0x7f) << shift;
      if (c < 0x80) return v;
    }
    this.bad = true;
    return 0;
  }

  /** Reads the next field; false at the end, and where the message is malformed. */
  next(): bool {
    if (this.bad || this.at >= this.end) return false;
    const tag = this.varint();
    const wire = <u32>tag & 7;
    this.number = tag >> 3;
    this.value = 0;
    this.ptr = 0;
    this.len = 0;
    let n: u64 = 0;
    if (wire == 0) this.value = this.varint();
    else if (wire == 1) n = 8;
    else if (wire == 2) n = this.varint();
    else if (wire == 5) n = 4;
    else this.bad = true;
    if (n > <u64>(this.end - this.at)) this.bad = true;
    if (this.bad) return false;
    if (wire == 2) {
      this.ptr = this.at;
      this.len = <u32>n;
    } else if (wire == 1) this.value = load<u64>(this.at);
    else if (wire == 5) this.value = load<u32>(this.at);
    this.at += <usize>n;
    return true;
  }

  float(): f32 {
    return reinterpret<f32>(<u32>this.value);
  }

  into(t: Text): void {
    t.set(this.ptr, this.len);
  }
}

const outer = new Reader();
const inner = new Reader();

/** Where embedded messages stand: pairs of pointer and length. */
class List {
  places: Buffer = new Buffer();

  clear(): void {
    this.places.clear();
  }

  add(ptr: usize, len: u32): void {
    const to = this.places.room(8);
    store<u32>(to, <u32>ptr);
    store<u32>(to + 4, len);
    this.places.len += 8;
  }

  get length(): i32 {
    return this.places.len / 8;
  }

  /** Sets the reader to entry i. */
  read(i: i32, r: Reader): void {
    if (<u32>i >= <u32>this.length) unreachable();
    const from = this.places.ptr + 8 * i;
    r.set(load<u32>(from), load<u32>(from + 4));
  }
}

export class Term {
  text: Text = new Text();
  weight: f32 = 0;
  /** 1 phrase, 2 negative, 4 the text is a regular expression. */
  flags: u32 = 0;
}

export class Param {
  name: Text = new Text();
  value: Text = new Text();
}

/** What the crawl looks for. What term, seedURL and param return is valid until their next call. */
export class Topic {
  name: Text = new Text();
  lang: Text = new Text();
  terms: List = new List();
  seedURLs: List = new List();
  params: List = new List();
  private oneTerm: Term = new Term();
  private oneURL: Text = new Text();
  private oneParam: Param = new Param();

  get termCount(): i32 { return this.terms.length; }
  get seedCount(): i32 { return this.seedURLs.length; }
  get paramCount(): i32 { return this.params.length; }

  term(i: i32): Term {
    const t = this.oneTerm;
    t.text.set(0, 0);
    t.weight = 0;
    t.flags = 0;
    for (this.terms.read(i, inner); inner.next(); ) {
      if (inner.number == 1) inner.into(t.text);
      else if (inner.number == 2) t.weight = inner.float();
      else if (inner.number == 3) t.flags = <u32>inner.value;
    }
    return t;
  }

  seedURL(i: i32): Text {
    this.seedURLs.read(i, inner);
    this.oneURL.set(inner.at, <u32>(inner.end - inner.at));
    return this.oneURL;
  }

  param(i: i32): Param {
    const p = this.oneParam;
    p.name.set(0, 0);
    p.value.set(0, 0);
    for (this.params.read(i, inner); inner.next(); ) {
      if (inner.number == 1) inner.into(p.name);
      else if (inner.number == 2) inner.into(p.value);
    }
    return p;
  }

  read(ptr: usize, len: u32): bool {
    this.name.set(0, 0);
    this.lang.set(0, 0);
    this.terms.clear();
    this.seedURLs.clear();
    this.params.clear();
    for (inner.set(ptr, len); inner.next(); ) {
      if (inner.number == 1) inner.into(this.name);
      else if (inner.number == 2) this.terms.add(inner.ptr, inner.len);
      else if (inner.number == 3) this.seedURLs.add(inner.ptr, inner.len);
      else if (inner.number == 4) this.params.add(inner.ptr, inner.len);
      else if (inner.number == 5) inner.into(this.lang);
    }
    return !inner.bad;
  }
}

/** What the host passes to an instance before the first page. */
export class Config {
  topic: Topic = new Topic();
  /** The plugin's own configuration as the user wrote it. */
  raw: Text = new Text();
  crawlID: Text = new Text();
  deterministic: bool = false;
  seed: u64 = 0;

  read(ptr: usize, len: u32): bool {
    this.topic.read(0, 0);
    this.raw.set(0, 0);
    this.crawlID.set(0, 0);
    this.deterministic = false;
    this.seed = 0;
    let well = true;
    for (outer.set(ptr, len); outer.next(); ) {
      if (outer.number == 2) well = this.topic.read(outer.ptr, outer.len) && well;
      else if (outer.number == 3) outer.into(this.raw);
      else if (outer.number == 4) this.deterministic = outer.value != 0;
      else if (outer.number == 5) outer.into(this.crawlID);
      else if (outer.number == 6) this.seed = outer.value;
    }
    return well && !outer.bad;
  }
}

/** A run of text of one kind: 0 body, 1 heading, 2 meta, 3 navigation, 4 alternative text, 5 list, 6 table, 7 code. */
export class Part {
  kind: u32 = 0;
  text: Text = new Text();
}

export class Link {
  url: Text = new Text();
  anchor: Text = new Text();
  context: Text = new Text();
  /** 1 nofollow, 2 same host, 4 image, 8 in navigation. */
  flags: u32 = 0;
}

/**
 * The page to score or to extract from. What the manifest's "needs" does not name is
 * empty, and so is what the other kind of request has. What part and link return is valid
 * until their next call.
 */
export class Page {
  url: Text = new Text();
  title: Text = new Text();
  lang: Text = new Text();
  contentType: Text = new Text();

  /** To score. */
  depth: u32 = 0;
  httpStatus: u32 = 0;
  parentScore: f32 = 0;
  truncated: bool = false;

  /** To extract from: the page's bytes, undecoded. */
  html: Text = new Text();
  captureUnix: u64 = 0;

  private parts: List = new List();
  private links: List = new List();
  private onePart: Part = new Part();
  private oneLink: Link = new Link();
  private joined: Buffer = new Buffer();
  private all: Text = new Text();

  get partCount(): i32 { return this.parts.length; }
  get linkCount(): i32 { return this.links.length; }

  part(i: i32): Part {
    const p = this.onePart;
    p.kind = 0;
    p.text.set(0, 0);
    for (this.parts.read(i, inner); inner.next(); ) {
      if (inner.number == 1) p.kind = <u32>inner.value;
      else if (inner.number == 2) inner.into(p.text);
    }
    return p;
  }

  link(i: i32): Link {
    const l = this.oneLink;
    l.url.set(0, 0);
    l.anchor.set(0, 0);
    l.context.set(0, 0);
    l.flags = 0;
    for (this.links.read(i, inner); inner.next(); ) {
      if (inner.number == 1) inner.into(l.url);
      else if (inner.number == 2) inner.into(l.anchor);
      else if (inner.number == 3) inner.into(l.context);
      else if (inner.number == 4) l.flags = <u32>inner.value;
    }
    return l;
  }

  /** The text of all parts of the page, a line for each. */
  text(): Text {
    if (this.partCount == 1) return this.part(0).text;
    const b = this.joined;
    b.clear();
    for (let i = 0; i < this.partCount; i++) {
      const p = this.part(i).text;
      if (i > 0) {
        store<u8>(b.room(1), 10);
        b.len++;
      }
      b.raw(p.ptr, p.len);
    }
    this.all.set(b.ptr, b.len);
    return this.all;
  }

  read(ptr: usize, len: u32, extract: bool): bool {
    this.url.set(0, 0);
    this.title.set(0, 0);
    this.lang.set(0, 0);
    this.contentType.set(0, 0);
    this.html.set(0, 0);
    this.depth = 0;
    this.httpStatus = 0;
    this.parentScore = 0;
    this.truncated = false;
    this.captureUnix = 0;
    this.parts.clear();
    this.links.clear();
    for (outer.set(ptr, len); outer.next(); ) {
      const n = outer.number;
      if (n == 1) outer.into(this.url);
      else if (n == 2) outer.into(this.title);
      else if (n == 3) this.parts.add(outer.ptr, outer.len);
      else if (n == 4) this.links.add(outer.ptr, outer.len);
      else if (n == 5) outer.into(this.lang);
      else if (n == (extract ? 6 : 8)) outer.into(this.contentType);
      else if (extract && n == 7) outer.into(this.html);
      else if (extract && n == 8) this.captureUnix = outer.value;
      else if (n == 6) this.depth = <u32>outer.value;
      else if (n == 7) this.httpStatus = <u32>outer.value;
      else if (n == 9) this.parentScore = outer.float();
      else if (n == 10) this.truncated = outer.value != 0;
    }
    return !outer.bad;
  }
}

// ---- Scorers ----

const BLACKLIST_URL: u8 = 1;
const BLACKLIST_HOST: u8 = 2;
const UNSCORED: u8 = 4;

function clamp(v: f32): f32 {
  if (v >= 0 && v <= 1) return v;
  log(Level.WARN, "a score is not in 0 to 1");
  return v > 1 ? 1 : 0;
}

/** Takes the scores of a page, 0 to 1; what is outside is moved to the nearer end with a warning in the log. */
export class Scores {
  /** The page itself. */
  doc: f32 = 0;
  /** One line for people. */
  reason: string = "";

  private links: Buffer = new Buffer();
  private flags: Buffer = new Buffer();
  private count: u32 = 0;
  private docFlags: u32 = 0;

  begin(links: i32): void {
    this.doc = 0;
    this.reason = "";
    this.count = links;
    this.docFlags = 0;
    this.links.clear();
    this.flags.clear();
  }

  /** Allocates the links, none of them scored. */
  private open(i: i32): void {
    if (<u32>i >= this.count) unreachable();
    if (this.flags.len) return;
    this.links.zero(4 * this.count);
    memory.fill(this.flags.zero(this.count), UNSCORED, this.count);
  }

  /**
   * Scores link i of the page. When no link is scored the host passes the page's score on
   * to all; when some are, the plugin has no opinion on the others.
   */
  link(i: i32, score: f32): void {
    this.open(i);
    store<f32>(this.links.ptr + 4 * i, clamp(score));
    store<u8>(this.flags.ptr + i, load<u8>(this.flags.ptr + i) & ~UNSCORED);
  }

  /** Keeps link i out of the crawl for good; the manifest's "may" must list blacklist_url. */
  blacklistURL(i: i32): void {
    this.open(i);
    store<u8>(this.flags.ptr + i, load<u8>(this.flags.ptr + i) | BLACKLIST_URL);
  }

  /** Keeps the host of link i out of the crawl for good; needs blacklist_host. */
  blacklistHost(i: i32): void {
    this.open(i);
    store<u8>(this.flags.ptr + i, load<u8>(this.flags.ptr + i) | BLACKLIST_HOST);
  }

  /** Keeps this page out of the crawl for good; needs blacklist_url. */
  blacklistPage(): void {
    this.docFlags |= BLACKLIST_URL;
  }

  /** Says that the page itself was not scored, only its links. */
  noDoc(): void {
    this.docFlags |= UNSCORED;
  }

  send(): void {
    output.clear();
    output.float(1, clamp(this.doc));
    if (this.flags.len) {
      output.bytes(2, this.links.ptr, this.links.len);
      output.bytes(3, this.flags.ptr, this.flags.len);
    }
    output.uint(4, this.docFlags);
    output.stringField(5, this.reason);
    hostOutputWrite(output.ptr, output.len);
  }
}

// ---- Extractors ----

/**
 * Takes what was found. Fields belong to the object that was started last. The host uses a
 * result whole or, when one of its parts breaks the rules of the ABI, not at all.
 */
export class Objects {
  /** Of the object; 1 until changed. */
  confidence: f32 = 1;
  private body: Buffer = new Buffer();
  private field: Buffer = new Buffer();
  private place: Buffer = new Buffer();
  private isOpen: bool = false;

  begin(): void {
    this.isOpen = false;
    this.place.clear();
    output.clear();
  }

  /** Begins an object of a class, an absolute IRI or a prefixed name. Its id is an absolute IRI, or empty. */
  object(type: string, id: string = ""): void {
    this.end();
    this.isOpen = true;
    this.confidence = 1;
    this.body.clear();
    this.body.stringField(1, type);
    this.body.stringField(2, id);
  }

  /** Says where in the text of a part the next field was found, in bytes. */
  at(part: u32, start: u32, end: u32): void {
    this.place.clear();
    this.place.tag(1, 0);
    this.place.varint(part);
    this.place.tag(2, 0);
    this.place.varint(start);
    this.place.tag(3, 0);
    this.place.varint(end);
  }

  private beginField(name: string): Buffer {
    if (!this.isOpen) unreachable(); // a field before its object
    this.field.clear();
    this.field.stringField(1, name);
    return this.field;
  }

  private endField(): void {
    if (this.place.len) this.field.bytes(9, this.place.ptr, this.place.len);
    this.place.clear();
    this.body.bytes(3, this.field.ptr, this.field.len);
  }

  /** Adds a text of the page with its language (BCP 47, or empty). */
  text(name: string, value: Text, lang: string = ""): void {
    const b = this.beginField(name);
    b.bytes(2, value.ptr, value.len);
    b.stringField(8, lang);
    this.endField();
  }

  private stringValue(name: string, number: u32, value: string): void {
    const b = this.beginField(name);
    b.tag(number, 2);
    b.varint(String.UTF8.byteLength(value));
    b.string(value);
    this.endField();
  }

  string(name: string, value: string): void { this.stringValue(name, 2, value); }

  /** Adds a reference, an absolute IRI. */
  iri(name: string, value: string): void { this.stringValue(name, 6, value); }

  /** Adds a time as RFC 3339 writes it. */
  time(name: string, value: string): void { this.stringValue(name, 7, value); }

  int(name: string, v: i64): void {
    const b = this.beginField(name);
    b.tag(3, 0);
    b.varint((<u64>v << 1) ^ <u64>(v >> 63));
    this.endField();
  }

  /** Adds a finite number. */
  float(name: string, v: f64): void {
    const b = this.beginField(name);
    b.tag(4, 1);
    store<f64>(b.room(8), v);
    b.len += 8;
    this.endField();
  }

  bool(name: string, v: bool): void {
    const b = this.beginField(name);
    b.tag(5, 0);
    b.varint(v ? 1 : 0);
    this.endField();
  }

  /** Adds a statement. The kind of o is 0 IRI, 1 literal, 2 blank node. */
  triple(s: string, p: string, o: string, kind: u32 = 0, datatype: string = "", lang: string = ""): void {
    const b = this.field;
    b.clear();
    b.stringField(1, s);
    b.stringField(2, p);
    b.stringField(3, o);
    b.uint(4, kind);
    b.stringField(5, datatype);
    b.stringField(6, lang);
    b.float(7, 1);
    output.bytes(2, b.ptr, b.len);
  }

  private end(): void {
    if (!this.isOpen) return;
    this.body.float(4, this.confidence);
    output.bytes(1, this.body.ptr, this.body.len);
    this.isOpen = false;
  }

  send(): void {
    this.end();
    hostOutputWrite(output.ptr, output.len);
  }
}

// ---- The exports ----

let configure: (c: Config) => i32 = (_: Config): i32 => OK;
let score: (p: Page, out: Scores) => i32 = (_: Page, out: Scores): i32 => NO_OPINION;
let extract: (p: Page, out: Objects) => i32 = (_: Page, out: Objects): i32 => NO_OPINION;

/** Registers what is called once before the first page, and again when the topic changes. */
export function onConfigure(f: (c: Config) => i32): void { configure = f; }
export function onScore(f: (p: Page, out: Scores) => i32): void { score = f; }
export function onExtract(f: (p: Page, out: Objects) => i32): void { extract = f; }

const config = new Config();
const page = new Page();
const scores = new Scores();
const objects = new Objects();

function readInput(b: Buffer): void {
  const n = hostInputLen();
  b.clear();
  b.len = hostInputRead(0, b.room(n), n);
}

function unsupported(): i32 {
  fail("the request is malformed");
  return UNSUPPORTED;
}

export function awarc_abi_1(): void {}

export function awarc_configure(): i32 {
  readInput(configInput);
  return config.read(configInput.ptr, configInput.len) ? configure(config) : unsupported();
}

export function awarc_score(): i32 {
  readInput(input);
  if (!page.read(input.ptr, input.len, false)) return unsupported();
  scores.begin(page.linkCount);
  const status = score(page, scores);
  if (status == OK) scores.send();
  return status;
}

export function awarc_extract(): i32 {
  readInput(input);
  if (!page.read(input.ptr, input.len, true)) return unsupported();
  objects.begin();
  const status = extract(page, objects);
  if (status == OK) objects.send();
  return status;
}

// ---- Terms in text ----

// @ts-ignore: decorator
@inline const MAX_WORDS: u32 = 8; // of a term
// @ts-ignore: decorator
@inline const MAX_BYTES: u32 = 64; // of a word
// @ts-ignore: decorator
@inline const FNV_OFFSET: u32 = 2166136261;
// @ts-ignore: decorator
@inline const FNV_PRIME: u32 = 16777619;

// The folded byte of a word, 1 where it goes on beyond ASCII, 0 between words.
const classes: usize = memory.data(256);
for (let i = 0; i < 256; i++) {
  store<u8>(classes + i, i >= 0x80 ? 1 : (i >= 0x30 && i <= 0x39) || (i >= 0x61 && i <= 0x7a) ? i : i >= 0x41 && i <= 0x5a ? i + 32 : 0);
}

// The word that nextWord found; empty after the last one.
let wordStart: usize = 0;
let wordEnd: usize = 0;
let wordHash: u32 = 0; // FNV-1a of the folded word

// The character that rune decoded.
let runeLength: u32 = 0;

function rune(p: usize, end: usize): u32 {
  const c = <u32>load<u8>(p);
  const n: u32 = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
  if (n == 1 || <u32>(end - p) < n) {
    runeLength = 1;
    return 0xfffd;
  }
  let v = c & (0x7f >> n);
  for (let i: u32 = 1; i < n; i++) v = (v << 6) | (load<u8>(p + i) & 0x3f);
  runeLength = n;
  return v;
}

/** Keeps the number of bytes; all that fold have two. */
function fold(r: u32): u32 {
  if ((r >= 0xc0 && r <= 0xde && r != 0xd7) || (r >= 0x391 && r <= 0x3a9) || (r >= 0x410 && r <= 0x42f)) return r + 0x20;
  return r >= 0x400 && r <= 0x40f ? r + 0x50 : r;
}

const folded: usize = memory.data(64);

/** Writes the folded character that is at p to the address. */
function foldRune(p: usize, end: usize, to: usize): u32 {
  const r = rune(p, end);
  const f = fold(r);
  if (f != r) {
    store<u8>(to, 0xc0 | (f >> 6));
    store<u8>(to + 1, 0x80 | (f & 0x3f));
  } else {
    for (let i: u32 = 0; i < runeLength; i++) store<u8>(to + i, load<u8>(p + i));
  }
  return r;
}

function nextWord(p: usize, end: usize): void {
  for (;;) {
    while (p < end && load<u8>(classes + load<u8>(p)) == 0) p++;
    wordStart = p;
    let hash = FNV_OFFSET;
    let c: u32 = 0;
    while (p < end) {
      c = load<u8>(classes + load<u8>(p));
      if (c <= 1) break;
      hash = (hash ^ c) * FNV_PRIME;
      p++;
    }
    wordEnd = p;
    wordHash = hash;
    if (p == end || c == 0) return;
    beyondASCII(end);
    if (wordEnd > wordStart) return;
    p = wordEnd; // after a separator beyond ASCII
  }
}

/**
 * Goes on with a word, perhaps still empty, where the next character is not of ASCII. Where
 * that is a separator an empty word begins and ends after it.
 */
function beyondASCII(end: usize): void {
  while (wordEnd < end) {
    const c: u32 = load<u8>(classes + load<u8>(wordEnd));
    if (c == 0) return;
    if (c > 1) {
      wordHash = (wordHash ^ c) * FNV_PRIME;
      wordEnd++;
      continue;
    }
    const r = foldRune(wordEnd, end, folded);
    if ((r >= 0x80 && r <= 0xbf) || (r >= 0x2000 && r <= 0x206f) || (r >= 0x3000 && r <= 0x303f)) {
      if (wordEnd == wordStart) {
        wordEnd += runeLength;
        wordStart = wordEnd;
      }
      return;
    }
    const alone = r >= 0x3040 && r <= 0x9fff;
    if (alone && wordEnd > wordStart) return;
    for (let i: u32 = 0; i < runeLength; i++) wordHash = (wordHash ^ load<u8>(folded + i)) * FNV_PRIME;
    wordEnd += runeLength;
    if (alone) return;
  }
}

/** Writes the folded word to the address. */
function foldWord(to: usize): void {
  for (let p = wordStart; p < wordEnd; ) {
    const b = load<u8>(p);
    let n: u32 = 1;
    if (b < 0x80) store<u8>(to, load<u8>(classes + b));
    else {
      foldRune(p, wordEnd, to);
      n = runeLength;
    }
    p += n;
    to += n;
  }
}

// Layout of a word of the vocabulary: hash, offset and length of its folded bytes, first
// and last term that ends with it (by offset, 0: none).
// @ts-ignore: decorator
@inline const WORD: u32 = 20;
// Layout of a term: weight, next term (by offset), number of words before the last, their
// ids, nearest first.
// @ts-ignore: decorator
@inline const TERM: u32 = 16 + 4 * MAX_WORDS;

const recent: usize = memory.data(4 * 8); // ids of the last words, a ring
const ids: usize = memory.data(4 * 8);

/**
 * Finds the terms of a topic in text.
 *
 * A word is a run of ASCII letters and digits and of characters beyond ASCII, less the
 * punctuation of U+0080 to U+00BF, U+2000 to U+206F and U+3000 to U+303F; an ideograph or
 * kana (U+3040 to U+9FFF) is a word of its own. Case is folded in ASCII, Latin-1, Greek
 * (U+0391 to U+03A9) and Cyrillic (U+0400 to U+042F). A term of several words matches
 * these words in this order. The SDKs of all languages follow this to the bit.
 */
export class Matcher {
  private slots: Buffer = new Buffer(); // ids by hash, open addressing; 0 is empty
  private mask: u32 = 0;
  private words: Buffer = new Buffer(); // by id; 0 is not used
  private letters: Buffer = new Buffer(); // folded words
  private terms: Buffer = new Buffer();

  /**
   * Learns the topic's terms in place of those before: negative terms count against it,
   * regular expressions are left out, a weight of zero is 1.
   */
  learn(topic: Topic): void {
    let count: u32 = 0;
    for (let i = 0; i < topic.termCount; i++) {
      const text = topic.term(i).text;
      const end = text.ptr + text.len;
      for (nextWord(text.ptr, end); wordEnd > wordStart; nextWord(wordEnd, end)) count++;
    }
    let size: u32 = 16;
    while (size < 4 * count) size *= 2;
    this.mask = size - 1;
    this.slots.zero(4 * size);
    this.words.zero(WORD);
    this.letters.clear();
    this.terms.zero(TERM);
    for (let i = 0; i < topic.termCount; i++) {
      const t = topic.term(i);
      if (t.flags & 4) continue;
      const weight: f64 = t.weight == 0 ? 1 : <f64>t.weight;
      this.add(t.text, t.flags & 2 && weight > 0 ? -weight : weight);
    }
  }

  private add(text: Text, weight: f64): void {
    const end = text.ptr + text.len;
    let n: u32 = 0;
    for (nextWord(text.ptr, end); wordEnd > wordStart; nextWord(wordEnd, end)) {
      const length = <u32>(wordEnd - wordStart);
      if (length > MAX_BYTES || n == MAX_WORDS) return;
      const slot = this.slot();
      if (load<u32>(slot) == 0) {
        store<u32>(slot, this.words.len / WORD);
        const word = this.words.room(WORD);
        this.words.len += WORD;
        store<u32>(word, wordHash);
        store<u32>(word, this.letters.len, 4);
        store<u32>(word, length, 8);
        store<u32>(word, 0, 12);
        store<u32>(word, 0, 16);
        foldWord(this.letters.room(length));
        this.letters.len += length;
      }
      store<u32>(ids + 4 * n++, load<u32>(slot));
    }
    if (n == 0 || isNaN(weight)) return;
    const offset = this.terms.len;
    const term = this.terms.room(TERM);
    this.terms.len += TERM;
    store<f64>(term, weight);
    store<u32>(term, 0, 8);
    store<u32>(term, n - 1, 12);
    for (let i: u32 = 0; i < n - 1; i++) store<u32>(term + 4 * i, load<u32>(ids + 4 * (n - 2 - i)), 16);
    const word = this.words.ptr + WORD * load<u32>(ids + 4 * (n - 1));
    const last = load<u32>(word, 16);
    if (last) store<u32>(this.terms.ptr + last, offset, 8);
    else store<u32>(word, offset, 12);
    store<u32>(word, offset, 16);
  }

  /** The place of the id of the word that nextWord found, or the empty one where it belongs. */
  private slot(): usize {
    const length = <u32>(wordEnd - wordStart);
    let at = wordHash;
    while (true) {
      at &= this.mask;
      const slot = this.slots.ptr + 4 * at;
      const id = load<u32>(slot);
      if (id == 0) return slot;
      const word = this.words.ptr + WORD * id;
      if (load<u32>(word) == wordHash && load<u32>(word, 8) == length) {
        foldWord(folded);
        if (memory.compare(folded, this.letters.ptr + load<u32>(word, 4), length) == 0) return slot;
      }
      at++;
    }
  }

  /**
   * The text's relevance, 0 to 1: h / (h + 1 + words/64), where h is the sum of the weights
   * of all matches, at least 0.
   */
  relevance(text: Text): f64 {
    if (this.slots.len == 0) return 0;
    const end = text.ptr + text.len;
    let h: f64 = 0;
    let words: u32 = 0;
    memory.fill(recent, 0, 4 * MAX_WORDS);
    for (nextWord(text.ptr, end); wordEnd > wordStart; nextWord(wordEnd, end)) {
      let id: u32 = 0;
      // Most words meet an empty place.
      if (load<u32>(this.slots.ptr + 4 * (wordHash & this.mask)) != 0 && <u32>(wordEnd - wordStart) <= MAX_BYTES) id = load<u32>(this.slot());
      if (id) {
        for (let t = load<u32>(this.words.ptr + WORD * id, 12); t; t = load<u32>(this.terms.ptr + t, 8)) {
          const term = this.terms.ptr + t;
          const before = load<u32>(term, 12);
          if (before > words) continue;
          let i: u32 = 0;
          while (i < before && load<u32>(recent + 4 * ((words - 1 - i) % MAX_WORDS)) == load<u32>(term + 4 * i, 16)) i++;
          if (i == before) h += load<f64>(term);
        }
      }
      store<u32>(recent + 4 * (words % MAX_WORDS), id);
      words++;
    }
    return h > 0 ? h / (h + 1 + <f64>words / 64) : 0;
  }

  /** The mean of the relevance of two texts, weighted by wa and wb. */
  density(a: Text, wa: f64, b: Text, wb: f64): f32 {
    return <f32>((wa * this.relevance(a) + wb * this.relevance(b)) / (wa + wb));
  }
}
