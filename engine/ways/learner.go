package ways

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// Levels is how many rates a way's value is told apart by: from 1 run of new text a request, each a half more than the last.
const Levels = 24

const (
	step        = 1.5      // between two levels
	window      = 16       // pages of a way that count; of earlier ones ever less
	prior       = 1        // pages of a way that all like it count as
	maxWays     = 4096     // of a site; further ones are like those of their shape
	maxSites    = 256      // sites of which something is known; then the one that was asked about least recently is forgotten,
	maxKept     = 1 << 22  // and when all together have so many hashes, ways and links between ways, of about 30 bytes each
	maxLeads    = 1 << 15  // links between ways of a site; further ones lead to what is like the site
	wayWeighs   = 16       // of them is a way,
	nameWeighs  = 8        // and a name in a folder
	generations = 6        // of pages that lead to each other and are looked ahead
	ceiling     = 1e9      // of a surplus, which has no end where pages lead to ever more
	anew        = 32       // the pages over those after which values are reckoned again
	keepAgain   = 1.25     // times as many pages as when its state was last kept make it worth keeping
	keepFirst   = 16       // and so many more
	settled     = 16       // pages of a site before which nothing is said of its ways
	hunting     = 1        // likewise where more is always better: rewards are rare, so the first counts
	poor        = 1.0 / 10 // of the rate so far: what brings less is unproductive,
	fewNames    = 16       // in a folder; of more, each is a title

	// The odds at which a way counts as unproductive, and what a page without a reward says against
	// it. Were a third of the pages productive, eight in a row would not be, once in 25 times. A page
	// without records says more where all content is in records: the reader misses those of fewer
	// than one page in ten.
	unlikely = 1.0 / 25
	misses   = 2.0 / 3
	unread   = 1.0 / 10
)

// Learner learns the ways of many sites. It may be used by several goroutines at once.
type Learner struct {
	// Reward is what the crawl looks for; nil is [NewText].
	Reward Reward

	mu    sync.Mutex
	sites map[string]*site
	uses  int
	kept  int // of all sites, as maxKept counts
}

// Link is a link of a page to its own site.
type Link struct{ Way, Key string }

// site is what is known of one site.
type site struct {
	Text, Links sample
	Pages, Sum  float64 // that were read, and their rewards
	Contents    float64 // pages with records
	Last        float64 // page that had the last reward
	Ways        []*way
	byName      map[string]int32
	folders     map[string]map[string]bool // names in each, nil where they are titles
	names       int                        // in all of them
	mean        [Levels]float64            // surplus of all outlines
	odds        float64                    // that one of them is productive
	since       int                        // pages since values were reckoned
	saved       float64                    // pages when its state was last asked for
	used        int
	leads       int     // links of all ways
	kept        int     // when it was last reckoned
	untried     float64 // as Reward.untried
}

// way is what is known of a way, or of all ways with a shape or an outline.
type way struct {
	Name    string
	Parent  int32 // that it is like; -1: the site
	Pages   float64
	Bare    float64           `json:",omitempty"` // pages without records, while records counted
	Reward  float64           `json:"Text"`       // of all pages; the name is that of earlier versions, which had no other reward than text
	Links   map[int32]float64 `json:",omitempty"` // new ones, by way
	Tally   tally             `json:",omitzero"`
	surplus [Levels]float64
	level   int
	tried   float64 // ways just below it that were tried, when values were last reckoned
	rich    bool    // one of them is not poor
}

// tally counts the links and pages of a way, old ones as much as new ones.
type tally struct {
	Found   float64 // links
	Pages   float64 // of them that were read
	Rewards float64 // of these pages, as shares of [Target]
	Dry     float64 // pages since the last one with a reward
}

func levelRate(level int) float64 { return math.Pow(step, float64(level)) }

// site returns a site, which is new if there is none of that name. The caller holds mu.
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

// forget forgets the site that was asked about least recently.
func (l *Learner) forget() {
	names := slices.Collect(maps.Keys(l.sites))
	name := slices.MinFunc(names, func(a, b string) int { return l.sites[a].used - l.sites[b].used })
	l.kept -= l.sites[name].kept
	delete(l.sites, name)
}

// makeRoom forgets sites for what was learned of the one that was asked about last.
func (l *Learner) makeRoom(s *site) {
	l.kept -= s.kept
	s.kept = len(s.Text.seen) + len(s.Links.seen) + s.leads + wayWeighs*len(s.Ways) + nameWeighs*s.names
	for l.kept += s.kept; l.kept > maxKept && len(l.sites) > 1; {
		l.forget()
	}
}

// Page learns from an answer of a site that was reached by a way, "" for none, and from its links to the site. changed reports whether so
// much was learned since the last call of [Learner.State] that the caller should store the state.
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
	l.makeRoom(s)
	if s.since++; float64(s.since) >= s.Pages/anew {
		s.reckon()
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

// exhausted reports whether the links that wait have few targets beside the ones that were found. A
// link pattern that never had a target is exhausted.
func (t *tally) exhausted() bool {
	return t.Rewards == 0 || ruleOfThree*(t.Found-t.Pages) <= missed*t.Rewards*t.Dry
}

// saw takes a page into account, and returns to how many ways it leads that those before did not lead to, at most room.
func (w *way) saw(reward float64, leads map[int32]float64, room int) (added int) {
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
			if added == room {
				i = -1
			} else {
				added++
			}
		}
		w.Links[i] += n
	}
	return added
}

// find returns the place of a way, which becomes known with those that it is like, or of what it is like where there are too many;
// -1 is the site.
func (s *site) find(name string) int32 {
	if i, ok := s.byName[name]; ok {
		return i
	}
	like := broader(name)
	names := []string{like[1], like[0], name}
	if len(s.Ways) < maxWays { // else nothing new is learned of folders
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

// widest is a shape without the titles that folders and pages are called by: names of which there are many beside each other. Of parameters
// it has the names.
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

// reckon values all ways anew: first by the rewards of their pages, then, generation by generation, also by what these lead to. Of what is
// not known at all only its own reward is guessed, or each guess would live on further ones. Those that a way is like come before it.
func (s *site) reckon() {
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
	rich, barren := 1.0, 1.0 // outlines, and one of each that is not known yet
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

// poor reports whether a page of a level brings next to nothing beside what the site brought so far.
func (s *site) poor(level int) bool {
	return s.Sum > 0 && (level == 0 || levelRate(level) < poor*s.Sum/s.Pages)
}

// When a site is exhausted, see [Learner.Exhausted]. The first two are arbitrary.
const (
	leastDry = 50      // pages without a reward
	dryShare = 1.0 / 2 // of the pages up to the last reward

	// The rule of three: n pages without a reward leave room for 3/n rewards a page, with a confidence
	// of 95 % (Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", 1983).
	ruleOfThree = 3

	// missed is the share of targets that a link pattern may still have when it is left. It is
	// arbitrary.
	missed = 1.0 / 20
)

// Exhausted reports whether a link pattern of a site is not worth further requests, since the site
// is not, nor is the pattern. At least 50 pages of the site in a row had no target, and half as many
// as it took to get all so far, and by the rule of three the links that wait lead to no more targets
// than were found. If the pattern itself led to targets, its own pages since the last one show by the
// same rule that its waiting links have at most a twentieth more. A site without a target is never
// exhausted.
func (l *Learner) Exhausted(of, name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.site(of)
	dry, targets := s.Pages-s.Last, s.Sum/Target
	names := float64(len(s.Links.seen)) * s.Links.weight() // of links and targets
	waiting := names - targets - s.Pages
	if s.Last == 0 || dry < max(leastDry, dryShare*s.Last) || ruleOfThree*waiting/dry > targets {
		return false
	}
	i, known := s.byName[name]
	return !known || s.Ways[i].Tally.exhausted()
}

// disproved reports whether enough was tried to say that a way is poor: a page of it, and enough of what it is like; or none, but so many
// others that are like the same, all of them poor.
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

// proves reports whether so many pages without a reward, some of them bare, prove that a way is
// unproductive, by the share of outlines of the site that are productive.
func (s *site) proves(pages, bare float64) bool {
	return s.odds*math.Pow(misses, pages-bare)*math.Pow(unread, bare) <= unlikely
}

// guess estimates the reward of a page of an unknown pattern: the mean of all outlines, each counting
// once. If a hope is set for untried ones, it is the estimate by the rule of succession (Laplace), as
// if there had been an outline with this reward and one without any.
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

// own adds up the surplus of the pages of a way at each rate.
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

// Value is what a page of a way is worth.
type Value struct {
	Level int // 0 to Levels
	// Order is the level as far as it makes a difference to the order: what is worth more than a page of the site was on average is worth
	// the same, or a place that makes up texts without end would come before all others.
	Order int
	// Less says that it is worth less than a page of the site was on average.
	Less bool
	// Tried is how many pages of the way itself were read, older ones counting less.
	Tried float64
	// Rate is the reward for each request that the level stands for.
	Rate float64
	// Unproductive ways were tried, and enough of what they are like, or enough others of those; they are expected to bring less than a
	// tenth of the text for each request that the site brought so far.
	Unproductive bool
}

// Value values a way of a site. known is false while too little is known of the site.
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
