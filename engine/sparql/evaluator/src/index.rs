//! The index of the host as a dataset of the evaluator. A term is its number there, 0 no term; what a query computes and the
//! index does not hold gets a number of this module.

use oxrdf::{BlankNode, Literal, NamedNode, Term};
use rustc_hash::FxHashMap;
use spareval::{InternalQuad, QueryableDataset};
use std::cell::RefCell;
use std::fmt;

/// A quad as the host writes it.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Quad {
    subject: u32,
    predicate: u32,
    object: u32,
    graph: u32,
}

/// What a scan is of.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Graphs {
    Named = 0,   // all quads of named graphs
    Default = 1, // the triples of the default graph
    One = 2,     // the quads of one named graph
    Names = 3,   // the names of graphs, each once
}

mod host {
    #[link(wasm_import_module = "index")]
    extern "C" {
        /// Begins a scan and gives its first quads: their number, and above it the cursor, or 0 where these are all.
        pub fn scan(s: u32, p: u32, o: u32, g: u32, graphs: u32, at: *mut super::Quad, room: u32) -> u64;
        /// Gives further quads; fewer than there is room for are the last, after which the cursor is closed.
        pub fn next(cursor: u32, at: *mut super::Quad, room: u32) -> u32;
        pub fn close(cursor: u32);
        /// Gives the number of a term, or 0.
        pub fn number(term: *const u8, len: usize) -> u32;
        /// Writes a term, where there is room for it, and gives its length.
        pub fn term(number: u32, at: *mut u8, room: usize) -> usize;
        pub fn out_of_memory() -> !;
        /// Comes back where the query may go on.
        pub fn go_on();
    }
}

pub fn out_of_memory() -> ! {
    unsafe { host::out_of_memory() }
}

pub fn go_on() {
    unsafe { host::go_on() }
}

/// Set in the numbers of this module.
const OURS: u32 = 1 << 31;

pub struct Index {
    terms: RefCell<Terms>,
}

#[derive(Default)]
struct Terms {
    numbers: FxHashMap<Term, u32>, // those that were asked for
    ours: Vec<Term>,
    text: Vec<u8>, // a term on its way from or to the host
}

impl Index {
    pub fn new() -> Self {
        Self { terms: RefCell::default() }
    }
}

/// The index holds something that is no term.
#[derive(Debug)]
pub struct NoTerm(u32);

impl fmt::Display for NoTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the index has no term {}", self.0)
    }
}

impl std::error::Error for NoTerm {}

impl QueryableDataset<'static> for Index {
    type InternalTerm = u32;
    type Error = NoTerm;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&u32>,
        predicate: Option<&u32>,
        object: Option<&u32>,
        graph: Option<Option<&u32>>,
    ) -> impl Iterator<Item = Result<InternalQuad<u32>, NoTerm>> + use<> {
        let (graphs, g) = match graph {
            None => (Graphs::Named, 0),
            Some(None) => (Graphs::Default, 0),
            Some(Some(g)) => (Graphs::One, *g),
        };
        let of = |term: Option<&u32>| term.copied().unwrap_or(0);
        Scan::new(of(subject), of(predicate), of(object), g, graphs).map(|q| {
            Ok(InternalQuad {
                subject: q.subject,
                predicate: q.predicate,
                object: q.object,
                graph_name: (q.graph != 0).then_some(q.graph),
            })
        })
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<u32, NoTerm>> + use<> {
        Scan::new(0, 0, 0, 0, Graphs::Names).map(|q| Ok(q.graph))
    }

    fn internalize_term(&self, term: Term) -> Result<u32, NoTerm> {
        let terms = &mut *self.terms.borrow_mut();
        if let Some(number) = terms.numbers.get(&term) {
            return Ok(*number);
        }
        terms.text.clear();
        encode(&term, &mut terms.text);
        let mut number = unsafe { host::number(terms.text.as_ptr(), terms.text.len()) };
        if number == 0 {
            number = OURS | terms.ours.len() as u32;
            terms.ours.push(term.clone());
        }
        terms.numbers.insert(term, number);
        Ok(number)
    }

    fn externalize_term(&self, number: u32) -> Result<Term, NoTerm> {
        let terms = &mut *self.terms.borrow_mut();
        if number & OURS != 0 {
            return terms.ours.get((number & !OURS) as usize).cloned().ok_or(NoTerm(number));
        }
        loop {
            let room = terms.text.capacity();
            let len = unsafe { host::term(number, terms.text.as_mut_ptr(), room) };
            if len <= room {
                unsafe { terms.text.set_len(len) };
                return decode(&terms.text).ok_or(NoTerm(number));
            }
            terms.text.clear();
            terms.text.reserve(len);
        }
    }
}

/// The quads of a pattern, some at a time.
struct Scan {
    quads: Vec<Quad>,
    at: usize,
    cursor: u32,
}

const FIRST: usize = 16; // quads of a scan that are asked for at first
const MOST: usize = 1024;

impl Scan {
    fn new(s: u32, p: u32, o: u32, g: u32, graphs: Graphs) -> Self {
        let mut scan = Scan { quads: Vec::new(), at: 0, cursor: 0 };
        if (s | p | o | g) & OURS != 0 {
            return scan; // in no quad
        }
        scan.quads.reserve_exact(FIRST);
        unsafe {
            let got = host::scan(s, p, o, g, graphs as u32, scan.quads.as_mut_ptr(), FIRST as u32);
            scan.quads.set_len(got as u32 as usize);
            scan.cursor = (got >> 32) as u32;
        }
        scan
    }

    fn fill(&mut self) {
        let room = (self.quads.len() * 8).min(MOST);
        self.at = 0;
        self.quads.clear();
        self.quads.reserve_exact(room);
        unsafe {
            let got = host::next(self.cursor, self.quads.as_mut_ptr(), room as u32) as usize;
            self.quads.set_len(got);
            if got < room {
                self.cursor = 0;
            }
        }
    }
}

impl Iterator for Scan {
    type Item = Quad;

    fn next(&mut self) -> Option<Quad> {
        if self.at == self.quads.len() && self.cursor != 0 {
            self.fill();
        }
        let quad = self.quads.get(self.at).copied();
        self.at += 1;
        quad
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        if self.cursor != 0 {
            unsafe { host::close(self.cursor) }
        }
    }
}

const STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// Writes a term as the host has it: a letter for its kind, then its text; before that of a literal its language or datatype
/// and a zero byte, where it has one.
fn encode(term: &Term, text: &mut Vec<u8>) {
    let (kind, of, value) = match term {
        Term::NamedNode(n) => (b'I', None, n.as_str()),
        Term::BlankNode(n) => (b'B', None, n.as_str()),
        Term::Literal(l) => match (l.language(), l.datatype().as_str()) {
            (Some(language), _) => (b'L', Some(language), l.value()),
            (None, STRING) => (b'S', None, l.value()),
            (None, datatype) => (b'T', Some(datatype), l.value()),
        },
    };
    text.push(kind);
    if let Some(of) = of {
        text.extend_from_slice(of.as_bytes());
        text.push(0);
    }
    text.extend_from_slice(value.as_bytes());
}

fn decode(text: &[u8]) -> Option<Term> {
    let (kind, text) = text.split_first()?;
    let text = std::str::from_utf8(text).ok()?;
    Some(match kind {
        b'I' => NamedNode::new_unchecked(text).into(),
        b'B' => BlankNode::new_unchecked(text).into(),
        b'S' => Literal::new_simple_literal(text).into(),
        b'L' => {
            let (language, value) = text.split_once('\0')?;
            Literal::new_language_tagged_literal_unchecked(value, language).into()
        }
        b'T' => {
            let (datatype, value) = text.split_once('\0')?;
            Literal::new_typed_literal(value, NamedNode::new_unchecked(datatype)).into()
        }
        _ => return None,
    })
}
