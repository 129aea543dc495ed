//! awarc.rs makes a plugin of ABI 1 of a Rust program: a scorer, an extractor or both.
//! It is the whole SDK: one module, no crates, Rust 1.63 or later.
//!
//! ```ignore
//! mod awarc;
//! use awarc::*;
//!
//! #[derive(Default)]
//! struct Birds(Matcher);
//!
//! impl Plugin for Birds {
//!     fn configure(&mut self, c: &Config) -> Answer {
//!         self.0 = Matcher::new(&c.topic);
//!         Ok(())
//!     }
//!
//!     fn score(&mut self, p: &Page, out: &mut Scores) -> Answer {
//!         out.doc = self.0.density(p.title, 3.0, &p.text(), 1.0);
//!         for (i, l) in p.links.iter().enumerate() {
//!             out.link(i, self.0.density(l.anchor, 2.0, l.context, 1.0));
//!         }
//!         Ok(())
//!     }
//! }
//!
//! plugin!(Birds: scorer);
//! ```
//!
//! ```text
//! rustc --edition 2021 --crate-type cdylib --target wasm32-unknown-unknown -O -C panic=abort -C strip=debuginfo -o birds.wasm birds.rs
//! awarc plugin pack birds.wasm plugin.json
//! ```
//!
//! A page and a configuration are views of the request: what is kept must be copied.
//! A panic is a trap: the host drops the answer and the instance. What it says is in the log.
#![allow(dead_code)] // a plugin uses some of it

use std::borrow::Cow;
use std::str::from_utf8;

/// What a plugin does. A plugin of one kind implements the function of that kind.
pub trait Plugin: Default {
    /// Called once before the first page, and again when the topic changes.
    fn configure(&mut self, _config: &Config) -> Answer {
        Ok(())
    }
    fn score(&mut self, _page: &Page, _out: &mut Scores) -> Answer {
        Err(Stop::NoOpinion)
    }
    fn extract(&mut self, _page: &Page, _out: &mut Objects) -> Answer {
        Err(Stop::NoOpinion)
    }
}

pub type Answer = Result<(), Stop>;

/// How a call ends that gives no answer.
pub enum Stop {
    /// The plugin has nothing to say about the page.
    NoOpinion,
    /// The plugin failed, and says why: `Err("no such host".into())`.
    Failed(String),
    /// The request is malformed.
    Unsupported,
}

impl From<&str> for Stop {
    fn from(message: &str) -> Stop {
        Stop::Failed(message.to_string())
    }
}

/// What the host passes to an instance before the first page.
#[derive(Default)]
pub struct Config<'a> {
    pub topic: Topic<'a>,
    /// The plugin's own configuration as the user wrote it.
    pub raw: &'a [u8],
    /// The host replays: equal pages must give equal answers.
    pub deterministic: bool,
    pub crawl_id: &'a str,
    pub seed: u64,
    pub abi_minor: u32,
}

/// What the crawl looks for.
#[derive(Default)]
pub struct Topic<'a> {
    pub name: &'a str,
    pub terms: Vec<Term<'a>>,
    pub seed_urls: Vec<&'a str>,
    pub params: Vec<(&'a str, &'a str)>,
    pub lang: &'a str,
}

#[derive(Default)]
pub struct Term<'a> {
    pub text: &'a str,
    pub weight: f32,
    /// PHRASE, NEGATIVE, REGEXP
    pub flags: u32,
}

pub const PHRASE: u32 = 1;
pub const NEGATIVE: u32 = 2;
pub const REGEXP: u32 = 4;

/// The page to score or to extract from. What the manifest's "needs" does not name is
/// empty, and so is what the other kind of request has.
#[derive(Default)]
pub struct Page<'a> {
    pub url: &'a str,
    pub title: &'a str,
    pub parts: Vec<Part<'a>>,
    pub links: Vec<Link<'a>>,
    pub lang: &'a str,
    pub content_type: &'a str,

    /// To score: hops from the seed.
    pub depth: u32,
    pub http_status: u32,
    pub parent_score: f32,
    pub truncated: bool,

    /// To extract from: the page's bytes, undecoded.
    pub html: &'a [u8],
    pub capture_unix: u64,
}

/// A run of text of one kind: 0 body, 1 heading, 2 meta, 3 navigation, 4 alternative
/// text, 5 list, 6 table, 7 code.
#[derive(Default)]
pub struct Part<'a> {
    pub kind: u32,
    pub text: &'a str,
}

#[derive(Default)]
pub struct Link<'a> {
    pub url: &'a str,
    pub anchor: &'a str,
    pub context: &'a str,
    /// NOFOLLOW, SAME_HOST, IMAGE, IN_NAVIGATION
    pub flags: u32,
}

pub const NOFOLLOW: u32 = 1;
pub const SAME_HOST: u32 = 2;
pub const IMAGE: u32 = 4;
pub const IN_NAVIGATION: u32 = 8;

impl<'a> Page<'a> {
    /// The text of all parts of the page, a line for each.
    pub fn text(&self) -> Cow<'a, str> {
        if let [only] = &self.parts[..] {
            return Cow::Borrowed(only.text);
        }
        let mut text = String::with_capacity(self.parts.iter().map(|p| p.text.len() + 1).sum());
        for (i, p) in self.parts.iter().enumerate() {
            if i > 0 {
                text.push('\n');
            }
            text.push_str(p.text);
        }
        Cow::Owned(text)
    }
}

// ---- The host ----

mod host {
    #[link(wasm_import_module = "awarc")]
    extern "C" {
        pub fn input_len() -> u32;
        pub fn input_read(off: u32, to: *mut u8, n: u32) -> u32;
        pub fn output_write(from: *const u8, n: u32) -> u32;
        pub fn error_set(from: *const u8, n: u32);
        pub fn log(level: i32, from: *const u8, n: u32);
    }
}

/// Levels of log lines.
pub const DEBUG: i32 = 0;
pub const INFO: i32 = 1;
pub const WARN: i32 = 2;
pub const ERROR: i32 = 3;

/// Writes a line. The host takes a few lines a call and drops the rest.
pub fn log(level: i32, line: &str) {
    unsafe { host::log(level, line.as_ptr(), line.len() as u32) }
}

/// Exports the plugin: `plugin!(Birds: scorer)`, `plugin!(Birds: extractor)` or
/// `plugin!(Birds: scorer, extractor)`.
#[macro_export]
macro_rules! plugin {
    ($type:ty: $($kind:ident),+) => {
        static mut AWARC_PLUGIN: Option<$type> = None;

        // An instance works on one page at a time, in one thread.
        fn awarc_plugin() -> &'static mut $type {
            unsafe { (*std::ptr::addr_of_mut!(AWARC_PLUGIN)).get_or_insert_with(Default::default) }
        }

        #[no_mangle]
        pub extern "C" fn awarc_abi_1() {}

        #[no_mangle]
        pub extern "C" fn awarc_configure() -> i32 {
            awarc::serve(|input| awarc_plugin().configure(&awarc::read_config(input)?))
        }

        $(plugin!(@ $kind);)+
    };
    (@ scorer) => {
        #[no_mangle]
        pub extern "C" fn awarc_score() -> i32 {
            awarc::serve(|input| {
                let page = awarc::read_page(input, false)?;
                let mut out = awarc::Scores::new(page.links.len());
                awarc_plugin().score(&page, &mut out)?;
                awarc::send(&out.encode());
                Ok(())
            })
        }
    };
    (@ extractor) => {
        #[no_mangle]
        pub extern "C" fn awarc_extract() -> i32 {
            awarc::serve(|input| {
                let page = awarc::read_page(input, true)?;
                let mut out = awarc::Objects::default();
                awarc_plugin().extract(&page, &mut out)?;
                awarc::send(&out.encode());
                Ok(())
            })
        }
    };
}

/// Runs an export; the macro `plugin` calls it.
pub fn serve(handler: impl FnOnce(&[u8]) -> Answer) -> i32 {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|p| log(ERROR, &p.to_string()))));
    let mut input = vec![0; unsafe { host::input_len() } as usize];
    unsafe { host::input_read(0, input.as_mut_ptr(), input.len() as u32) };
    let (status, message) = match handler(&input) {
        Ok(()) => return 0,
        Err(Stop::NoOpinion) => return 1,
        Err(Stop::Failed(message)) => (2, message),
        Err(Stop::Unsupported) => (3, "the request is malformed".to_string()),
    };
    unsafe { host::error_set(message.as_ptr(), message.len() as u32) };
    status
}

pub fn send(response: &[u8]) {
    unsafe { host::output_write(response.as_ptr(), response.len() as u32) };
}

// ---- Protobuf, reading ----

/// A field of a message: number and value, a number as it is encoded or the content of a
/// string or an embedded message.
pub struct Field<'a> {
    pub number: u64,
    pub value: u64,
    pub bytes: &'a [u8],
}

impl<'a> Field<'a> {
    fn float(&self) -> f32 {
        f32::from_bits(self.value as u32)
    }
    fn str(&self) -> Result<&'a str, Stop> {
        from_utf8(self.bytes).map_err(|_| Stop::Unsupported)
    }
}

/// The fields of a message, for `while let Some(f) = next(&mut rest)?`.
pub fn next<'a>(rest: &mut &'a [u8]) -> Result<Option<Field<'a>>, Stop> {
    if rest.is_empty() {
        return Ok(None);
    }
    let tag = varint(rest)?;
    let mut f = Field { number: tag >> 3, value: 0, bytes: &[] };
    match tag & 7 {
        0 => f.value = varint(rest)?,
        1 => f.value = u64::from_le_bytes(take(rest, 8)?.try_into().map_err(|_| Stop::Unsupported)?),
        2 => {
            let n = varint(rest)?;
            f.bytes = take(rest, n)?;
        }
        5 => f.value = u32::from_le_bytes(take(rest, 4)?.try_into().map_err(|_| Stop::Unsupported)?) as u64,
        _ => return Err(Stop::Unsupported),
    }
    Ok(Some(f))
}

fn take<'a>(rest: &mut &'a [u8], n: u64) -> Result<&'a [u8], Stop> {
    if n > rest.len() as u64 {
        return Err(Stop::Unsupported);
    }
    let (taken, after) = rest.split_at(n as usize);
    *rest = after;
    Ok(taken)
}

fn varint(rest: &mut &[u8]) -> Result<u64, Stop> {
    let mut v = 0;
    for shift in (0..64).step_by(7) {
        let c = take(rest, 1)?[0];
        v |= u64::from(c & 0x7f) << shift;
        if c < 0x80 {
            return Ok(v);
        }
    }
    Err(Stop::Unsupported)
}

pub fn read_config(mut rest: &[u8]) -> Result<Config, Stop> {
    let mut c = Config::default();
    while let Some(f) = next(&mut rest)? {
        match f.number {
            1 => c.abi_minor = f.value as u32,
            2 => c.topic = read_topic(f.bytes)?,
            3 => c.raw = f.bytes,
            4 => c.deterministic = f.value != 0,
            5 => c.crawl_id = f.str()?,
            6 => c.seed = f.value,
            _ => {}
        }
    }
    Ok(c)
}

fn read_topic(mut rest: &[u8]) -> Result<Topic, Stop> {
    let mut t = Topic::default();
    while let Some(f) = next(&mut rest)? {
        match f.number {
            1 => t.name = f.str()?,
            2 => t.terms.push(read_term(f.bytes)?),
            3 => t.seed_urls.push(f.str()?),
            4 => t.params.push(read_param(f.bytes)?),
            5 => t.lang = f.str()?,
            _ => {}
        }
    }
    Ok(t)
}

fn read_term(mut rest: &[u8]) -> Result<Term, Stop> {
    let mut t = Term::default();
    while let Some(f) = next(&mut rest)? {
        match f.number {
            1 => t.text = f.str()?,
            2 => t.weight = f.float(),
            3 => t.flags = f.value as u32,
            _ => {}
        }
    }
    Ok(t)
}

fn read_param(mut rest: &[u8]) -> Result<(&str, &str), Stop> {
    let mut p = ("", "");
    while let Some(f) = next(&mut rest)? {
        match f.number {
            1 => p.0 = f.str()?,
            2 => p.1 = f.str()?,
            _ => {}
        }
    }
    Ok(p)
}

pub fn read_page(mut rest: &[u8], extract: bool) -> Result<Page, Stop> {
    let mut p = Page::default();
    while let Some(f) = next(&mut rest)? {
        match (f.number, extract) {
            (1, _) => p.url = f.str()?,
            (2, _) => p.title = f.str()?,
            (3, _) => p.parts.push(read_part(f.bytes)?),
            (4, _) => p.links.push(read_link(f.bytes)?),
            (5, _) => p.lang = f.str()?,
            (6, false) => p.depth = f.value as u32,
            (7, false) => p.http_status = f.value as u32,
            (8, false) | (6, true) => p.content_type = f.str()?,
            (9, false) => p.parent_score = f.float(),
            (10, false) => p.truncated = f.value != 0,
            (7, true) => p.html = f.bytes,
            (8, true) => p.capture_unix = f.value,
            _ => {}
        }
    }
    Ok(p)
}

fn read_part(mut rest: &[u8]) -> Result<Part, Stop> {
    let mut p = Part::default();
    while let Some(f) = next(&mut rest)? {
        match f.number {
            1 => p.kind = f.value as u32,
            2 => p.text = f.str()?,
            _ => {}
        }
    }
    Ok(p)
}

fn read_link(mut rest: &[u8]) -> Result<Link, Stop> {
    let mut l = Link::default();
    while let Some(f) = next(&mut rest)? {
        match f.number {
            1 => l.url = f.str()?,
            2 => l.anchor = f.str()?,
            3 => l.context = f.str()?,
            4 => l.flags = f.value as u32,
            _ => {}
        }
    }
    Ok(l)
}

// ---- Protobuf, writing ----

fn put_varint(b: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        b.push(v as u8 | 0x80);
        v >>= 7;
    }
    b.push(v as u8);
}

fn put_tag(b: &mut Vec<u8>, number: u64, wire: u64) {
    put_varint(b, number << 3 | wire);
}

fn put_bytes(b: &mut Vec<u8>, number: u64, s: &[u8]) {
    put_tag(b, number, 2);
    put_varint(b, s.len() as u64);
    b.extend_from_slice(s);
}

fn put_str(b: &mut Vec<u8>, number: u64, s: &str) {
    if !s.is_empty() {
        put_bytes(b, number, s.as_bytes());
    }
}

fn put_uint(b: &mut Vec<u8>, number: u64, v: u64) {
    if v != 0 {
        put_tag(b, number, 0);
        put_varint(b, v);
    }
}

fn put_float(b: &mut Vec<u8>, number: u64, v: f32) {
    put_tag(b, number, 5);
    b.extend_from_slice(&v.to_le_bytes());
}

// ---- Scorers ----

/// Takes the scores of a page, 0 to 1; what is outside is moved to the nearer end with a
/// warning in the log.
pub struct Scores {
    /// The page itself.
    pub doc: f32,
    /// One line for people.
    pub reason: String,
    count: usize,
    links: Vec<f32>,
    link_flags: Vec<u8>,
    doc_flags: u64,
}

const BLACKLIST_URL: u8 = 1;
const BLACKLIST_HOST: u8 = 2;
const NO_OPINION: u8 = 4;

impl Scores {
    pub fn new(links: usize) -> Scores {
        Scores { doc: 0.0, reason: String::new(), count: links, links: Vec::new(), link_flags: Vec::new(), doc_flags: 0 }
    }

    /// Allocates the links, none of them scored.
    fn open(&mut self) {
        if self.links.is_empty() {
            self.links = vec![0.0; self.count];
            self.link_flags = vec![NO_OPINION; self.count];
        }
    }

    /// Scores link i of the page. When no link is scored the host passes the page's score
    /// on to all; when some are, the plugin has no opinion on the others.
    pub fn link(&mut self, i: usize, score: f32) {
        self.open();
        self.links[i] = clamp(score);
        self.link_flags[i] &= !NO_OPINION;
    }

    /// Keeps link i out of the crawl for good; the manifest's "may" must list blacklist_url.
    pub fn blacklist_url(&mut self, i: usize) {
        self.open();
        self.link_flags[i] |= BLACKLIST_URL;
    }

    /// Keeps the host of link i out of the crawl for good; needs blacklist_host.
    pub fn blacklist_host(&mut self, i: usize) {
        self.open();
        self.link_flags[i] |= BLACKLIST_HOST;
    }

    /// Keeps this page out of the crawl for good; needs blacklist_url.
    pub fn blacklist_page(&mut self) {
        self.doc_flags |= BLACKLIST_URL as u64;
    }

    /// Says that the page itself was not scored, only its links.
    pub fn no_doc(&mut self) {
        self.doc_flags |= NO_OPINION as u64;
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut b = Vec::with_capacity(64 + 5 * self.links.len() + self.reason.len());
        put_float(&mut b, 1, clamp(self.doc));
        if !self.links.is_empty() {
            put_tag(&mut b, 2, 2);
            put_varint(&mut b, 4 * self.links.len() as u64);
            for v in &self.links {
                b.extend_from_slice(&v.to_le_bytes());
            }
            put_bytes(&mut b, 3, &self.link_flags);
        }
        put_uint(&mut b, 4, self.doc_flags);
        put_str(&mut b, 5, &self.reason);
        b
    }
}

fn clamp(v: f32) -> f32 {
    if (0.0..=1.0).contains(&v) {
        return v;
    }
    log(WARN, "a score is not in 0 to 1");
    if v > 1.0 {
        1.0
    } else {
        0.0
    }
}

// ---- Extractors ----

/// Takes what was found. The host uses a result whole or, when one of its parts breaks the
/// rules of the ABI, not at all.
#[derive(Default)]
pub struct Objects {
    objects: Vec<Object>,
    triples: Vec<u8>,
}

/// An object of the result; its methods add fields and return it.
pub struct Object {
    pub confidence: f32,
    body: Vec<u8>,
}

/// Bytes start to end of the text of a part of the page.
#[derive(Clone, Copy)]
pub struct Span {
    pub part: u32,
    pub start: u32,
    pub end: u32,
}

/// The object of a triple.
pub enum Node<'a> {
    Iri(&'a str),
    /// Text, datatype and language, of which one may be given.
    Literal(&'a str, &'a str, &'a str),
    Blank(&'a str),
}

impl Objects {
    /// Adds an object of a class, an absolute IRI or a prefixed name. Its id is an absolute
    /// IRI, or empty when the page gives none.
    pub fn object(&mut self, class: &str, id: &str) -> &mut Object {
        let mut body = Vec::new();
        put_str(&mut body, 1, class);
        put_str(&mut body, 2, id);
        self.objects.push(Object { confidence: 1.0, body });
        self.objects.last_mut().unwrap()
    }

    /// Adds a statement.
    pub fn triple(&mut self, s: &str, p: &str, o: Node, span: Option<Span>) {
        let mut b = Vec::new();
        put_str(&mut b, 1, s);
        put_str(&mut b, 2, p);
        match o {
            Node::Iri(iri) => put_str(&mut b, 3, iri),
            Node::Literal(text, datatype, lang) => {
                put_str(&mut b, 3, text);
                put_uint(&mut b, 4, 1);
                put_str(&mut b, 5, datatype);
                put_str(&mut b, 6, lang);
            }
            Node::Blank(label) => {
                put_str(&mut b, 3, label);
                put_uint(&mut b, 4, 2);
            }
        }
        put_float(&mut b, 7, 1.0);
        put_span(&mut b, 8, span);
        put_bytes(&mut self.triples, 2, &b);
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut b = Vec::new();
        for o in &self.objects {
            let mut body = o.body.clone();
            put_float(&mut body, 4, o.confidence);
            put_bytes(&mut b, 1, &body);
        }
        b.extend_from_slice(&self.triples);
        b
    }
}

fn put_span(b: &mut Vec<u8>, number: u64, span: Option<Span>) {
    if let Some(s) = span {
        let mut body = Vec::new();
        put_uint(&mut body, 1, s.part as u64);
        put_uint(&mut body, 2, s.start as u64);
        put_uint(&mut body, 3, s.end as u64);
        put_bytes(b, number, &body);
    }
}

impl Object {
    /// Adds a field whose value is written by put, and where it was found.
    fn add(&mut self, name: &str, span: Option<Span>, put: impl FnOnce(&mut Vec<u8>)) -> &mut Object {
        let mut field = Vec::new();
        put_str(&mut field, 1, name);
        put(&mut field);
        put_span(&mut field, 9, span);
        put_bytes(&mut self.body, 3, &field);
        self
    }

    /// Adds a text with its language (BCP 47, or empty).
    pub fn text(&mut self, name: &str, text: &str, lang: &str, span: Option<Span>) -> &mut Object {
        self.add(name, span, |b| {
            put_bytes(b, 2, text.as_bytes());
            put_str(b, 8, lang);
        })
    }

    /// Adds a reference, an absolute IRI.
    pub fn iri(&mut self, name: &str, iri: &str, span: Option<Span>) -> &mut Object {
        self.add(name, span, |b| put_bytes(b, 6, iri.as_bytes()))
    }

    /// Adds a time as RFC 3339 writes it.
    pub fn time(&mut self, name: &str, rfc3339: &str, span: Option<Span>) -> &mut Object {
        self.add(name, span, |b| put_bytes(b, 7, rfc3339.as_bytes()))
    }

    pub fn int(&mut self, name: &str, v: i64, span: Option<Span>) -> &mut Object {
        self.add(name, span, |b| {
            put_tag(b, 3, 0);
            put_varint(b, (v << 1 ^ v >> 63) as u64);
        })
    }

    /// Adds a finite number.
    pub fn float(&mut self, name: &str, v: f64, span: Option<Span>) -> &mut Object {
        self.add(name, span, |b| {
            put_tag(b, 4, 1);
            b.extend_from_slice(&v.to_le_bytes());
        })
    }

    pub fn bool(&mut self, name: &str, v: bool, span: Option<Span>) -> &mut Object {
        self.add(name, span, |b| {
            put_tag(b, 5, 0);
            b.push(v as u8);
        })
    }
}

// ---- Terms in text ----

/// Finds the terms of a topic in text.
///
/// A word is a run of ASCII letters and digits and of characters beyond ASCII, less the
/// punctuation of U+0080 to U+00BF, U+2000 to U+206F and U+3000 to U+303F; an ideograph
/// or kana (U+3040 to U+9FFF) is a word of its own. Case is folded in ASCII, Latin-1,
/// Greek (U+0391 to U+03A9) and Cyrillic (U+0400 to U+042F). A term of several words
/// matches these words in this order. The SDKs of all languages follow this to the bit.
#[derive(Default)]
pub struct Matcher {
    slots: Vec<(u32, u32)>, // hash and id, open addressing; id 0 is empty
    words: Vec<Vec<u8>>,    // folded, by id
    endings: Vec<Vec<Ending>>, // terms by the id of their last word
}

struct Ending {
    before: Vec<u32>, // ids of the words before the last, nearest first
    weight: f64,
}

const MAX_WORDS: usize = 8; // of a term
const MAX_BYTES: usize = 64; // of a word
const FNV_PRIME: u32 = 16777619;

/// The folded byte of a word, 1 where it goes on beyond ASCII, 0 between words.
static CLASSES: [u8; 256] = {
    let mut c = [0; 256];
    let mut i = 0;
    while i < 256 {
        c[i] = match i as u8 {
            b @ (b'0'..=b'9' | b'a'..=b'z') => b,
            b @ b'A'..=b'Z' => b + 32,
            0x80.. => 1,
            _ => 0,
        };
        i += 1;
    }
    c
};

/// Start, end and FNV-1a of the folded bytes of a word; empty after the last one.
struct Word {
    start: usize,
    end: usize,
    hash: u32,
}

fn fold(c: char) -> char {
    let r = c as u32;
    let folded = match r {
        0xd7 => r,
        0xc0..=0xde | 0x391..=0x3a9 | 0x410..=0x42f => r + 0x20,
        0x400..=0x40f => r + 0x50,
        _ => r,
    };
    char::from_u32(folded).unwrap_or(c)
}

#[inline(always)]
fn word_from(text: &str, mut p: usize) -> Word {
    let bytes = text.as_bytes();
    loop {
        while p < bytes.len() && CLASSES[bytes[p] as usize] == 0 {
            p += 1;
        }
        let (start, mut hash) = (p, 2166136261);
        let mut class = 0;
        while p < bytes.len() {
            class = CLASSES[bytes[p] as usize];
            if class <= 1 {
                break;
            }
            hash = (hash ^ class as u32).wrapping_mul(FNV_PRIME);
            p += 1;
        }
        let word = Word { start, end: p, hash };
        if p == bytes.len() || class == 0 {
            return word;
        }
        let word = beyond_ascii(text, word);
        if word.end > word.start {
            return word;
        }
        p = word.end; // after a separator beyond ASCII
    }
}

/// Goes on with a word, perhaps still empty, where the next character is not of ASCII. Where
/// that is a separator an empty word begins and ends after it.
#[inline(never)]
fn beyond_ascii(text: &str, mut w: Word) -> Word {
    for c in text[w.end..].chars() {
        if c.is_ascii() {
            let class = CLASSES[c as usize];
            if class == 0 {
                break;
            }
            w.hash = (w.hash ^ class as u32).wrapping_mul(FNV_PRIME);
            w.end += 1;
            continue;
        }
        if matches!(c as u32, 0x80..=0xbf | 0x2000..=0x206f | 0x3000..=0x303f) {
            if w.end == w.start {
                w.end += c.len_utf8();
                w.start = w.end;
            }
            break;
        }
        let alone = matches!(c as u32, 0x3040..=0x9fff);
        if alone && w.end > w.start {
            break;
        }
        for b in fold(c).encode_utf8(&mut [0; 4]).bytes() {
            w.hash = (w.hash ^ b as u32).wrapping_mul(FNV_PRIME);
        }
        w.end += c.len_utf8();
        if alone {
            break;
        }
    }
    w
}

/// Reports whether the word folds to the bytes.
fn folds_to(word: &str, folded: &[u8]) -> bool {
    if word.len() != folded.len() {
        return false;
    }
    let mut at = 0;
    word.chars().all(|c| {
        let from = at;
        at += c.len_utf8();
        if c.is_ascii() {
            return folded[from] == CLASSES[c as usize];
        }
        folded[from..at] == *fold(c).encode_utf8(&mut [0; 4]).as_bytes()
    })
}

impl Matcher {
    /// Makes a matcher of the topic's terms: negative terms count against it, regular
    /// expressions are left out, a weight of zero is 1.
    pub fn new(topic: &Topic) -> Matcher {
        let mut count = 0;
        for t in &topic.terms {
            let mut w = word_from(t.text, 0);
            while w.end > w.start {
                count += 1;
                w = word_from(t.text, w.end);
            }
        }
        let mut size = 16;
        while size < 4 * count {
            size *= 2;
        }
        let mut m = Matcher { slots: vec![(0, 0); size], words: vec![Vec::new()], endings: vec![Vec::new()] };
        for t in topic.terms.iter().filter(|t| t.flags & REGEXP == 0) {
            let weight = if t.weight == 0.0 { 1.0 } else { t.weight as f64 };
            m.add(t.text, if t.flags & NEGATIVE != 0 && weight > 0.0 { -weight } else { weight });
        }
        m
    }

    fn add(&mut self, text: &str, weight: f64) {
        let mut ids = Vec::new();
        let mut w = word_from(text, 0);
        while w.end > w.start {
            if w.end - w.start > MAX_BYTES || ids.len() == MAX_WORDS {
                return;
            }
            let word = &text[w.start..w.end];
            let slot = self.slot(w.hash, word);
            if self.slots[slot].1 == 0 {
                self.slots[slot] = (w.hash, self.words.len() as u32);
                let folded: String = word.chars().map(|c| if c.is_ascii() { c.to_ascii_lowercase() } else { fold(c) }).collect();
                self.words.push(folded.into_bytes());
                self.endings.push(Vec::new());
            }
            ids.push(self.slots[slot].1);
            w = word_from(text, w.end);
        }
        if let (Some(last), false) = (ids.pop(), weight.is_nan()) {
            ids.reverse();
            self.endings[last as usize].push(Ending { before: ids, weight });
        }
    }

    /// The place of the word, or the empty one where it belongs.
    fn slot(&self, hash: u32, word: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (h, id) = self.slots[at];
            if id == 0 || h == hash && folds_to(word, &self.words[id as usize]) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The text's relevance, 0 to 1: h / (h + 1 + words/64), where h is the sum of the
    /// weights of all matches, at least 0.
    pub fn relevance(&self, text: &str) -> f64 {
        if self.slots.is_empty() {
            return 0.0;
        }
        let (mask, mut h, mut words) = (self.slots.len() - 1, 0.0, 0);
        let mut recent = [0; MAX_WORDS]; // ids of the last words, a ring
        let mut w = word_from(text, 0);
        while w.end > w.start {
            let mut id = 0;
            if self.slots[w.hash as usize & mask].1 != 0 && w.end - w.start <= MAX_BYTES {
                id = self.slots[self.slot(w.hash, &text[w.start..w.end])].1;
                for t in &self.endings[id as usize] {
                    if t.before.len() <= words && t.before.iter().enumerate().all(|(i, b)| recent[(words - 1 - i) % MAX_WORDS] == *b) {
                        h += t.weight;
                    }
                }
            }
            recent[words % MAX_WORDS] = id;
            words += 1;
            w = word_from(text, w.end);
        }
        if h > 0.0 {
            h / (h + 1.0 + words as f64 / 64.0)
        } else {
            0.0
        }
    }

    /// The mean of the relevance of two texts, weighted by wa and wb.
    pub fn density(&self, a: &str, wa: f64, b: &str, wb: f64) -> f32 {
        ((wa * self.relevance(a) + wb * self.relevance(b)) / (wa + wb)) as f32
    }
}
