package adapt

import (
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// FaultKind says what cannot be right in a harvest.
type FaultKind string

// The kinds of faults.
const (
	NoLevel     FaultKind = "no level"    // the type is known, the level is not
	NoObject    FaultKind = "no object"   // a terminal level without what it describes
	FewObjects  FaultKind = "few objects" // fewer than the page itself claims
	NoField     FaultKind = "no field"    // a required field is missing
	Implausible FaultKind = "implausible" // a value that cannot be what the field is
	NoLink      FaultKind = "no link"     // an intermediate level that leads nowhere
)

// Fault is one thing that cannot be right.
type Fault struct {
	Kind  FaultKind
	Place kb.Place // of the action that failed
	// Bad of Of objects are concerned; both are 0 for faults of the page.
	Bad, Of int
	Detail  string // for people
}

// Options bound the work of an adaptation. The zero value is useful.
type Options struct {
	// MaxTried bounds the candidates that are tried on a page; 0 means 2,000.
	MaxTried int
	// Site is what learned entries apply to; empty means the page's host.
	Site string
}

// Attempt is what became of mending one page.
type Attempt struct {
	// Harvest is that of the page with all entries applied, or as it was.
	Harvest extract.Harvest
	// Entries are the mended places, none where nothing was mended.
	Entries []kb.Entry
	// Faults are those that are left.
	Faults []Fault
	Tried  int     // candidates
	Margin float64 // by which the winner beat the next that gives other values
	Worst  bool    // some change was beyond the best case
}

// Judge lists what cannot be right in a harvest of a page.
func Judge(p extract.Page, h extract.Harvest) []Fault { return nil }

// Mend tries to mend the faults of one page. base knows what types of the same
// category look like.
func Mend(base *kb.Base, p extract.Page, h extract.Harvest, faults []Fault, o Options) Attempt {
	return Attempt{Harvest: h, Faults: faults}
}

// MendLevel tries to find the level of a page of which only the type is known,
// section 6.2: its first entry then is a pattern.
func MendLevel(base *kb.Base, p extract.Page, h extract.Harvest, o Options) Attempt {
	return Attempt{Harvest: h}
}
