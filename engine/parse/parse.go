package parse

import (
	"bytes"

	"golang.org/x/net/html"
)

// What one page may have as a tree.
const (
	// maxUnits bounds nodes and attributes together; each takes about 110 bytes besides its text.
	maxUnits = 650_000
	// maxText bounds the text of which a tree is made, in bytes: nodes, and what is read of them, hold it again.
	maxText = 8 << 20
	// maxCopies bounds what html.Parse copies beyond what the page itself has, in the same units.
	maxCopies = 300_000
	// harmless is the size in bytes below which nothing can be copied often enough to matter.
	harmless = 2 << 10
)

// Tree is a page as a tree.
type Tree struct {
	Root *html.Node // a document node
	// End is how many bytes of the page the tree holds: all of them but where it is too big.
	End int
	// Cut reports whether the tree lacks nodes or attributes of what is before End.
	Cut bool
}

// HTML makes the tree of a page, which is UTF-8. It takes every page. Scripts are not run:
// what <noscript> holds is part of the page.
func HTML(text []byte) Tree {
	t := Tree{End: len(text)}
	if len(text) > harmless && !harmlessAtAGlance(text) {
		var safe bool
		if t.End, safe = appraise(text); !safe {
			return plain(text)
		}
	}
	root, err := html.ParseWithOptions(bytes.NewReader(text[:t.End]), html.ParseOptionEnableScripting(false))
	if err != nil {
		return plain(text) // nested too deep
	}
	t.Root = root
	return t
}
