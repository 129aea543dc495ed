// Package xpath reads and prints the small XPath language in which awarc's
// patterns are written: the fragment of figure 2 of Faheem and Senellart,
// "Intelligent and adaptive crawling of Web applications for Web archiving",
// with a few additions.
//
// # The language
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
// A position cannot be negated. XPath reads not(1) as not(true()), which is
// never what its author meant, so that Parse refuses it.
//
// # Terminology
//
//   - Expression ([Expr]): a parsed path.
//   - Step ([Step]): an [Axis], a test and predicates.
//   - Test ([Test]): which nodes a step or a value names.
//   - Predicate ([Pred]): what else must hold of such a node. Integer and
//     last() are positional predicates, the others are conditions.
//   - Value: the nodes whose string-value a condition looks at.
//
// An expression is plain data: package relax rewrites it and prints the
// result with [Expr.String], which [Parse] reads back to an equal one.
package xpath
