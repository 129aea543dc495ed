package ways

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// Levels is the number of rates that values are compared with. The first is a reward of 1 a
// request; each is half as much again as the last.
const Levels = 24

const (
	step        = 1.5      // factor between two levels
	window      = 16       // pages of a link pattern that count in full; the weight of earlier ones decays
	prior       = 1        // weight, in pages, of the patterns that one is like
	maxWays     = 4096     // patterns of a site; further ones are taken for their shape
	maxSites    = 256      // sites; beyond, the least recently used is dropped
	maxKept     = 1 << 22  // units of memory of all sites, about 30 bytes each: a hash or a link between patterns is one
	maxLeads    = 1 << 15  // links between patterns of a site; further ones lead to the mean of the site
	wayWeighs   = 16       // units of a pattern
	nameWeighs  = 8        // units of a name in a folder
	generations = 6        // depth of links that values look ahead
	ceiling     = 1e9      // bound of a surplus, which diverges where pages lead to ever more pages
	renewals    = 32       // values are estimated again after a 32nd more pages
	keepAgain   = 1.25     // the state is stored again after this many times the pages
	keepFirst   = 16       // and this many more
	settled     = 16       // pages of a site before which its patterns have no value
	hunting     = 1        // the same for rare rewards, where the first counts
	poor        = 1.0 / 10 // share of the site's mean rate below which a pattern is unproductive
	fewNames    = 16       // names in a folder; if there are more, each is a title

	// unlikely is the odds below which a pattern counts as unproductive; misses is the likelihood
	// ratio of a page without a reward. If a third of the pages are productive, eight in a row are
	// not once in 25 times. Where all content is in records, the ratio of a page without records is
	// unread: the reader misses the records of fewer than one page in ten.
	unlikely = 1.0 / 25
	misses   = 2.0 / 3
	unread   = 1.0 / 10
)

// Learner learns the link patterns of many sites. It is safe for concurrent use.
type Learner struct {
	// Reward is what the crawl looks for; nil is [NewText].
	Reward Reward

	mu    sync.Mutex
	sites map[string]*site
	uses  int
	kept  int // units of memory of all sites, see maxKept
}

// Link is a link of a page to its own site: its link pattern by [Name], and the key of its URL.
type Link struct{ Way, Key string }

// site has the link patterns of one site.
type site struct {
	Text, Links sample
	Pages, Sum  float64 // pages that were read, and their rewards
	Contents    float64 // pages with records
	Last        float64 // page that had the last reward
	Exhausted   bool    // it was not worth further requests once
	Ways        []*way
	byName      map[string]int32
	folders     map[string]map[string]bool // names in each; nil if they are titles
	names       int                        // in all folders
	mean        [Levels]float64            // surplus of all outlines
	odds        float64                    // that an outline is productive
	since       int                        // pages since values were estimated
	saved       float64                    // pages when the state was last stored
	used        int                        // Learner.uses when it was last used
	leads       int                        // links between its patterns
	kept        int                        // units of memory, see maxKept
	untried     float64                    // as Reward.untried
}

// way is a link pattern, or all patterns of a shape or an outline.
type way struct {
	Name    string
	Parent  int32 // the shape of a pattern, the outline of a shape; -1: the site
	Pages   float64
	Bare    float64           `json:",omitempty"` // pages without records, while records counted
	Reward  float64           `json:"Text"`       // of all pages; the name is that of earlier versions, which had no other reward than text
	Links   map[int32]float64 `json:",omitempty"` // new links, by pattern
	Tally   tally             `json:",omitzero"`
	surplus [Levels]float64
	level   int
	tried   float64 // children with a page, when values were last estimated
	rich    bool    // a child is not poor
}

// tally counts the links and pages of a link pattern, without decay.
type tally struct {
	Found   float64 // links
	Pages   float64 // of them that were read
	Rewards float64 // of these pages, as shares of [Target]
	Dry     float64 // pages since the last one with a reward
}

func levelRate(level int) float64 { return math.Pow(step, float64(level)) }

// site returns the site with a name, a new one if there is none. The caller holds mu.
func (l *Learner) site(name string) *site {
	s := l.sites[name]
	if s == nil {
		if l.sites == nil {
			l.sites = make(map[string]*site)
		}
		if len(l.sites) >= maxSites {
			l.forget()
		}
		s = &site{byName: make(map[string]int32), untried: l.reward().untried()}
		l.sites[name] = s
	}
	l.uses++
	s.used = l.uses
	return s
}

// forget drops the least recently used site.
func (l *Learner) forget() {
	names := slices.Collect(maps.Keys(l.sites))
	name := slices.MinFunc(names, func(a, b string) int { return l.sites[a].used - l.sites[b].used })
	l.kept -= l.sites[name].kept
	delete(l.sites, name)
}

// bound counts the memory of the site that was used last, and drops others if all are too large.
func (l *Learner) bound(s *site) {
	l.kept -= s.kept
	s.kept = len(s.Text.seen) + len(s.Links.seen) + s.leads + wayWeighs*len(s.Ways) + nameWeighs*s.names
	for l.kept += s.kept; l.kept > maxKept && len(l.sites) > 1; {
		l.forget()
	}
}

// Page learns from an answer of a site, which was reached by a link of a pattern ("" for none), and
// from its links to the site. changed reports whether the site has enough new pages since the last
// call of [Learner.State] that the caller should store the state.
func (l *Learner) Page(of, name string, a Answer, links []Link) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.site(of)
	reward := l.reward().of(s, a)
	s.Pages++
	bare := 0.0
	if s.ofRecords() && !a.Text.content && !a.Redirects {
		bare = 1
	}
	s.Sum += reward
	if reward > 0 {
		s.Last = s.Pages
	}
	leads := make(map[int32]float64)
	for _, link := range links {
		if n := s.Links.add(hashOf(link.Key)); n > 0 {
			to := s.find(link.Way)
			leads[to] += n
			if to >= 0 {
				s.Ways[to].Tally.Found += n
			}
		}
	}
	if name != "" {
		if i := s.find(name); i >= 0 {
			s.Ways[i].Tally.page(reward)
		}
		for i := s.find(name); i >= 0; i = s.Ways[i].Parent {
			s.Ways[i].Bare += bare
			s.leads += s.Ways[i].saw(reward, leads, maxLeads-s.leads)
		}
	}
	l.bound(s)
	if s.since++; float64(s.since) >= s.Pages/renewals {
		s.estimate()
	}
	return s.Pages >= s.saved*keepAgain+keepFirst
}

// page counts a page with its reward.
func (t *tally) page(reward float64) {
	t.Pages++
	t.Dry++
	if reward > 0 {
		t.Rewards += reward / Target
		t.Dry = 0
	}
}

// exhausted reports whether the links that wait have few targets beside the ones of the whole site.
// A link pattern that never had a target is exhausted.
func (t *tally) exhausted(targets float64) bool {
	return t.Rewards == 0 || ruleOfThree*(t.Found-t.Pages) <= missed*targets*t.Dry
}

// saw counts a page and its links by pattern. It returns the number of patterns that earlier pages
// did not lead to; most bounds it.
func (w *way) saw(reward float64, leads map[int32]float64, most int) (added int) {
	if w.Pages >= window {
		const keep = 1 - 1.0/window
		w.Pages *= keep
		w.Bare *= keep
		w.Reward *= keep
		for i := range w.Links {
			w.Links[i] *= keep
		}
	}
	w.Pages++
	w.Reward += reward
	for i, n := range leads {
		if w.Links == nil {
			w.Links = make(map[int32]float64)
		}
		if _, known := w.Links[i]; !known && i >= 0 {
			if added == most {
				i = -1
			} else {
				added++
			}
		}
		w.Links[i] += n
	}
	return added
}

// find returns the index of a link pattern, and adds it with its shape and outline if it is new. If
// the site has too many, it is the index of the shape or outline, or -1 for the site.
func (s *site) find(name string) int32 {
	if i, ok := s.byName[name]; ok {
		return i
	}
	like := broader(name)
	names := []string{like[1], like[0], name}
	if len(s.Ways) < maxWays { // else folders stay as they are
		names = append([]string{s.widest(like[0])}, names...)
	}
	parent := int32(-1)
	for _, n := range names {
		i, ok := s.byName[n]
		if !ok {
			if len(s.Ways) >= maxWays {
				return parent
			}
			i = int32(len(s.Ways))
			w := &way{Name: n, Parent: parent, surplus: s.mean}
			w.level = levelOf(&w.surplus)
			if parent >= 0 {
				w.surplus, w.level = s.Ways[parent].surplus, s.Ways[parent].level
			}
			s.Ways = append(s.Ways, w)
			s.byName[n] = i
		}
		parent = i
	}
	return parent
}

// widest returns a shape without titles, which are names with many others beside them in their
// folder, and without the values of parameters.
func (s *site) widest(shape string) string {
	path, query, asks := strings.Cut(shape, "?")
	wide := ""
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		names, known := s.folders[wide]
		switch {
		case known && names == nil:
			name = "*"
		case !names[name] && len(s.folders) < maxWays:
			if names == nil {
				if s.folders == nil {
					s.folders = make(map[string]map[string]bool)
				}
				names = make(map[string]bool)
			}
			names[name] = true
			s.names++
			if s.folders[wide] = names; len(names) > fewNames {
				s.names -= len(names)
				s.folders[wide], name = nil, "*"
			}
		}
		wide += "/" + name
	}
	if asks {
		wide += "?" + parameters(query)
	}
	return wide
}

// estimate computes the values of all link patterns: first by the rewards of their pages, then, one
// generation after another, also by the pages that these lead to. A pattern without pages has a
// guess of its own reward only; otherwise guesses would feed on guesses. Parents come before their
// children.
func (s *site) estimate() {
	s.since = 0
	s.guess()
	for _, w := range s.Ways {
		w.surplus = [Levels]float64{}
	}
	for range generations {
		for _, w := range s.Ways {
			var own [Levels]float64
			if w.Pages > 0 {
				s.own(w, &own)
			}
			like := &s.mean
			if w.Parent >= 0 {
				like = &s.Ways[w.Parent].surplus
			}
			for k := range own {
				w.surplus[k] = min((own[k]+prior*like[k])/(w.Pages+prior), ceiling)
			}
		}
	}
	rich, barren := 1.0, 1.0 // outlines, and one of each by the rule of succession
	for _, w := range s.Ways {
		w.level = levelOf(&w.surplus)
		w.tried, w.rich = 0, false
		switch {
		case w.Parent >= 0 || w.Pages == 0:
		case s.poor(w.level):
			barren++
		default:
			rich++
		}
		if w.Parent >= 0 && w.Pages > 0 { // it comes after its parent
			p := s.Ways[w.Parent]
			p.tried++
			p.rich = p.rich || !s.poor(w.level)
		}
	}
	s.odds = rich / barren
}

// poor reports whether the rate of a level is below a tenth of the mean of the site so far.
func (s *site) poor(level int) bool {
	return s.Sum > 0 && (level == 0 || levelRate(level) < poor*s.Sum/s.Pages)
}

// When a site is exhausted, see [Learner.Exhausted]. The first two are arbitrary.
const (
	leastDry = 50      // pages without a reward
	dryShare = 1.0 / 2 // of the pages up to the last reward

	// The rule of three: n pages without a reward leave room for 3/n rewards a page, with a
	// confidence of 95 % (Hanley and Lippman-Hand, "If nothing goes wrong, is everything all
	// right?", 1983).
	ruleOfThree = 3

	// missed is the share of the targets found so far that the waiting links of a pattern may still
	// have when it is left. It is arbitrary.
	missed = 1.0 / 20
)

// Exhausted reports whether a link pattern of a site is not worth further requests, since the site
// is not, nor is the pattern. At least 50 pages of the site in a row had no target, and half as
// many as it took to get all so far, and by the rule of three the links that wait lead to no more
// targets than were found. If the pattern itself led to targets, its own pages since the last one
// show by the same rule that its waiting links have at most a twentieth more. Later targets of
// other patterns do not change this for a pattern that is unproductive. A site without a target is
// never exhausted.
func (l *Learner) Exhausted(of, name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.site(of)
	dry, targets := s.Pages-s.Last, s.Sum/Target
	names := float64(len(s.Links.seen)) * s.Links.weight() // of links and targets
	waiting := names - targets - s.Pages
	i, known := s.byName[name]
	switch {
	case s.Last > 0 && dry >= max(leastDry, dryShare*s.Last) && ruleOfThree*waiting/dry <= targets:
		s.Exhausted = true
	case !s.Exhausted || !known || !s.disproved(i) || !s.poor(s.Ways[i].level):
		return false
	}
	return !known || s.Ways[i].Tally.exhausted(targets)
}

// disproved reports whether enough pages prove that a link pattern is poor: one of its own and
// enough of its shape or outline; or none of its own, if enough patterns beside it are all poor.
func (s *site) disproved(i int32) bool {
	own := s.Ways[i].Pages > 0
	for ; i >= 0; i = s.Ways[i].Parent {
		w := s.Ways[i]
		if w.Pages > 0 && s.poor(w.level) && (own && s.proves(w.Pages, w.Bare) || !w.rich && s.proves(w.tried, w.tried*w.Bare/w.Pages)) {
			return true
		}
	}
	return false
}

// proves reports whether a number of pages without a reward, some without records, proves that a
// link pattern is unproductive. The prior is the share of productive outlines of the site.
func (s *site) proves(pages, bare float64) bool {
	return s.odds*math.Pow(misses, pages-bare)*math.Pow(unread, bare) <= unlikely
}

// guess estimates the reward of a page of an unknown pattern: the mean of all outlines, each
// counting once. If the reward has a value for untried patterns, it is the estimate by the rule of
// succession (Laplace), as if there had been an outline with this value and one without any reward.
func (s *site) guess() {
	reward, outlines := s.untried, 0.0
	if s.untried > 0 {
		outlines = 2
	}
	for _, w := range s.Ways {
		if w.Parent < 0 && w.Pages > 0 {
			reward += w.Reward / w.Pages
			outlines++
		}
	}
	for k := range s.mean {
		s.mean[k] = reward/max(outlines, 1) - levelRate(k)
	}
}

// own adds up the surplus of the pages of a link pattern, and of their links, at each rate.
func (s *site) own(w *way, sum *[Levels]float64) {
	for k := range sum {
		sum[k] = w.Reward - w.Pages*levelRate(k)
	}
	for i, n := range w.Links {
		to := &s.mean
		if i >= 0 {
			to = &s.Ways[i].surplus
		}
		for k := range sum {
			if to[k] <= 0 {
				break // and less at higher rates
			}
			sum[k] += n * to[k]
		}
	}
}

func levelOf(surplus *[Levels]float64) int {
	for k := range surplus {
		if surplus[k] < 0 {
			return k
		}
	}
	return Levels
}

// Value is the estimated value of a page behind a link pattern.
type Value struct {
	Level int // 0 to Levels
	// Order is the level for ordering links, 0 to Levels. With [NewText] it is at most the mean of
	// the site; otherwise a page that generates text without end would come before all others.
	Order int
	// Less reports a value below the mean of the site.
	Less bool
	// Tried is the number of pages of the link pattern itself; the weight of older ones decays.
	Tried float64
	// Rate is the reward for each request at this level.
	Rate float64
	// Unproductive patterns are expected, after enough pages of them or beside them, to yield less
	// than a tenth of the site's mean for each request.
	Unproductive bool
}

// Value returns the value of a link pattern of a site. known is false while the site has too few
// pages.
func (l *Learner) Value(of, name string) (v Value, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.site(of)
	least := float64(settled)
	if l.reward().hunts() {
		least = hunting
	}
	if s.Pages < least {
		return v, false
	}
	v.Level = levelOf(&s.mean)
	tried := len(s.Ways) >= maxWays
	if i := s.find(name); i >= 0 {
		v.Level, v.Tried = s.Ways[i].level, s.Ways[i].Pages
		tried = tried || s.disproved(i)
	}
	average := int(math.Ceil(math.Log(max(s.Sum/s.Pages, 1)) / math.Log(step)))
	v.Order, v.Less = min(v.Level, average), v.Level < average
	if l.reward().hunts() {
		v.Order, v.Less = v.Level, v.Level == 0
	}
	if v.Level > 0 {
		v.Rate = levelRate(v.Level - 1)
	}
	v.Unproductive = tried && s.poor(v.Level)
	return v, true
}
