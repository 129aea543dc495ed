package engine

import (
	"net/url"
	"strings"
	"sync"

	"github.com/awarc/awarc/kb"
)

// maxNear bounds the memory of types by path prefix.
const maxNear = 100_000

// nearTypes remembers which type was last seen under a path prefix. A type is a
// property of a page and its prefix, never of a host: a blog, a forum and a wiki
// may share one.
type nearTypes struct {
	mu    sync.Mutex
	known map[string]kb.TypeID // by host and folder, with a slash at the end
}

func folder(u *url.URL) string { return u.Host + u.Path[:strings.LastIndexByte(u.Path, '/')+1] }

func (n *nearTypes) learn(u *url.URL, t kb.TypeID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil || len(n.known) >= maxNear {
		n.known = map[string]kb.TypeID{}
	}
	n.known[folder(u)] = t
}

// find returns the type seen last in the nearest folder at or above u, or "".
func (n *nearTypes) find(u *url.URL) kb.TypeID {
	n.mu.Lock()
	defer n.mu.Unlock()
	for f := folder(u); f != ""; {
		if t := n.known[f]; t != "" {
			return t
		}
		cut := strings.LastIndexByte(strings.TrimSuffix(f, "/"), '/')
		if cut < 0 {
			return ""
		}
		f = f[:cut+1]
	}
	return ""
}
