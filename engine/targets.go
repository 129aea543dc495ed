package engine

import (
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Targets are the files or records that a crawl looks for. nil means none.
type Targets struct {
	all []target
}

// target is one kind of targets; exactly one field besides spec is set.
type target struct {
	spec      string
	mediaType string   // "type/subtype", or "type/" for all of a type
	extension string   // with its dot, in lower case
	class     string   // of objects
	expr      *kb.Expr // that selects something on a page
}

// longestTarget bounds the text of a kind in bytes: the frontier counts by it.
const longestTarget = 400

// ParseTargets reads kinds of targets: media types (application/pdf, image/*), extensions (.csv),
// classes of objects (sioc:Post), all with commas between them, and XPath expressions, which start
// with a slash or a parenthesis and stand alone.
func ParseTargets(specs []string) (*Targets, error) {
	var t Targets
	var errs []error
	for _, list := range specs {
		kinds := []string{list}
		if trimmed := strings.TrimSpace(list); !strings.HasPrefix(trimmed, "/") && !strings.HasPrefix(trimmed, "(") {
			kinds = strings.Split(list, ",")
		}
		for _, spec := range kinds {
			one, err := parseTarget(strings.TrimSpace(spec))
			if err == nil && len(spec) > longestTarget {
				err = fmt.Errorf("longer than %d bytes", longestTarget)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%q: %w", spec, err))
			}
			t.all = append(t.all, one)
		}
	}
	if len(specs) == 0 {
		return nil, nil
	}
	return &t, errors.Join(errs...)
}

func parseTarget(spec string) (target, error) {
	one := target{spec: spec}
	main, sub, isType := strings.Cut(spec, "/")
	prefix, name, isClass := strings.Cut(spec, ":")
	switch {
	case strings.HasPrefix(spec, "/"), strings.HasPrefix(spec, "("):
		var err error
		one.expr, err = kb.NewExpr(spec)
		return one, err
	case strings.HasPrefix(spec, ".") && len(spec) > 1 && !strings.ContainsAny(spec, "/ *"):
		one.extension = strings.ToLower(spec)
	case isType && isToken(main) && sub == "*":
		one.mediaType = strings.ToLower(main) + "/"
	case isType && isToken(main) && isToken(sub):
		one.mediaType = strings.ToLower(spec)
	case isClass && isToken(prefix) && isToken(name):
		one.class = spec
		if _, err := graph.Class(spec); err != nil {
			return one, errors.New(strings.TrimPrefix(err.Error(), "graph: "))
		}
	default:
		return one, errors.New("expected a media type (application/pdf), an extension (.pdf), a class (sioc:Post) or an XPath (//table)")
	}
	return one, nil
}

func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`/*:;,"'()<>@[]{}`, r) })
}

// found returns marks of the targets in an answer: objects of a class by their ids, files by their
// payloads, pages by their keys. So a target counts once, however many addresses it has. near is
// the type of the site, nil for none. On pages without a level of the type, such as print views,
// its objects are copies and do not count.
func (t *Targets) found(lease leased, ex *fetch.Exchange, r *pageResult, near *kb.Type) (marks []frontier.Mark) {
	if t == nil || ex == nil || ex.Status != http.StatusOK || r.excluded != "" {
		return nil
	}
	payload := cmp.Or(ex.PayloadDigest, lease.Key)
	if r.isPage {
		payload = lease.Key
	}
	for _, one := range t.all {
		mark := func(id string) {
			marks = append(marks, frontier.Mark{Key: "target " + one.spec + " " + id, Counter: countTargets + one.spec})
		}
		switch {
		case one.mediaType != "" && one.isMedia(r.mime), one.expr != nil && slices.Contains(r.selected, one.spec),
			one.extension != "" && strings.EqualFold(path.Ext(lease.at.Path), one.extension):
			mark(payload)
		case one.class != "":
			ids := r.idsFound(one.class)
			if near == nil || r.page.Harvest.Level != nil || !one.isOf(near.Levels) {
				ids = append(ids, r.page.idsOf(one.class)...)
			}
			for _, id := range ids {
				mark(id)
			}
		}
	}
	return marks
}

// On reports whether an archived answer is a target or has one. p is nil for files.
func (t *Targets) On(e *Exchanged, p *Page) bool {
	if t == nil || e.Status != http.StatusOK {
		return false
	}
	return slices.ContainsFunc(t.all, func(one target) bool {
		switch {
		case one.mediaType != "":
			return one.isMedia(e.MIME)
		case one.extension != "":
			u, err := url.Parse(e.URL)
			return err == nil && strings.EqualFold(path.Ext(u.Path), one.extension)
		case p == nil:
			return false
		case one.class != "":
			return len(p.idsOf(one.class)) > 0
		}
		return one.selects(p)
	})
}

func (t *target) selects(p *Page) bool {
	return t.expr != nil && len(t.expr.Select(p.Doc, kb.NewWork(targetWork))) > 0
}

func (t *target) isMedia(mime string) bool {
	return mime == t.mediaType || strings.HasSuffix(t.mediaType, "/") && strings.HasPrefix(mime, t.mediaType)
}

// idsOf returns the ids of the objects of a class on a page; none on a list, which only links to
// them.
func (p *Page) idsOf(class string) (ids []string) {
	if v := p.Harvest.Level; v != nil && v.Kind == kb.Intermediate {
		return nil
	}
	for _, o := range p.Harvest.Objects {
		if o.Class == class {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// idsFound returns the ids of the objects of a class that plugins found on a page.
func (r *pageResult) idsFound(class string) (ids []string) {
	if r.assessed == nil {
		return nil
	}
	for _, found := range r.assessed.Found {
		for _, o := range found.Objects {
			if graph.Prefixed(o.Class) == class {
				id := o.ID
				if id == "" || strings.HasPrefix(id, "_:") { // a name on this page only
					id = r.page.URL.String() + id
				}
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// targetWork bounds the steps of an expression on one page. It is arbitrary: the actions of a level
// have a hundred times more.
const targetWork = 1 << 20

// selected returns the kinds whose expressions select something on a page; none on a copy of
// another page.
func (t *Targets) selected(p *Page, original bool) (kinds []string) {
	if t == nil || !original {
		return nil
	}
	for _, one := range t.all {
		if one.selects(p) {
			kinds = append(kinds, one.spec)
		}
	}
	return kinds
}

// promises reports whether a link probably leads to a target: by the extension of its address, or
// because the knowledge base describes objects of a target's class at its level.
func (t *Targets) promises(typ *kb.Type, to kb.LevelID, u *url.URL) bool {
	if t == nil {
		return false
	}
	extension := strings.ToLower(path.Ext(u.Path))
	media, _, _ := mime.ParseMediaType(mime.TypeByExtension(extension))
	return slices.ContainsFunc(t.all, func(one target) bool {
		subtype := strings.TrimPrefix(extension, ".")
		return extension != "" && (one.extension == extension || strings.HasSuffix(one.mediaType, "/"+subtype)) ||
			one.mediaType != "" && media != "" && !isHTML(media) && one.isMedia(media) ||
			typ != nil && to != "" && one.isOf(typ.Level(to))
	})
}

// isOf reports whether the target is a class of objects on some pages of content.
func (t *target) isOf(levels []*kb.Level) bool {
	return t.class != "" && slices.ContainsFunc(levels, func(v *kb.Level) bool {
		return v.Kind == kb.Terminal && describes(v.Objects, t.class)
	})
}

// embedded returns the images and other files in a page that are probably targets.
func (t *Targets) embedded(p *Page) []extract.Link {
	return slices.DeleteFunc(p.requisites(false), func(l extract.Link) bool { return !t.promises(nil, "", parseURL(l.URL)) })
}

// describes reports whether there are objects of a class among some or inside them.
func describes(objects []*kb.Object, class string) bool {
	return slices.ContainsFunc(objects, func(o *kb.Object) bool { return o.Class == class || describes(o.Objects, class) })
}

// IsTarget reports whether a mark counts a target, not an object.
func IsTarget(m frontier.Mark) bool { return strings.HasPrefix(m.Counter, countTargets) }

// countTargets counts distinct targets by the text of their kind.
const countTargets = "targets/"

// RewardOf returns what the learner of link patterns looks for in a crawl with targets, or with
// scores of pages, or with neither.
func RewardOf(targets, scores bool) ways.Reward {
	switch {
	case targets:
		return ways.NewTargets{}
	case scores:
		return ways.Score{}
	}
	return ways.NewText{}
}

// answer is an answer as the rewards of link patterns see it.
func (v *visited) answer() ways.Answer {
	a := ways.Answer{Text: v.page.text, Redirects: v.ex != nil && v.ex.Redirect() != ""}
	for _, m := range v.page.targets {
		a.Targets = append(a.Targets, m.Key)
	}
	if v.page.assessed != nil {
		a.Score = v.page.assessed.Worth
	}
	return a
}

// FillTargets counts the targets of a crawl that looks for some.
func (r *Report) FillTargets(counters map[string]int64) {
	r.Targets = family(counters, countTargets)
}
