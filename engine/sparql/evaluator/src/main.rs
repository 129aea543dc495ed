//! Evaluates one SPARQL query for package sparql: oxigraph's parser and evaluator over an index that the host keeps.
//!
//! The query is the standard input, the results are the standard output. Arguments are the format of solutions, that of
//! triples, and prefixes with their namespaces; an empty format refuses results of the kind. The program ends with status 0; or
//! with 1, 2 or 3 and a message on standard error: it failed, it is no query, or it asks for something that there is not.

mod index;
mod pattern;

use index::Index;
use oxjsonld::JsonLdSerializer;
use oxrdf::{GraphNameRef, Variable};
use oxttl::{TriGSerializer, TurtleSerializer};
use sparesults::{QueryResultsFormat, QueryResultsSerializer};
use spareval::{QueryEvaluationError, QueryEvaluator, QueryResults, QueryTripleIter};
use spargebra::SparqlParser;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Display;
use std::io::{stdin, stdout, BufWriter, Read, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How the program ends where it does not end well, with what it says.
struct Failure(u8, String);

const FAILED: u8 = 1;
const SYNTAX: u8 = 2;
const UNSUPPORTED: u8 = 3;

fn fail(e: impl Display) -> Failure {
    Failure(FAILED, e.to_string())
}

impl From<QueryEvaluationError> for Failure {
    fn from(e: QueryEvaluationError) -> Self {
        let status = match e {
            QueryEvaluationError::UnsupportedService(_)
            | QueryEvaluationError::UnsupportedCustomFunction(_)
            | QueryEvaluationError::UnsupportedCustomFunctionArity { .. } => UNSUPPORTED,
            _ => FAILED,
        };
        Failure(status, e.to_string())
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(status, message)) => {
            eprint!("{message}");
            ExitCode::from(status)
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut text = String::new();
    stdin().read_to_string(&mut text).map_err(fail)?;
    let mut args = std::env::args().skip(1);
    let (solutions, triples) = (args.next().unwrap_or_default(), args.next().unwrap_or_default());
    let mut parser = SparqlParser::new();
    let mut prefixes = Vec::new();
    while let (Some(prefix), Some(namespace)) = (args.next(), args.next()) {
        parser = parser.with_prefix(&prefix, &namespace).map_err(fail)?;
        prefixes.push((prefix, namespace));
    }
    let mut query = parser.parse_query(&text).map_err(|e| Failure(SYNTAX, e.to_string()))?;
    pattern::rewrite(&mut query);
    let results = pattern::functions(QueryEvaluator::new()).prepare(&query).execute(Index::new())?;
    print(results, &text, &solutions, &triples, prefixes)
}

/// Prefixes with their namespaces.
type Prefixes = Vec<(String, String)>;

/// Writes results as they come.
fn print(
    results: QueryResults<'_>,
    query: &str,
    solutions: &str,
    triples: &str,
    prefixes: Prefixes,
) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, stdout().lock());
    match results {
        QueryResults::Graph(graph) => print_triples(graph, &mut out, triples, prefixes)?,
        QueryResults::Boolean(value) => {
            let serializer = QueryResultsSerializer::from_format(results_format(solutions)?);
            serializer.serialize_boolean_to_writer(&mut out, value).map_err(fail)?;
        }
        QueryResults::Solutions(found) => {
            let serializer = QueryResultsSerializer::from_format(results_format(solutions)?);
            let mut rows = serializer
                .serialize_solutions_to_writer(&mut out, columns(found.variables(), query))
                .map_err(fail)?;
            for solution in found {
                rows.serialize(&solution?).map_err(fail)?;
            }
            rows.finish().map_err(fail)?;
        }
    }
    out.flush().map_err(fail)
}

/// Writes triples as they come.
fn print_triples(graph: QueryTripleIter<'_>, out: &mut impl Write, format: &str, prefixes: Prefixes) -> Result<(), Failure> {
    macro_rules! prefixed {
        ($serializer:expr) => {{
            let mut serializer = $serializer;
            for (prefix, namespace) in prefixes {
                serializer = serializer.with_prefix(prefix, namespace).map_err(fail)?;
            }
            serializer.for_writer(&mut *out)
        }};
    }
    match format {
        "nt" => {
            for triple in graph {
                writeln!(out, "{} .", triple?).map_err(fail)?;
            }
        }
        "turtle" => {
            let mut to = prefixed!(TurtleSerializer::new());
            for triple in graph {
                to.serialize_triple(&triple?).map_err(fail)?;
            }
            to.finish().map_err(fail)?;
        }
        "trig" => {
            let mut to = prefixed!(TriGSerializer::new());
            for triple in graph {
                to.serialize_quad(triple?.as_ref().in_graph(GraphNameRef::DefaultGraph)).map_err(fail)?;
            }
            to.finish().map_err(fail)?;
        }
        "jsonld" => {
            let mut to = prefixed!(JsonLdSerializer::new());
            for triple in graph {
                to.serialize_quad(triple?.as_ref().in_graph(GraphNameRef::DefaultGraph)).map_err(fail)?;
            }
            to.finish().map_err(fail)?;
        }
        _ => {
            let message = "CONSTRUCT and DESCRIBE give triples, which the formats nt, turtle, trig and jsonld are for";
            return Err(Failure(UNSUPPORTED, message.into()));
        }
    }
    Ok(())
}

/// Gives variables in the order of their columns. Those of SELECT * come sorted by their names; people expect them as they wrote
/// them.
fn columns(variables: &[Variable], query: &str) -> Vec<Variable> {
    let mut columns = variables.to_vec();
    if columns.is_sorted() && selects_all(query) {
        columns.sort_by_key(|v| first_mention(v.as_str(), query));
    }
    columns
}

fn selects_all(query: &str) -> bool {
    let words = query.to_ascii_uppercase().replace('*', " * ");
    let mut words = words.split_whitespace();
    while words.any(|w| w.ends_with("SELECT")) {
        match words.next() {
            Some("*") => return true,
            Some("DISTINCT" | "REDUCED") if words.next() == Some("*") => return true,
            _ => (),
        }
    }
    false
}

fn first_mention(name: &str, query: &str) -> usize {
    let mentions = |(at, _): &(usize, &str)| {
        let named = query[..*at].ends_with(['?', '$']);
        named && !query[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    query.match_indices(name).find(mentions).map_or(usize::MAX, |(at, _)| at)
}

fn results_format(name: &str) -> Result<QueryResultsFormat, Failure> {
    match name {
        "json" => Ok(QueryResultsFormat::Json),
        "csv" => Ok(QueryResultsFormat::Csv),
        "tsv" => Ok(QueryResultsFormat::Tsv),
        "xml" => Ok(QueryResultsFormat::Xml),
        _ => Err(Failure(UNSUPPORTED, "SELECT and ASK give solutions, which the formats json, xml, csv and tsv are for".into())),
    }
}

/// Memory of the system, whose end the host is told of: a trap would not say what it was. All that can go on and on in an
/// evaluator takes memory as it does, if only to give it back; so here the host is asked now and then whether to go on.
struct Memory {
    taken: AtomicU32, // times since the host was asked
}

/// How many times memory is taken before the host is asked again: a millisecond or so.
const ASK: u32 = 1 << 14;

unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.took(System.alloc(layout))
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.took(System.alloc_zeroed(layout))
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.took(System.realloc(at, layout, size))
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        System.dealloc(at, layout);
    }
}

impl Memory {
    fn took(&self, at: *mut u8) -> *mut u8 {
        if at.is_null() {
            index::out_of_memory();
        }
        let taken = self.taken.load(Relaxed) + 1;
        self.taken.store(taken % ASK, Relaxed); // there is one thread
        if taken == ASK {
            index::go_on();
        }
        at
    }
}

#[global_allocator]
static MEMORY: Memory = Memory { taken: AtomicU32::new(0) };
