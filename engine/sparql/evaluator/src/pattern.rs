//! REGEX and REPLACE with a computed pattern. spareval compiles it for each row; here compiled patterns are kept.

use oxrdf::vocab::xsd;
use oxrdf::{Literal, NamedNode, Term};
use regex::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;
use spareval::QueryEvaluator;
use spargebra::algebra::{AggregateExpression, Expression, Function, GraphPattern, OrderExpression};
use spargebra::Query;
use std::cell::RefCell;

const MATCHES: &str = "urn:awarc:function:regex";
const REPLACED: &str = "urn:awarc:function:replace";

/// How many compiled patterns are kept; then all are dropped. A pattern has at most a megabyte.
const MOST: usize = 256;

thread_local! {
    static COMPILED: RefCell<FxHashMap<(String, String), Option<Regex>>> = RefCell::default();
}

/// Adds the functions that rewrite puts in the place of the built-in ones.
pub fn functions(evaluator: QueryEvaluator) -> QueryEvaluator {
    evaluator
        .with_custom_function(NamedNode::new_unchecked(MATCHES), |args| {
            let (text, pattern) = (string(args.first()?)?, simple(args.get(1)?)?);
            compiled(pattern, args.get(2), |regex| Literal::from(regex.is_match(text.value())).into())
        })
        .with_custom_function(NamedNode::new_unchecked(REPLACED), |args| {
            let (text, pattern) = (string(args.first()?)?, simple(args.get(1)?)?);
            let with = simple(args.get(2)?)?;
            compiled(pattern, args.get(3), |regex| {
                let value = regex.replace_all(text.value(), with);
                match text.language() {
                    Some(language) => Literal::new_language_tagged_literal_unchecked(value, language).into(),
                    None => Literal::new_simple_literal(value).into(),
                }
            })
        })
}

fn string(term: &Term) -> Option<&Literal> {
    match term {
        Term::Literal(l) if l.language().is_some() || l.datatype() == xsd::STRING => Some(l),
        _ => None,
    }
}

fn simple(term: &Term) -> Option<&str> {
    string(term).filter(|l| l.language().is_none()).map(Literal::value)
}

/// Calls use_it with a pattern that was compiled now or before.
fn compiled(pattern: &str, flags: Option<&Term>, use_it: impl Fn(&Regex) -> Term) -> Option<Term> {
    let flags = flags.map_or(Some(""), simple)?;
    COMPILED.with_borrow_mut(|all| {
        let key = (pattern.to_owned(), flags.to_owned());
        if all.len() >= MOST && !all.contains_key(&key) {
            all.clear();
        }
        all.entry(key).or_insert_with(|| compile(pattern, flags)).as_ref().map(use_it)
    })
}

/// As spareval compiles a pattern.
fn compile(pattern: &str, flags: &str) -> Option<Regex> {
    let escaped = if flags.contains('q') { regex::escape(pattern) } else { pattern.to_owned() };
    let mut builder = RegexBuilder::new(&escaped);
    builder.size_limit(1_000_000);
    for flag in flags.chars() {
        match flag {
            's' => builder.dot_matches_new_line(true),
            'm' => builder.multi_line(true),
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            'q' => &mut builder,
            _ => return None,
        };
    }
    builder.build().ok()
}

/// Puts the functions above in the place of REGEX and REPLACE with a computed pattern or computed flags.
pub fn rewrite(query: &mut Query) {
    match query {
        Query::Select { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. }
        | Query::Ask { pattern, .. } => patterns(pattern),
    }
}

fn patterns(p: &mut GraphPattern) {
    use GraphPattern::*;
    match p {
        Bgp { .. } | Path { .. } | Values { .. } => (),
        Join { left, right } | Lateral { left, right } | Union { left, right } | Minus { left, right } => {
            patterns(left);
            patterns(right);
        }
        LeftJoin { left, right, expression } => {
            patterns(left);
            patterns(right);
            expression.iter_mut().for_each(expressions);
        }
        Filter { expr, inner } | Extend { inner, expression: expr, .. } => {
            patterns(inner);
            expressions(expr);
        }
        OrderBy { inner, expression } => {
            patterns(inner);
            for OrderExpression::Asc(e) | OrderExpression::Desc(e) in expression {
                expressions(e);
            }
        }
        Group { inner, aggregates, .. } => {
            patterns(inner);
            for (_, aggregate) in aggregates {
                if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                    expressions(expr);
                }
            }
        }
        Graph { inner, .. }
        | Project { inner, .. }
        | Distinct { inner }
        | Reduced { inner }
        | Slice { inner, .. }
        | Service { inner, .. } => patterns(inner),
    }
}

fn expressions(e: &mut Expression) {
    use Expression::*;
    match e {
        NamedNode(_) | Literal(_) | Variable(_) | Bound(_) => (),
        Or(a, b) | And(a, b) | Equal(a, b) | SameTerm(a, b) | Greater(a, b) | GreaterOrEqual(a, b) | Less(a, b)
        | LessOrEqual(a, b) | Add(a, b) | Subtract(a, b) | Multiply(a, b) | Divide(a, b) => {
            expressions(a);
            expressions(b);
        }
        In(a, all) => {
            expressions(a);
            all.iter_mut().for_each(expressions);
        }
        UnaryPlus(a) | UnaryMinus(a) | Not(a) => expressions(a),
        Exists(p) => patterns(p),
        If(a, b, c) => [a, b, c].into_iter().for_each(|e| expressions(e)),
        Coalesce(all) => all.iter_mut().for_each(expressions),
        FunctionCall(function, all) => {
            all.iter_mut().for_each(expressions);
            let (name, flags) = match function {
                Function::Regex => (MATCHES, 2),
                Function::Replace => (REPLACED, 3),
                _ => return,
            };
            let constant = |i: usize| matches!(all.get(i), None | Some(Literal(_)));
            if !constant(1) || !constant(flags) {
                *function = Function::Custom(oxrdf::NamedNode::new_unchecked(name));
            }
        }
    }
}
