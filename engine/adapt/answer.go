package adapt

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/awarc/awarc/kb"
)

// answers gives the share of several objects in which a value is the page's title, as it is or after what an answer puts before it ("Re:"),
// and after so many labels; 0 where they are not most. A word out of its middle is none.
func (s *session) answers(values []string, labels int) float64 {
	n, titles := 0, 0
	for _, v := range values {
		if v == "" {
			continue
		}
		n++
		for range labels {
			_, v, _ = strings.Cut(v, ":")
		}
		if _, rest, _ := strings.Cut(v, ":"); s.partOfTitle(v) || s.partOfTitle(rest) {
			titles++
		}
	}
	if n < 2 || 2*titles <= n {
		return 0
	}
	return float64(titles) / float64(n)
}

// partOfTitle reports whether a text is one of the parts of the title of the window, or most of one.
func (s *session) partOfTitle(v string) bool {
	t := plainTitle(v)
	return len(t) > 2 && slices.ContainsFunc(s.parts, func(part string) bool { return 2*len(t) > len(part) && strings.Contains(part, t) })
}

// signs stand between what the title of a window is made of.
const titleSign = `\s[-–—|•·»«:>/~]+\s`

// titleSigns part what stands in the title of a window.
var titleSigns = regexp.MustCompile(titleSign + `|:\s`)

// longestAnswer is how long a word may be that an answer puts before a title: "Re", "Aw", "Odp". A longer one that stands in all objects is
// a label.
const longestAnswer = 3

// subject cuts the titles of several objects as what they are asks, and not as those of another template were cut: a label that all have is
// none of a title. A cut that asks for no label, and leaves a title as it is, stays: it is of what answers put before it.
func (s *session) subject(f *kb.Field, sc *scope, c *candidate) {
	const title = "A title"
	was := c.match
	if was != nil && was.Cut(title) == title {
		return
	}
	c.match = nil
	s.values(f, c, sc)
	switch {
	case sameLabel(c.values) && s.answers(c.values, 1) > 0:
		c.match = labelCut
	case s.answers(c.values, 0) > 0 || was == nil:
		return
	default:
		c.match = was
	}
	s.values(f, c, sc)
}

// sameLabel reports whether all of several values begin with one label.
func sameLabel(values []string) bool {
	label, n := "", 0
	for _, v := range values {
		if v == "" {
			continue
		}
		first, _, has := strings.Cut(v, ":")
		if !has || n > 0 && first != label || utf8.RuneCountInString(first) <= longestAnswer {
			return false
		}
		label = first
		n++
	}
	return n > 1
}

// labelCut cuts a label off a title: "Post subject: Re: Rope for a mooring".
var labelCut = &kb.Regexp{Regexp: regexp.MustCompile(`^[^:]*:\s*(.+)$`)}

// dateLabel is what stands before a date, up to its colon.
var dateLabel = regexp.MustCompile(`^(\pL[\pL ]{1,24}):\s*(.+)$`)
