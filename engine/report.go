package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/frontier"
)

// Report is report.json: what a crawl has done so far, a field for each that the file has. Counts span all sessions
// of the crawl.
type Report struct {
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	Duration  float64   `json:"duration_s"`        // of the time spent crawling, not of pauses between sessions
	Finished  bool      `json:"finished"`          // nothing is left to fetch
	Exit      int       `json:"exit"`              // while the crawl runs, and after a kill: interrupted
	Verdict   *Verdict  `json:"verdict"`           // nil in reports of older versions
	Stopped   string    `json:"stopped,omitempty"` // why, where something is left
	Seeds     []string  `json:"seeds"`
	KB        KBReport  `json:"kb"`
	Requests  int64     `json:"requests"`
	Saved     int64     `json:"requests_saved"` // at least: distinct URLs of the site that no action leads to
	Pages     int64     `json:"pages"`
	BytesIn   int64     `json:"bytes_in"`
	WARCBytes int64     `json:"warc_bytes"`
	Revisits  int64     `json:"revisits"` // captures of which the payload was archived before, under this URL or another
	// Rendered has the figures of the browser; nil if it rendered no page.
	Rendered *RenderReport `json:"browser,omitempty"`
	// Requisites are answers that pages need to be shown: images, styles, scripts and the like.
	Requisites int64            `json:"requisites"`
	Elsewhere  int64            `json:"revisits_elsewhere"` // of them, those with the payload in another archive, which replay needs
	Types      map[string]int64 `json:"types"`
	Levels     map[string]int64 `json:"levels"`
	Objects    map[string]int64 `json:"objects"`
	// Missing counts required fields that no action found: "sioc:Post.creator".
	Missing    map[string]int64        `json:"missing"`
	Triples    int64                   `json:"triples"`
	Links      LinkReport              `json:"links"`
	Queue      QueueReport             `json:"queue"`
	Outcomes   *Outcomes               `json:"outcomes,omitempty"` // nil before the crawl is finished
	Statuses   map[string]int64        `json:"statuses"`
	Adaptation AdaptationReport        `json:"adaptation"`
	Plugins    map[string]PluginReport `json:"plugins"`
	Learned    *assess.Learned         `json:"learned,omitempty"` // of weights; nil without --learn
	// Steps are the seconds that the steps of visits took in the last session, all workers together, waits included.
	Steps map[string]float64 `json:"steps_s,omitempty"`
	Traps []TrapReport       `json:"traps"`
	Left  []LeftReport       `json:"left,omitempty"` // as unproductive
	// Targets counts the distinct targets by kind; nil without --targets.
	Targets map[string]int64 `json:"targets,omitempty"`
	// Rank is nil without --rank-mass.
	Rank *RankReport `json:"rank,omitempty"`
	// Damage names what was found damaged in the archive, and is fetched again.
	Damage []string `json:"damage,omitempty"`
	// Services are the APIs that were asked; nil for none.
	Services *ServiceReport `json:"services,omitempty"`
	// Scope counts the links, waiting URLs and answers that each rule of a scope file kept out.
	Scope  map[string]int64 `json:"scope,omitempty"`
	Errors map[string]int64 `json:"errors"`
	// LastTries is nil if no URL that failed was requested once more.
	LastTries *LastTriesReport `json:"last_tries,omitempty"`
	// Examples holds one URL for each kind of Errors, and for [ReasonFailed] and [ReasonRobots].
	Examples map[string]string `json:"examples,omitempty"`

	Suspicions []Suspicion `json:"suspicions"`
	// SeedsReport has one entry a seed; absent before the crawl is finished.
	SeedsReport []SeedReport `json:"seeds_report,omitempty"`

	Watch *WatchReport `json:"watch,omitempty"` // nil: the crawl was never watched

	hostPages     map[string]int64
	suspects      map[string]int64 // by kind
	faults        map[string]int64 // the part of Errors that is about archived URLs
	seedsAnswered int64
}

// RankReport is the guarantee of a crawl with --rank-mass: the pages that it fetched have at least the share Covered of the personalised
// PageRank from its seeds, over the links that it follows.
type RankReport struct {
	Covered float64 `json:"covered"`
	Damping float64 `json:"damping"`
	Full    bool    `json:"full,omitempty"` // pages were left out for memory; the guarantee holds
}

// LastTriesReport counts URLs that failed after all tries and were requested once more when nothing
// else was left.
type LastTriesReport struct {
	Requested int64 `json:"requested"`
	Answered  int64 `json:"answered"`
}

// ServiceReport says what came of asking services.
type ServiceReport struct {
	Answers map[string]int64 `json:"answers"` // by service and operation
	// Objects counts the objects that a service gave first: on a crawled site, the ones that its pages miss.
	Objects map[string]int64 `json:"objects"`
}

// KBReport says which knowledge base the crawl used last, and how many pages
// were read with each, by its hash: rules may change while a crawl runs.
type KBReport struct {
	Version string           `json:"version"`
	Hash    string           `json:"hash"`
	Pages   map[string]int64 `json:"pages"`
}

// RequestsText returns the requests made and those avoided, which all reports give alike.
func (r *Report) RequestsText() string {
	if r.Saved == 0 {
		return fmt.Sprint(r.Requests)
	}
	return fmt.Sprintf("%d sent, %d avoided", r.Requests, r.Saved)
}

// LinkReport counts what became of links. Followed links are distinct URLs that
// were taken into the frontier; skipped and out-of-scope ones are counted each
// time that a page holds them.
type LinkReport struct {
	Followed         int64 `json:"followed"`
	SkippedByKB      int64 `json:"skipped_by_kb"`
	OutOfScope       int64 `json:"out_of_scope"`
	ExcludedByRobots int64 `json:"excluded_by_robots"`
	Duplicates       int64 `json:"duplicates"`
	Blacklisted      int64 `json:"blacklisted"`
}

// QueueReport counts the URLs of the frontier by state.
type QueueReport struct {
	Pending  int `json:"pending"`
	Deferred int `json:"deferred"`
	Fetched  int `json:"fetched"`
	Failed   int `json:"failed"`
	Excluded int `json:"excluded"`
}

// AdaptationReport counts what became of pages that the actions did not fit.
type AdaptationReport struct {
	Attempted int64 `json:"attempted"` // pages on which an expression, of an optional field too, found nothing
	Confirmed int64 `json:"confirmed"` // expressions that held on enough further pages
	Persisted int64 `json:"persisted"` // of these, written into the knowledge base
	Failed    int64 `json:"failed"`    // of these, pages for which no relaxed expression was found either
	Tried     int64 `json:"tried"`     // relaxed expressions
	Reread    int64 `json:"reread"`    // pages that were read again from the archive
	// Left counts pages with a failed repair, by cause: see [adapt.Cause].
	Left map[string]int64 `json:"left,omitempty"`
}

// FillCounts takes the counts of a frontier over into the report.
func (r *Report) FillCounts(counters map[string]int64, s frontier.Stats) {
	r.Requests, r.Pages, r.BytesIn, r.Triples = counters[countRequests], counters[countPages], counters[countBytesIn],
		counters[countTriples]
	r.Types, r.Levels, r.Objects = family(counters, countTypes), family(counters, countLevels), family(counters, countObjects)
	if answers := family(counters, countServices); len(answers) > 0 {
		r.Services = &ServiceReport{Answers: answers, Objects: family(counters, countServiceObjects)}
		addCounters(r.Objects, r.Services.Objects)
	}
	r.Missing, r.Errors, r.Statuses = family(counters, countMissing), family(counters, countErrors), family(counters, countStatus)
	r.faults, r.seedsAnswered = map[string]int64{}, counters[countSeedsGood]
	for kind, n := range family(counters, countFaults) {
		r.AddFault(kind, n)
	}
	r.hostPages = family(counters, countHostPages)
	r.suspects = family(counters, countSuspects)
	r.Revisits, r.Elsewhere = counters[countRevisits], counters[countElsewhere]
	r.Requisites = counters[countRequisites]
	r.Rendered = renderReport(counters)
	if n := counters[countLastTries]; n > 0 {
		r.LastTries = &LastTriesReport{Requested: n, Answered: counters[countLastAnswers]}
	}
	r.KB.Pages = family(counters, countKB)
	r.Plugins = pluginReports(counters)
	r.Scope = family(counters, countScope)
	r.Queue = QueueReport{Pending: s.Pending + s.Leased, Deferred: s.PutOff, Fetched: s.Fetched, Failed: s.Failed, Excluded: s.Excluded}
	r.Adaptation = AdaptationReport{
		Attempted: counters[countAttempted], Confirmed: counters[countConfirmed], Persisted: counters[countPersisted],
		Failed: counters[countFailed], Tried: counters[countTried], Reread: counters[countReread],
		Left: family(counters, countLeft),
	}
	followed := int64(s.Seen-s.Aliased-len(r.Seeds)) - counters[countBlacklisted]
	r.Links = LinkReport{
		Followed: max(0, followed), SkippedByKB: counters[countSkipped], OutOfScope: counters[countOutOfScope],
		ExcludedByRobots: counters[countExcluded], Duplicates: max(0, counters[countOffered]-followed),
		Blacklisted: counters[countBlacklisted],
	}
}

// family gives the counters whose names start with a prefix, without it.
func family(counters map[string]int64, prefix string) map[string]int64 {
	out := map[string]int64{}
	for name, n := range counters {
		if rest, ok := strings.CutPrefix(name, prefix); ok && n != 0 { // 0: it was taken back
			out[rest] = n
		}
	}
	return out
}

// AddFault counts faults of a kind. The URLs concerned are archived.
func (r *Report) AddFault(kind string, n int64) {
	if n != 0 {
		r.faults[kind] += n
		r.Errors[kind] += n
	}
}

// SeedsAnswered is the number of seeds that were answered with success.
func SeedsAnswered(counters map[string]int64) int64 { return counters[countSeedsGood] }

// Write puts the report into a file, whole or not at all.
func (r *Report) Write(file string) error {
	if err := durable.WriteFile(file, 0o644, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// ReadReport reads a report.json.
func ReadReport(file string) (*Report, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &r, nil
}

// FillSeeds adds what became of each seed. Each frontier entry was added to the outcomes.
func (r *Report) FillSeeds(o *Outcomes, f interface {
	EachMark(fn func(frontier.Mark) error) error
}) error {
	objects := map[string]int64{}
	err := f.EachMark(func(m frontier.Mark) error {
		if IsTarget(m) {
			return nil
		}
		_, id, _ := strings.Cut(m.Key, " ")
		host, err := frontier.HostOf(id)
		if err == nil && (objects[host] > 0 || len(objects) < maxNamed || r.hostPages[host] > 0) {
			objects[host]++
		}
		return nil
	})
	r.SeedsReport = o.Seeds(r.Seeds, r.hostPages, objects)
	return err
}
