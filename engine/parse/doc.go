// Package parse makes the tree of a page within a budget: step 4 in the life of one URL.
//
// # Two builders
//
// Browsers repair markup by copying: formatting that is left open is opened again in each
// block after it, so that a page of 1 MB can become a tree of 8 GB. [html.Parse] does as
// they do, has no bound, and refuses pages with more than 512 open elements. So a page is
// looked at before: [appraise] follows its tags, and adds up what could be copied. It
// errs on the safe side: only a tag that was closed where it was opened is taken as closed.
// A page within the budget is given to html.Parse and gets the tree of browsers. All others
// get a plain tree (plain.go): nothing is copied, what is nested too deep is flattened,
// and all texts, links and blocks are kept.
//
// # Bounds
//
// A tree is made of at most maxText bytes, and holds at most maxUnits of nodes and attributes and at most
// maxDepth open elements, a tag at most maxAttrs attributes and maxToken bytes, as comments and scripts do. [Tree.End]
// says where the tree ends, so that links can be read from what is behind it without one; [Tree.Cut] says that something is missing.
package parse
