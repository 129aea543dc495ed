package quality

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// goldenPages is a file of hand-made truth about pages: of forums the number of
// posts with all of them or the first and the last, of blogs the post with its
// comments.
type goldenPages struct {
	Mirror string
	Pages  []goldenPage
}

type goldenPage struct {
	File  string
	Posts *int
	All   []goldenObject // every post in order, or else First and Last
	First *goldenObject
	Last  *goldenObject

	goldenObject
	OnPage       *int          `json:"comments_on_page"`
	FirstComment *goldenObject `json:"first_comment"`
	LastComment  *goldenObject `json:"last_comment"`
}

type goldenObject struct {
	Title, Creator, Created string
	CreatedUTC              string `json:"created_utc"`
	CreatedAttr             string `json:"created_attr"`
	Starts, Ends            string
	AltStarts               string `json:"alt_starts"`
	AltEnds                 string `json:"alt_ends"`
	Empty                   bool
}

// goldenFiles reads all files of hand-made truth.
func goldenFiles(truth string) ([]goldenPages, error) {
	files, err := filepath.Glob(filepath.Join(truth, "golden", "*.json"))
	if err != nil {
		return nil, err
	}
	var list []goldenPages
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var g goldenPages
		if err := json.Unmarshal(data, &g); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		list = append(list, g)
	}
	return list, nil
}

// goldenPath is the file of a page, which is relative to the folder of all pages
// or to that of its mirror.
func (q *quality) goldenPath(g goldenPages, p goldenPage) string {
	if _, err := os.Stat(filepath.Join(q.options.Pages, p.File)); err != nil {
		return filepath.Join(g.Mirror, p.File)
	}
	return p.File
}

// golden compares the objects of pages with what readers wrote down.
func (q *quality) golden() error {
	files, err := goldenFiles(q.options.Truth)
	if err != nil {
		return err
	}
	for _, g := range files {
		for _, p := range g.Pages {
			if err := q.goldenPage(q.goldenPath(g, p), p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (q *quality) goldenPage(file string, want goldenPage) error {
	got, err := q.inspect(file, "")
	if os.IsNotExist(err) {
		return nil // the truth of another corpus
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	cms, _, _ := strings.Cut(filepath.ToSlash(file), "/")
	o := q.report.Objects[cms]
	defer func() { q.report.Objects[cms] = o }()
	o.Pages++
	j := judge{q: q, o: &o, file: file}
	outer, inner := split(got.Harvest.Objects)
	if want.Posts != nil {
		j.count(len(inner) == *want.Posts)
		j.field("title", outer.Value("title"), want.Title)
	} else {
		j.count(want.OnPage == nil || len(inner) == *want.OnPage)
		j.object("", outer, &want.goldenObject)
	}
	for i := range want.All {
		post := extract.Object{} // a post that was not found has every field wrong
		if i < len(inner) {
			post = inner[i]
		}
		j.object("post "+strconv.Itoa(i+1)+" ", post, &want.All[i])
	}
	if len(inner) > 0 {
		j.object("first ", inner[0], firstOf(want.First, want.FirstComment))
		j.object("last ", inner[len(inner)-1], firstOf(want.Last, want.LastComment))
	}
	return nil
}

func firstOf(a, b *goldenObject) *goldenObject {
	if a != nil {
		return a
	}
	return b
}

// split parts the object that a page is about from those that belong to it.
func split(objects []extract.Object) (outer extract.Object, inner []extract.Object) {
	for i, o := range objects {
		if i == 0 {
			outer = o
		} else if o.Class != "sioc:UserAccount" {
			inner = append(inner, o)
		}
	}
	return outer, inner
}

// judge counts what is right on one page.
type judge struct {
	q    *quality
	o    *ObjectQuality
	file string
}

func (j judge) count(exact bool) {
	if exact {
		j.o.CountExact++
		return
	}
	fmt.Fprintf(j.q.wrong, "%s: wrong number of objects\n", j.file)
}

func (j judge) object(which string, got extract.Object, want *goldenObject) {
	if want == nil {
		return
	}
	if want.Title != "" {
		j.field(which+"title", got.Value("title"), want.Title)
	}
	j.field(which+"creator", got.Value("creator"), want.Creator)
	j.field(which+"created", got.Value("created"), want.Created, want.CreatedUTC, want.CreatedAttr)
	content := corpus.Squeeze(got.Value("content"))
	starts := strings.HasPrefix(content, corpus.Squeeze(want.Starts)) && (!want.Empty || content == "") ||
		want.AltStarts != "" && strings.HasPrefix(content, corpus.Squeeze(want.AltStarts))
	ends := strings.HasSuffix(content, corpus.Squeeze(want.Ends)) ||
		want.AltEnds != "" && strings.HasSuffix(content, corpus.Squeeze(want.AltEnds))
	j.verdict(which+"content", starts && ends, got.Value("content"), want.Starts+" ... "+want.Ends)
}

// field judges a value against the forms that are right. Times agree as finely as
// the coarser of the two has them.
func (j judge) field(what, got string, right ...string) {
	ok := false
	for i, w := range right {
		if i > 0 && w == "" {
			continue
		}
		ok = ok || corpus.Squeeze(got) == corpus.Squeeze(w)
		if strings.HasSuffix(what, "created") && got != "" && w != "" {
			w = strings.TrimSuffix(strings.TrimSuffix(w, "Z"), ":00")
			ok = ok || strings.HasPrefix(got, w) || len(got) == len("2006-01-02") && strings.HasPrefix(w, got)
		}
	}
	j.verdict(what, ok, got, right[0])
}

func (j judge) verdict(what string, ok bool, got, want string) {
	j.o.Fields++
	if ok {
		j.o.Right++
		return
	}
	fmt.Fprintf(j.q.wrong, "%s: %s is %q, want %q\n", j.file, what, corpus.Shorten(got), corpus.Shorten(want))
}

// Right lists the pages of some types of which the knowledge base reads all right that readers wrote down.
func Right(whole *detect.Detector, o Options, types []kb.TypeID) (map[string]bool, error) {
	q := newQuality(whole, o, io.Discard)
	files, err := goldenFiles(o.Truth)
	if err != nil {
		return nil, err
	}
	right := map[string]bool{}
	for _, g := range files {
		for _, p := range g.Pages {
			file := q.goldenPath(g, p)
			if cms, _, _ := strings.Cut(filepath.ToSlash(file), "/"); !slices.Contains(types, kb.TypeID(cms)) {
				continue
			}
			q.report.Objects = map[string]ObjectQuality{}
			if err := q.goldenPage(file, p); err != nil {
				return nil, err
			}
			for _, o := range q.report.Objects { // of the one page
				right[filepath.ToSlash(file)] = o.Right == o.Fields && o.CountExact == o.Pages
			}
		}
	}
	return right, nil
}
