package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/awarc/awarc/frontier"
)

// The kinds of hops from a seed, as Heritrix writes them.
const (
	hopLink         = 'L'
	hopEmbed        = 'E' // what a page needs to be shown
	hopRedirect     = 'R'
	hopPrerequisite = 'P' // robots.txt
	hopManifest     = 'M' // what robots.txt names as a sitemap
	hopInferred     = 'I' // what nobody names
	hopSpeculative  = 'X' // what only looks like an address
)

// hopsKept is how many hops a path names.
const hopsKept = 50

// hop is the path of hops from a seed to what the page of a lease leads to: of a long one the last hops, and before them how many
// there are more and a plus sign, as Heritrix writes it.
func (l leased) hop(kind byte) string {
	more, path := 0, l.Path
	if before, last, long := strings.Cut(path, "+"); long {
		more, _ = strconv.Atoi(before) // as it was written here
		path = last
	}
	path += string(kind)
	if n := len(path) - hopsKept; n > 0 {
		more, path = more+n, path[n:]
	}
	if more == 0 {
		return path
	}
	return fmt.Sprint(more, "+", path)
}

// embedded is how deep inside a page a lease is: how many hops there are from what one loads to what that loads.
func (l leased) embedded() (n int) {
	for i := len(l.Path) - 1; i >= 0 && (l.Path[i] == hopEmbed || l.Path[i] == hopRedirect); i-- {
		if l.Path[i] == hopEmbed {
			n++
		}
	}
	return n
}

// outlink names a link of a page, the kind of hop to it, and its context, which Heritrix has in more detail.
func outlink(u frontier.URL) string {
	if u.Path == "" {
		return u.URL
	}
	kind := u.Path[len(u.Path)-1]
	context := map[byte]string{
		hopLink: "=NAVLINK_MISC", hopEmbed: "=EMBED_MISC", hopRedirect: "Location:", hopPrerequisite: "=PREREQ_MISC",
		hopManifest: "=MANIFEST_MISC", hopInferred: "=INFERRED_MISC", hopSpeculative: "=SPECULATIVE_MISC",
	}[kind]
	return fmt.Sprintf("%s %c %s", u.URL, kind, context)
}
