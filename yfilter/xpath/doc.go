// Package xpath reads, prints and evaluates the expressions of a knowledge base.
//
// Patterns are written in a small language: the fragment of figure 2 of Faheem and
// Senellart, "Intelligent and adaptive crawling of Web applications for Web
// archiving", with a few additions. [Parse] reads it, and package yfilter runs many
// patterns at once. Actions may use the rest of XPath 1.0 too: [ParseTree] reads it,
// and a [Query] runs it. The fragment is a part of it: [Fragment] gives the one as the
// other.
//
// # The fragment
//
// An expression is a path of steps that only go down:
//
//	div[contains(@class, 'post')]//a[starts-with(@href, './')]/@href
//
// "/" leads to a child (or to an attribute of the node itself), "//" to any
// depth. A leading "//" is implicit, so that the expression above finds its
// div anywhere; a leading "/" ties the first step to the root.
//
//	expr       = [ "/" | "//" ] step { ( "/" | "//" ) step }
//	step       = test { "[" predicate "]" }
//	test       = tag | "*" | "@" name | "@" "*" | "text()"
//	predicate  = integer | "last()" | condition
//	condition  = value | value "=" string
//	           | "contains(" value "," string ")"
//	           | "starts-with(" value "," string ")"
//	           | "not(" condition ")"
//	           | "." word
//	value      = tag | "@" name | "text()" | "."
//
// Nothing can follow an attribute or text(). White space is free between
// tokens. Names begin with a letter or "_" and go on with letters, digits,
// "_", "-", "." and ":"; a colon is part of the name, as in HTML's fb:like,
// and not a namespace prefix. A string stands in single or double quotes; the
// quote itself is doubled inside it, as in XPath 2.0, because XPath 1.0 has no
// way to write a string that contains both quotes:
//
//	a[@title='it''s "here"']
//
// # The meaning
//
// It is that of XPath 1.0 to the letter, which surprises in three places.
// "//" stands for /descendant-or-self::node()/, so that a position counts
// among siblings: //li[1] is each li that is the first li of its parent. "="
// is true when any of the nodes on its left has that string-value, whereas
// contains and starts-with look at the first one only. And the string-value
// of a missing node is the empty string, which begins with and contains the
// empty string: contains(@class, "") holds where there is no class.
//
// A point and a word, as in div[.post], is no XPath: it holds where the class attribute
// has that word, and stands for contains(concat(' ', normalize-space(@class), ' '), ' post ').
// A word is a letter or "_" and then letters, digits, "_" and "-"; "or", "and", "div"
// and "mod" are none.
//
// A position cannot be negated. XPath reads not(1) as not(true()), which is
// never what its author meant, so that Parse refuses it.
//
// # What of XPath 1.0 is read
//
// All but variables. A colon is part of a name here, too, and a quote is doubled in a
// string, and .word is a condition of its own ([Class]). A path that begins with a name, "*", "@" or a node test has an implicit leading
// "//", as have patterns; with an axis, "." or a bracket it has none. "/" is the node at
// which the evaluation starts, so that an expression stays inside its object.
//
// Evaluated here are all axes but namespace, predicates, unions, comparisons, "or", "and",
// "+" and "-", and the functions boolean, concat, contains, count, false, last,
// normalize-space, not, number, position, starts-with, string, string-length, substring,
// substring-after, substring-before, translate and true. What holds any other operator,
// function or node test is left to antchfx/xpath as a whole. An expression that is true or
// false yields nothing.
//
// # Terminology
//
//   - Tree ([Node]): an expression of XPath 1.0 as it is written, but for spaces and
//     quotes. What is learned from an expression is an edit of its tree ([Edit]).
//   - Query ([Query]): a tree that is ready to run. What it yields is a [Value]; what it may
//     do on a page is its [Work].
//   - Expression ([Expr]): a parsed path of the fragment.
//   - Step ([Step]): an [Axis], a test and predicates.
//   - Test ([Test]): which nodes a step or a value names.
//   - Predicate ([Pred]): what else must hold of such a node. Integer and
//     last() are positional predicates, the others are conditions.
//   - Value: the nodes whose string-value a condition looks at.
//
// Expressions and trees are plain data: package relax rewrites them. What
// [Expr.String] prints [Parse] reads back to an equal expression, and what a node's String
// prints ParseTree reads back to an equal tree.
package xpath
