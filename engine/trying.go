package engine

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/kb"
)

// Bounds of what is remembered of pages of one kind. The values are arbitrary.
const (
	vainPages    = 3     // pages on which a control brought nothing before it is skipped
	learnedPages = 2     // pages on which a control must bring something to become an entry
	mostKinds    = 1_000 // kinds of pages
	mostControls = 200   // controls of a kind
)

// pageKind remembers what the browser brought on pages of one kind: of a level, or behind one link
// pattern of unknown software.
type pageKind struct {
	controls map[string]*tally // by browser.Tried.Control
	scripts  tally             // of pages whose scripts ran for their requisites
}

// tally counts pages.
type tally struct {
	tried, brought int
	vain           int  // pages since the last one on which it brought something
	learned        bool // it is an entry
}

func (t *tally) add(brought bool) {
	t.tried++
	if t.vain++; brought {
		t.brought, t.vain = t.brought+1, 0
	}
}

// kind returns what is known of a kind of pages; r.mu is held.
func (r *renderings) kind(name string) *pageKind {
	k := r.kinds[name]
	if k == nil {
		k = &pageKind{controls: map[string]*tally{}}
		if len(r.kinds) < mostKinds {
			r.kinds[name] = k
		}
	}
	return k
}

// vain returns the controls that are not worth a try on pages of a kind.
func (r *renderings) vain(name string) (skip []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for control, t := range r.kind(name).controls {
		if t.brought == 0 && t.tried >= vainPages {
			skip = append(skip, control)
		}
	}
	slices.Sort(skip)
	return skip
}

// mayBring reports whether the scripts of a page may bring requisites: they did on the last pages
// of its kind, or were not tried.
func (r *renderings) mayBring(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kind(name).scripts.vain < vainPages
}

// scripted remembers whether the scripts of a page brought something.
func (r *renderings) scripted(name string, brought bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kind(name).scripts.add(brought)
}

// kindOf names the pages like one.
func kindOf(lease leased, f *detect.Finding) string {
	if f.Type != nil && len(f.Levels) > 0 {
		return lease.at.Host + " " + string(f.Type.ID) + "/" + string(f.Levels[0].ID)
	}
	return lease.at.Host + " " + ways.Outline(cmp.Or(Way(lease.URL), ways.Name("", lease.at)))
}

// planning chooses what the browser does on a page.
type planning struct {
	*Engine
	lease   leased
	header  http.Header
	finding detect.Finding // of the page, or of the rendered page if scripts make its level
	done    bool           // the steps need no browser
	explore bool           // also beyond learned steps
}

// plan returns the steps of the page's level. Without steps of authors the browser explores.
func (p *planning) plan(html string) browser.Plan {
	if len(p.finding.Levels) == 0 && !p.options.Blind {
		doc := Parse(Answer{URL: p.lease.at, Status: http.StatusOK, Header: p.header, HTML: []byte(html)})
		d := p.detector.Load()
		_ = safely("detecting", func() { // the page is read again, with the same result
			p.finding = d.Page(doc, detect.Hints{Address: p.lease.at.Host + p.lease.at.Path,
				Near: d.Base().Type(p.follower.nearType(p.lease)), Force: d.Base().Type(p.options.Force)})
		})
	}
	plan := browser.Plan{Explore: true, Worth: p.worth, Skip: p.renderings.vain(kindOf(p.lease, &p.finding))}
	if p.done {
		return plan
	}
	steps := browseOf(&p.finding, p.lease.at)
	plan.Steps = browserSteps(steps, p.options.Rendering.Keywords)
	for _, s := range steps {
		if s.Learned == nil || !p.explore {
			plan.Explore = false
		} else if s.Learned.Part == kb.PartScroll {
			plan.Skip = append(plan.Skip, browser.Scrolling)
		} else {
			plan.Skip = append(plan.Skip, s.Learned.Expr)
		}
	}
	return plan
}

// lettersOfWorth are the letters of objects that are worth as much as a link. The value is
// arbitrary, but more than times and counters change.
const lettersOfWorth = 40

// worth measures what a rendered document holds: its links and objects, and their letters.
func (p *planning) worth(html string) (n int) {
	d := p.detector.Load()
	page, _ := Inspect(d, Answer{URL: p.lease.at, Status: http.StatusOK, Header: p.header, HTML: []byte(html)},
		Hints{Near: p.follower.nearType(p.lease), Force: p.options.Force}) // what could be read counts
	links := map[string]bool{}
	for _, l := range page.Harvest.Links {
		links[l.URL] = true
	}
	letters := 0
	for _, o := range page.Harvest.Objects {
		for _, f := range o.Fields {
			for _, v := range f.Values {
				if f.As != kb.HTML { // its text is another field
					letters += len(v)
				}
			}
		}
	}
	return len(links) + len(page.Harvest.Objects) + letters/lettersOfWorth
}

// learn remembers what was tried on a page, and returns entries for controls that brought
// something on several pages of the level.
func (p *planning) learn(tried []browser.Tried) (entries []kb.Entry) {
	r := &p.renderings
	r.mu.Lock()
	defer r.mu.Unlock()
	kind := r.kind(kindOf(p.lease, &p.finding))
	for _, t := range tried {
		known := kind.controls[t.Control]
		if known == nil {
			if len(kind.controls) == mostControls {
				continue
			}
			known = new(tally)
			kind.controls[t.Control] = known
		}
		known.add(t.Brought)
		if known.learned || known.brought < learnedPages || t.Leaves || len(p.finding.Levels) == 0 || p.adapting.Learner == nil ||
			p.options.undescribed(p.finding.Type) {
			continue
		}
		known.learned = true
		l := p.finding.Levels[0]
		e := kb.Entry{Place: kb.Place{Type: l.Type, Level: l.ID, Variant: l.Variant, Part: kb.PartClick}, Expr: t.Control,
			Provenance: kb.Provenance{Site: p.lease.at.Host, Pages: known.brought,
				Confidence: float64(known.brought) / float64(known.tried),
				Evidence:   fmt.Sprintf("showed new text or links on %d of %d pages", known.brought, known.tried)}}
		if t.Control == browser.Scrolling {
			e.Part, e.Expr = kb.PartScroll, "body"
		}
		entries = append(entries, e)
	}
	return entries
}
