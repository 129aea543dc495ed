package unknown

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// harvests are the numbers of requests after which targets are counted.
var harvests = [...]int{50, 200, 1000}

// Focus measures how soon crawls fetched the pages of a site whose addresses match, each once. over is a crawl of the whole site, over
// which breadth first and orders at random, one for each of the seeds, are simulated; "" for none.
func Focus(
	ctx context.Context, base *kb.Base, crawls []Source, match *regexp.Regexp, over string, seeds int, progress func(string),
) (*Report, error) {
	r, all := &Report{}, map[string]bool{}
	target := func(address string) string {
		u, err := url.Parse(address)
		if err != nil || !match.MatchString(u.RequestURI()) {
			return ""
		}
		return (&kb.URLRules{}).Key(u)
	}
	for _, s := range crawls {
		progress(s.Dir)
		c, found := &Curve{Name: s.Name}, map[string]bool{}
		err := eachExchange(s.Dir, func(e *engine.Exchanged) error {
			c.Requests++
			if id := target(e.URL); id != "" && e.Status == 200 && !found[id] {
				found[id], all[id] = true, true
				c.after = append(c.after, c.Requests)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		r.Curves = append(r.Curves, c)
	}
	if over != "" {
		progress(over)
		s, err := readSite(ctx, over, detect.New(base))
		if err != nil {
			return nil, err
		}
		for key, n := range s.number {
			s.has[n] = nil
			if id := target(key); id != "" && s.fetched[n] {
				s.has[n], all[id] = []string{id}, true
			}
		}
		r.Curves = append(r.Curves, s.crawl("breadth first, simulated", firstCome{}))
		r.Curves = append(r.Curves, s.atRandom(seeds)...)
	}
	r.fill(len(all))
	return r, nil
}

// shuffled orders links at random.
type shuffled struct{ *rand.Rand }

func (s shuffled) rank([]string) float64 { return s.Float64() }
func (shuffled) led([]string, int) bool  { return false }

// atRandom simulates crawls at random and returns the one with the median of requests for half of the targets.
func (s *site) atRandom(seeds int) []*Curve {
	var curves []*Curve
	for i := range seeds {
		curves = append(curves, s.crawl(fmt.Sprintf("random, median of %d", seeds), shuffled{rand.New(rand.NewPCG(uint64(i), 1))}))
	}
	half := func(c *Curve) int {
		if len(c.after) == 0 {
			return 0
		}
		return c.after[len(c.after)/2]
	}
	slices.SortFunc(curves, func(a, b *Curve) int { return half(a) - half(b) })
	if len(curves) == 0 {
		return nil
	}
	return curves[len(curves)/2 : len(curves)/2+1]
}

// PrintFocus prints the report of [Focus] as a table.
func (r *Report) PrintFocus(w io.Writer) error {
	if err := r.print(w, "targets"); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%-26s", "targets after requests")
	for _, n := range harvests {
		fmt.Fprintf(w, " %6d", n)
	}
	for _, c := range r.Curves {
		fmt.Fprintf(w, "\n%-26s", c.Name)
		for _, n := range harvests {
			found, _ := slices.BinarySearch(c.after, n+1)
			fmt.Fprintf(w, " %6d", found)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}
