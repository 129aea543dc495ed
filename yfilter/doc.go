// Package yfilter matches thousands of patterns against a page in one walk of
// its tree.
//
// # The idea
//
// A knowledge base holds many patterns, most of which say the same first
// things: there is a div, its class is such, below it is a link. Evaluating
// them one by one walks the page once for each. YFilter (Diao, Altinel,
// Franklin, Zhang and Fischer, "Path Sharing and Predicate Evaluation for
// High-Performance XML Filtering", ACM TODS 2003) turns the set of paths
// around: they become one automaton that reads the tree. Its input is the
// path from the root to the current node; a step is a transition, taken on an
// element that passes the step's test and predicates; "//" is a state that
// stays active below the element where it was reached. Paths with a common
// beginning share its states, so that the beginning is looked at once.
//
// The automaton is not deterministic: at one element many states are active.
// They are kept on a stack that grows when the walk enters an element and
// shrinks when it leaves, and looked up by tag, so that a node costs what is
// active there and not what the automaton holds.
//
// Predicates are evaluated inside the transition. That is possible because
// the page is a tree in memory, not a stream, and because of one property of
// the language: whether a node passes a step's predicates, positions included,
// depends on the node, its siblings and what is below them, never on how the
// walk came there. So predicates are shared like steps are, @name='literal' is
// a lookup and not a question to each, contains() is one reading of the value for
// all literals, and a position is found once for each parent.
//
// # A tour
//
// [Document] makes one tree of a page and what is known of its transfer: HTTP
// status, headers, cookies and the parts of the URL become elements beside
// html. A [Builder] takes expressions of package xpath and compiles them into
// an [NFA], which prints itself with its shared prefixes. [NFA.Run] reports
// every match, [NFA.RunFirst] of the first one of each pattern, and both stop
// when told to: detection needs no second witness.
//
// # Terminology
//
//   - Pattern: an expression in an automaton, known by its number.
//   - Match: a pattern and a node that it selects. The node may be an element,
//     a text or an attribute of an element.
//   - State: the steps of a pattern so far, reached at a node.
//   - Guard: a test and some of the predicates behind it; between two states.
//   - Plan: what is asked of every element with one tag, wherever it stands. Most
//     patterns begin so; their values are read first, and what is found in them
//     decides which guards are evaluated.
//   - Comparison: what predicates with one kind and literal test on a string, from any
//     source.
//   - Matcher: finds which of many comparisons hold for a string, in one reading.
//   - Answer: what a matcher found in a string of the page, for when it comes again.
//   - Near and open: the active states whose next step is a child, and those
//     whose next step is anywhere below.
//   - Place: what a positional predicate stands for below one parent.
//   - String-value: as in XPath, an attribute's value, a text, or all the text
//     below an element; comments do not count, scripts and styles do.
//
// # Names in HTML
//
// Elements and attributes are known by the names that package html gives
// them, and namespaces are not looked at, as in package htmlquery, so that an
// expression selects the same nodes here and there: "a" is a link of HTML or
// of SVG, @href is also xlink:href in SVG. The content of a template is below
// the template element like any other; what package html reads as text
// (scripts, noscript) is text.
//
// # What it costs
//
// About 300 bytes a pattern (BENCHMARKS.md), and a few bits a pattern for each
// walk that goes on at the same time. A walk allocates nothing once its runner has
// met a page of the kind.
//
// # What a hostile page can do
//
// The walk is not recursive, and time grows with the size of the page times
// the number of patterns that are active on it, also for deep trees, long
// attributes and conditions on the text of nested elements.
package yfilter
