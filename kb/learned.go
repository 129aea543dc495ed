package kb

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Provenance is why a learned try or pattern is there.
type Provenance struct {
	// Learned is the day on which it was confirmed, in UTC.
	Learned time.Time
	// From is the expression that it is a relaxation of.
	From string
	// Cost is that of the relaxation, see package relax; 0 or more.
	Cost int
	// Site is where it applies, as "host" or "host/path"; several are separated by
	// a space. Empty: everywhere.
	Site string
	// Pages is on how many pages it was confirmed.
	Pages int
	// Confidence is between 0 and 1.
	Confidence float64
	// Evidence says in words what spoke for it; may be empty.
	Evidence string
	// Accepted is set if an engineer made it permanent: Site then only records
	// where it was learned.
	Accepted bool
}

// trustedSites is on how many sites an entry must have been learned before it
// applies on all: a theme, not the whim of one site.
const trustedSites = 3

// Everywhere reports whether what was learned applies on all sites: an engineer
// accepted it, it was never limited, or three sites confirmed it.
func (p *Provenance) Everywhere() bool {
	sites := strings.Fields(p.Site)
	return p.Accepted || len(sites) == 0 || len(sites) >= trustedSites
}

// AppliesAt reports whether what was learned applies at an address, given as host
// and path.
func (p *Provenance) AppliesAt(address string) bool {
	return p.Everywhere() || slices.ContainsFunc(strings.Fields(p.Site), func(s string) bool { return OnSite(address, s) })
}

// AppliesTo reports whether a try may be used on the page of a URL.
func (t *Try) AppliesTo(page *url.URL) bool {
	return t.Learned == nil || t.Learned.AppliesAt(page.Host+page.Path)
}

// OnSite reports whether an address (host and path) lies on a site.
func OnSite(address, site string) bool {
	host, at, _ := strings.Cut(address, "/")
	siteHost, siteAt, _ := strings.Cut(strings.TrimSuffix(site, "/"), "/")
	rest, ok := strings.CutPrefix(at, siteAt)
	return strings.EqualFold(host, siteHost) && ok && (siteAt == "" || rest == "" || rest[0] == '/')
}

// Entry is one learned try, or pattern, at its place.
type Entry struct {
	Place
	// Expr is the expression: for a pattern of the fragment, else XPath 1.0.
	Expr string
	// Match is the regular expression that cuts the value; may be empty.
	Match string
	// Weak is set for a weak pattern.
	Weak bool
	Provenance
	// Rejected entries are remembered so that they are not learned again; they
	// are not used.
	Rejected bool
	// Why says why it was rejected; may be empty.
	Why string
	// Pos is where it stands; zero for one that is in no source yet.
	Pos Position
}

// ID names the entry: 10 hexadecimal digits that depend on its place, expression
// and match alone, so that what two sites teach is one entry.
func (e *Entry) ID() string {
	expr := e.Expr
	if e.Part == PartDetect {
		if x, err := xpath.Parse(expr); err == nil {
			expr = x.String()
		}
	}
	h := sha256.Sum256([]byte(strings.Join([]string{string(e.Type), string(e.Level), e.Variant, e.Part, expr, e.Match}, "\x00")))
	return hex.EncodeToString(h[:5])
}

// Origin names, for people, the expression that Expr is a relaxation of, if it is of one.
func (e *Entry) Origin() string {
	if e.From == "" {
		return "read off the pages"
	}
	return "for " + e.From
}

// Try compiles the entry's expression as a learned try.
func (e *Entry) Try() (*Try, error) {
	x, err := NewExpr(e.Expr)
	if err != nil {
		return nil, err
	}
	return e.TryOf(x)
}

// TryOf is [Entry.Try] with the expression that the entry's was written from.
func (e *Entry) TryOf(x *Expr) (*Try, error) {
	of := *x
	of.Pos = e.Pos
	t, err := &Try{Expr: &of, Learned: e.clone()}, error(nil)
	if e.Match != "" {
		if t.Match, err = newRegexp(e.Match); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Pattern compiles the entry's expression as a learned pattern.
func (e *Entry) Pattern() (Pattern, error) {
	x, err := xpath.Parse(e.Expr)
	if err != nil {
		return Pattern{}, err
	}
	return Pattern{Expr: x, Weak: e.Weak, Learned: e.clone(), Pos: e.Pos}, nil
}

func (e *Entry) clone() *Entry {
	c := *e
	return &c
}

// on returns a level with the entry in it, or without where it is rejected. It is
// the level itself where the place is none of the level's.
func (e *Entry) on(l *Level) (*Level, error) {
	if e.Rejected {
		return l.without(func(k *Entry) bool { return k.ID() == e.ID() }), nil
	}
	if e.Part == PartDetect {
		p, err := e.Pattern()
		if err != nil {
			return nil, err
		}
		return l.WithPattern(p), nil
	}
	t, err := e.Try()
	if err != nil {
		return nil, err
	}
	return l.With(e.Place, t), nil
}

// With returns the base with entries in force that its sources do not hold yet,
// and without the rejected ones. An entry that the sources
// reject, or hold already, or whose place does not exist, changes nothing; b stays as
// it is. The Hash of the new base distinguishes the entries from the sources. The
// error names the first entry with an invalid expression.
func (b *Base) With(entries ...Entry) (*Base, error) {
	now := map[*Level]*Level{}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n", b.Hash)
	for i := range entries {
		e := &entries[i]
		t := b.byID[e.Type]
		if t == nil || b.knows(e) && !e.Rejected {
			continue
		}
		for _, old := range t.Levels {
			if old.Type != e.Type || old.ID != e.Level || old.Variant != e.Variant {
				continue
			}
			was := cmp.Or(now[old], old)
			l, err := e.on(was)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Place, err)
			}
			if l != was {
				now[old] = l
				fmt.Fprintf(hash, "%s %s %v\n", e.ID(), e.Site, e.Rejected)
			}
		}
	}
	if len(now) == 0 {
		return b, nil
	}
	return b.withLevels(now, "sha256:"+hex.EncodeToString(hash.Sum(nil))), nil
}

// knows reports whether an entry is rejected, by itself or by the sources, or in
// force already where it was learned.
func (b *Base) knows(e *Entry) bool {
	if e.Rejected {
		return true
	}
	return b.Rejected(*e) || repeated(b.Entries, e)
}

// withLevels returns a base in which some levels are others, wherever types
// inherit them.
func (b *Base) withLevels(now map[*Level]*Level, hash string) *Base {
	c := &Base{Hash: hash, Entries: b.Entries, byID: make(map[TypeID]*Type, len(b.byID))}
	for _, t := range b.Types { // parents come first
		n := *t
		if t.Parent != nil {
			n.Parent = c.byID[t.Parent.ID]
		}
		n.Levels = slices.Clone(t.Levels)
		for i, l := range n.Levels {
			n.Levels[i] = cmp.Or(now[l], l)
		}
		c.Types = append(c.Types, &n)
		c.byID[n.ID] = &n
	}
	return c
}

// Has reports whether the base has a place: a level that its type declares itself,
// with such a spot, or for a step.
func (b *Base) Has(p Place) bool {
	t := b.byID[p.Type]
	return t != nil && slices.ContainsFunc(t.Levels, func(l *Level) bool {
		_, ok := l.Spot(p)
		return ok || isStep(p.Part) && l.Type == p.Type && l.ID == p.Level && l.Variant == p.Variant
	})
}

// Rejected reports whether an entry was rejected, so that it may not be learned
// again.
func (b *Base) Rejected(e Entry) bool {
	return slices.ContainsFunc(b.Entries, func(k Entry) bool { return k.Rejected && k.ID() == e.ID() })
}
