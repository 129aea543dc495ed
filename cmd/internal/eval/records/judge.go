package records

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/engine/read/page"
	"github.com/awarc/awarc/engine/read/records"
)

var wordForm = regexp.MustCompile(`[\pL\pN_]+`)

func words(s string) []string { return wordForm.FindAllString(strings.ToLower(s), -1) }

func name(s string) string { return strings.Join(words(s), "") }

// f1 compares two multisets of words.
func f1(a, b map[string]int) float64 {
	common, na, nb := 0, 0, 0
	for w, n := range a {
		common += min(n, b[w])
		na += n
	}
	for _, n := range b {
		nb += n
	}
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(na+nb)
}

func bag(words []string) map[string]int {
	m := map[string]int{}
	for _, w := range words {
		m[w]++
	}
	return m
}

// judge compares records with the posts of a page.
type judge struct {
	p    *page.Page
	want []wanted
	rare map[string][]int // word to the posts that have it
}

type wanted struct {
	bag     map[string]int
	size    int
	rare    int // words that few posts have
	user    string
	profile string // address without its scheme; "" where the truth has a name
	date    string // ISO 8601, to the minute or the day
}

// named reports whether a node is the author of a post: by name, or by the address of the profile.
func (j *judge) named(n int, w wanted) bool {
	if n < 0 {
		return false
	}
	text := name(j.p.Text(n))
	if text != "" && text == w.user {
		return true
	}
	if w.profile == "" || text == "" {
		return false
	}
	href := name(j.p.LinkOf(n))
	return href != "" && strings.HasSuffix(w.profile, href) || len(text) > 2 && strings.Contains(w.profile, text)
}

func newJudge(p *page.Page, posts []Post) *judge {
	j := &judge{p: p, rare: map[string][]int{}}
	r := dates.NewReader("", time.Time{}, slices.Values([]string{}))
	for i, post := range posts {
		ws := words(post.Text)
		w := wanted{bag: bag(ws), size: len(ws), user: name(post.User), date: r.Find(post.Date, dates.Usual{})}
		if strings.ContainsAny(post.User, "/?=") {
			w.profile = w.user
		}
		j.want = append(j.want, w)
		for word := range w.bag {
			j.rare[word] = append(j.rare[word], i)
		}
	}
	for _, of := range j.rare {
		if len(of) <= mostShared {
			for _, post := range of {
				j.want[post].rare++
			}
		}
	}
	return j
}

// text of a node, without some inside it.
func (j *judge) text(n int, left []int) map[string]int {
	if n < 0 {
		return nil
	}
	var ws []string
	for i := n; i < j.p.Nodes[n].End; {
		if slices.Contains(left, i) {
			i = j.p.Nodes[i].End
			continue
		}
		if j.p.Nodes[i].Mark == "#text" {
			ws = append(ws, words(j.p.Text(i))...)
		}
		i++
	}
	return bag(ws)
}

// pair is how well a record and a post agree by words that few posts have, from 0 to 1.
type pair struct {
	record, post int
	agree        float64
}

// assign gives the post that each record most likely is, -1 for none, each post once.
func (j *judge) assign(of []records.Record) []int {
	var pairs []pair
	out := make([]int, len(of))
	for i, r := range of {
		out[i] = -1
		common := map[int]int{}
		seen := map[string]bool{}
		for n := r.First; n < r.End; n = j.p.Nodes[n].End {
			for _, w := range words(j.p.Text(n)) {
				if posts := j.rare[w]; !seen[w] && len(posts) > 0 && len(posts) <= mostShared {
					seen[w] = true
					for _, post := range posts {
						common[post]++
					}
				}
			}
		}
		for post, n := range common {
			pairs = append(pairs, pair{i, post, float64(n) / float64(max(j.want[post].rare, len(seen)))})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.agree, a.agree), a.record-b.record, a.post-b.post)
	})
	taken := map[int]bool{}
	for _, p := range pairs {
		if out[p.record] < 0 && !taken[p.post] {
			out[p.record], taken[p.post] = p.post, true
		}
	}
	return out
}

// mostShared is in how many posts a word may be that tells them apart.
const mostShared = 4

// Score compares records with the truth.
type Score struct {
	Posts     int // of the truth
	Found     int // posts whose text agrees
	Extracted int // records with a text
	Stray     int // records that are none of the posts
	Users     int // found posts whose author agrees
	Dates     int // found posts whose date agrees
	Dated     int // posts of the truth with a date
}

// Add adds the counts of another page.
func (s *Score) Add(t Score) {
	s.Posts += t.Posts
	s.Found += t.Found
	s.Extracted += t.Extracted
	s.Stray += t.Stray
	s.Users += t.Users
	s.Dates += t.Dates
	s.Dated += t.Dated
}

// Least agreement of a found post with the truth, F1 over words.
const found = 0.95

// score compares read records with the truth.
func (j *judge) score(got []records.Record) Score {
	s := Score{Posts: len(j.want)}
	for _, w := range j.want {
		if w.date != "" {
			s.Dated++
		}
	}
	for i, at := range j.assign(got) {
		r := got[i]
		if r.Content < 0 || j.p.Letters(r.Content) == 0 {
			continue
		}
		s.Extracted++
		if at < 0 {
			s.Stray++
		}
		if at < 0 || f1(j.text(r.Content, r.Left), j.want[at].bag) < found {
			continue
		}
		s.Found++
		w := j.want[at]
		if w.user != "" && j.named(r.Author, w) {
			s.Users++
		}
		if w.date != "" && r.Date >= 0 && j.sameDate(r.Date, w.date) {
			s.Dates++
		}
	}
	return s
}

// sameDate compares days: clocks may be of different zones.
func (j *judge) sameDate(n int, want string) bool {
	got, _ := j.p.Date(n)
	day := len("2006-01-02")
	if len(got) < day || len(want) < day {
		return got == want
	}
	if got[:day] == want[:day] {
		return true
	}
	a, err1 := time.Parse(time.DateOnly, got[:day])
	b, err2 := time.Parse(time.DateOnly, want[:day])
	return err1 == nil && err2 == nil && a.Sub(b).Abs() <= 24*time.Hour && len(got) > day && len(want) > day
}
