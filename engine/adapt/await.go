package adapt

import (
	"slices"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// awaited reports whether a page of unknown level should wait for what others teach, though
// none has yet: its address tells that it is content. A topic of one post shows nothing by
// itself, and one with more may come later.
func awaited(p extract.Page) bool {
	a := p.Type.URLs.Level(p.URL)
	return a != nil && slices.ContainsFunc(p.Type.Level(a.Level),
		func(v *kb.Level) bool { return v.Kind == kb.Terminal && essentialContent(v) })
}

// essentialContent reports whether what a level is about lies in objects that repeat.
func essentialContent(v *kb.Level) bool {
	return slices.ContainsFunc(v.Objects, func(o *kb.Object) bool { return essentialObject(o) != nil })
}
