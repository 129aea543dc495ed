package unknown

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
)

// Wiki is a wiki whose pages name their categories in the way of Oddmuse, such as CategoryGnus.
// Each category is a topic, and the pages that name it are its targets.
type Wiki struct {
	// Pages is the folder of the wiki's pages in its markup.
	Pages string `yaml:"pages"`
	// Topics is a folder for topics, lists of targets and the ontology. They are written.
	Topics string `yaml:"topics"`
	// Categories are the topics.
	Categories []string `yaml:"categories"`
}

var (
	namedCategory = regexp.MustCompile(`(?:^|[^\pL\pN_])Category([A-Z][\pL\pN_]+)`)
	wordBoundary  = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	longWord      = regexp.MustCompile(`[a-z]{4,}`)
)

// leastMembers is the number of pages from which on a category is a concept of the ontology. It is arbitrary.
const leastMembers = 5

// commonWords are not taken as keywords.
var commonWords = strings.Fields(`with from this that your using also emacs page pages category wiki have list other some about
	more when there which buffer mode`)

// wikiPages are the texts of a wiki by page, and the pages that name each category.
type wikiPages struct {
	texts   map[string]string
	members map[string][]string
}

func readWiki(dir string) (*wikiPages, error) {
	w := &wikiPages{map[string]string{}, map[string][]string{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		w.texts[e.Name()] = string(text)
		for _, c := range categoriesIn(string(text)) {
			w.members[c] = append(w.members[c], e.Name())
		}
	}
	return w, nil
}

// categoriesIn returns the categories that a text names, sorted.
func categoriesIn(text string) (names []string) {
	for _, m := range namedCategory.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// label is the name of a category as words.
func label(category string) string { return wordBoundary.ReplaceAllString(category, "$1 $2") }

// ontology returns the categories as concepts in Turtle, each related to the categories that its page names.
func (w *wikiPages) ontology() string {
	var b strings.Builder
	b.WriteString("@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n")
	concept := func(c string) bool {
		return len(w.members[c]) >= leastMembers && utf8.RuneCountInString(c) == len(c)
	}
	for _, c := range slices.Sorted(maps.Keys(w.members)) {
		if !concept(c) {
			continue
		}
		fmt.Fprintf(&b, `<http://wiki.example/%s> a skos:Concept ; skos:prefLabel "%s"@en ; skos:altLabel "%[1]s"@en`, c, label(c))
		for _, r := range categoriesIn(w.texts["Category"+c]) {
			if r != c && concept(r) {
				fmt.Fprintf(&b, " ; skos:related <http://wiki.example/%s>", r)
			}
		}
		b.WriteString(" .\n")
	}
	return b.String()
}

// keywords returns the name of a category and the most frequent other word of its page.
func (w *wikiPages) keywords(category string) []string {
	name, counts := strings.ToLower(label(category)), map[string]int{}
	for _, word := range longWord.FindAllString(strings.ToLower(w.texts["Category"+category]), -1) {
		if !slices.Contains(commonWords, word) && !strings.Contains(name, word) {
			counts[word]++
		}
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	return append([]string{name}, words[:min(1, len(words))]...)
}

// categories writes the topics of a wiki and returns a column for each. Beside the topic of a
// category, X.yaml, there are X-keywords.yaml and X-ontology.yaml for crawls by one of its halves.
func (c *Column) categories() (columns []Column, err error) {
	w, err := readWiki(c.Wiki.Pages)
	if err != nil {
		return nil, err
	}
	files := map[string]string{"wiki.ttl": w.ontology()}
	for _, category := range c.Wiki.Categories {
		keywords := yaml.MapItem{Key: "keywords", Value: w.keywords(category)}
		ontology := yaml.MapItem{Key: "ontology", Value: yaml.MapSlice{
			{Key: "file", Value: "wiki.ttl"}, {Key: "concepts", Value: []string{label(category)}}}}
		for name, topic := range map[string]yaml.MapSlice{"": {keywords, ontology}, "-keywords": {keywords}, "-ontology": {ontology}} {
			text, err := yaml.Marshal(topic)
			if err != nil {
				return nil, err
			}
			files[category+name+".yaml"] = string(text)
		}
		for _, page := range w.members[category] {
			if page != "Category"+category {
				files[category+".list"] += (&url.URL{Path: "/wiki/" + page}).String() + "\n"
			}
		}
		one := *c
		one.Wiki, one.of, one.Name, one.Crawls = nil, c.Name, c.Name+", "+category, slices.Clone(c.Crawls)
		one.Topic, one.List = filepath.Join(c.Wiki.Topics, category+".yaml"), filepath.Join(c.Wiki.Topics, category+".list")
		for i := range one.Crawls {
			one.Crawls[i].Value = strings.ReplaceAll(fmt.Sprint(one.Crawls[i].Value), "*", category)
		}
		columns = append(columns, one)
	}
	if err := os.MkdirAll(c.Wiki.Topics, 0o777); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(c.Wiki.Topics, name), []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// Together returns reports with one more after the last category of each wiki: the sum of the
// targets after each number of requests, and the medians of the requests for parts of them.
func Together(reports []*Report) (all []*Report) {
	for i := 0; i < len(reports); {
		end := i + 1
		for ; end < len(reports) && reports[i].of != "" && reports[end].of == reports[i].of; end++ {
		}
		all = append(all, reports[i:end]...)
		if reports[i].of != "" {
			all = append(all, sum(reports[i:end]))
		}
		i = end
	}
	return all
}

func sum(reports []*Report) *Report {
	r := &Report{Name: reports[0].of}
	for k, first := range reports[0].Curves {
		c, at := &Curve{Name: first.Name, At: map[int]int{}}, map[int][]int{}
		for _, one := range reports {
			other := one.Curves[k]
			c.Requests, c.Contents = max(c.Requests, other.Requests), c.Contents+other.Contents
			c.after = append(c.after, other.after...)
			for _, part := range parts {
				at[part] = append(at[part], cmp.Or(other.At[part], never))
			}
		}
		slices.Sort(c.after)
		for part, requests := range at {
			slices.Sort(requests)
			if median := requests[len(requests)/2]; median < never {
				c.At[part] = median
			}
		}
		r.Curves = append(r.Curves, c)
	}
	for _, one := range reports {
		r.Contents += one.Contents
	}
	return r
}

// never stands for more requests than any crawl has.
const never = 1 << 60
