package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/draft"
	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/kb"
)

// DraftFolder is where a crawl keeps the types that it drafted, with the pages of their examples, below its folder.
const DraftFolder = LearnedFolder + "/draft"

// When a site of unknown software is drafted, and of what.
const (
	firstDraft   = 32  // pages before the first draft
	moreForDraft = 1.5 // times as many pages as the last draft had before the next one
	unknownOf    = 0.9 // of the pages of a site are of no other type, or its software is known
	draftPages   = 500 // that a draft is made of at most,
	draftOfShape = 40  // and of addresses of one shape
	leastOfShape = 3   // that prove something
	mostDrafted  = 64  // sites
)

// drafts are the sites of which types are drafted. What two drafts say alike, the second of more pages, is sure and put in force.
type drafts struct {
	mu    sync.Mutex
	sites map[string]*undescribed // by host; nil where nothing is drafted
	more  chan struct{}           // of room for one

	drafting sync.Mutex // held while a type is drafted
}

// undescribed is a site of which a type may be drafted.
type undescribed struct {
	pages, known int            // of no type or of the drafted one, and of others
	shapes       map[string]int // pages by the shape of their addresses
	sample       []engine.Exchanged
	next         int // pages for the next draft
	drafted      int // pages at the last one
	content      string
}

// draftID is what the type of a site is called.
func draftID(host string) kb.TypeID {
	return kb.TypeID("draft-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, host))
}

// drafter returns what reports whether a type is a draft of the crawl; nil without --draft.
func (c *Crawl) drafter() func(*kb.Type) bool {
	if !c.settings.Flags.Draft {
		return nil
	}
	return func(t *kb.Type) bool { return filepath.Dir(t.Pos.File) == filepath.Join(c.dir, DraftFolder) }
}

// IsRedirect reports whether the answer of an exchange leads to another URL.
func IsRedirect(e *engine.Exchanged) bool {
	switch e.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// DraftPage reads the page or redirect of an exchange for a draft.
func (f Folders) DraftPage(ctx context.Context, d *detect.Detector, e *engine.Exchanged) (*draft.Page, error) {
	if !IsRedirect(e) {
		p, err := f.ReadPage(ctx, d, e)
		if err != nil {
			return nil, err
		}
		return &draft.Page{Doc: p.Doc, URL: p.URL, Captured: p.Answer.Time}, nil
	}
	a, err := f.Answer(ctx, e.File, e.Offset, engine.StoredMost)
	if err != nil {
		return nil, err
	}
	ex, err := fetch.Stored(a.URL, a.Block, a.Time)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ex.Close() }() // it is in memory
	from, err := url.Parse(a.URL)
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(extract.Resolve(from, ex.Redirect()))
	if err != nil {
		return nil, err
	}
	return &draft.Page{URL: from, To: to}, nil
}

// see records a page or redirect, and starts a draft when its site has enough of them.
func (d *drafts) see(e *engine.Exchanged) {
	redirects := IsRedirect(e)
	if e.Record == "" || e.Revisit != "" || !redirects && (e.Status != 200 || !strings.Contains(e.MIME, "html")) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	u, err := url.Parse(e.URL)
	if d.sites == nil || err != nil {
		return
	}
	s := d.sites[u.Host]
	if s == nil {
		if len(d.sites) == mostDrafted {
			return
		}
		s = &undescribed{shapes: map[string]int{}, next: firstDraft}
		d.sites[u.Host] = s
	}
	if e.Type != "" && kb.TypeID(e.Type) != draftID(u.Host) {
		s.known++
		return
	}
	if !redirects {
		s.pages++
	}
	if shape := ways.Shape(u); len(s.sample) < draftPages && s.shapes[shape] < draftOfShape {
		s.shapes[shape]++
		s.sample = append(s.sample, *e)
	}
	if s.ready(s.next) {
		select {
		case d.more <- struct{}{}:
		default:
		}
	}
}

// ready reports whether so many pages are there, and nearly none of known software.
func (s *undescribed) ready(pages int) bool {
	return s.pages >= pages && float64(s.pages) >= unknownOf*float64(s.pages+s.known)
}

// take gives the sites of which there are enough pages for the next draft, or with last so many more that it may say something else.
func (d *drafts) take(last bool) (hosts []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, host := range slices.Sorted(maps.Keys(d.sites)) {
		s := d.sites[host]
		if s.ready(s.next) || last && s.ready(leastOfShape) && s.pages > s.drafted {
			s.next, s.drafted = max(firstDraft, int(moreForDraft*float64(s.pages))), s.pages
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// recallPages takes note of the pages of earlier sessions.
func (c *Crawl) recallPages() error {
	if !c.settings.Flags.Draft {
		return nil
	}
	c.drafts.sites = map[string]*undescribed{}
	_, err := FirstExchanges(c.dir, 1, func(e *engine.Exchanged) bool {
		c.drafts.see(e)
		return false
	})
	return err
}

// draft drafts types of sites of unknown software until the crawl ends.
func (c *Crawl) draft(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.drafts.more:
			c.draftSites(ctx, false)
		}
	}
}

// lastDrafts drafts once more when nothing is left to fetch: by then all is there that a draft could be made of.
func (c *Crawl) lastDrafts() { c.draftSites(c.stopping, true) }

func (c *Crawl) draftSites(ctx context.Context, last bool) {
	c.drafts.drafting.Lock()
	defer c.drafts.drafting.Unlock()
	for _, host := range c.drafts.take(last) {
		if err := c.draftSite(ctx, host, last); err != nil && ctx.Err() == nil {
			c.note("%s: unknown software, and no type could be drafted: %v", host, err)
		}
	}
}

// draftSite drafts the type of a site. It is put in force when the last draft said the same of content, or there will be no other.
func (c *Crawl) draftSite(ctx context.Context, host string, last bool) error {
	c.drafts.mu.Lock()
	s := c.drafts.sites[host]
	sample := slices.Clone(s.sample)
	c.drafts.mu.Unlock()
	made, err := c.makeDraft(ctx, host, sample)
	if err != nil || made == nil {
		return err
	}
	again := s.content == made.Content
	if s.content = made.Content; !last && (!again || made.Lists == 0) {
		return nil
	}
	return c.useDraft(draftID(host), made)
}

// makeDraft drafts the type of a site from pages of it; nil where they show no posts or articles.
func (c *Crawl) makeDraft(ctx context.Context, host string, sample []engine.Exchanged) (*draft.Draft, error) {
	d := detect.New(c.rules.get())
	var pages []*draft.Page
	for i := range sample {
		p, err := Folder(c.dir).DraftPage(ctx, d, &sample[i])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil { // an unreadable page says nothing
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 {
		return nil, nil
	}
	made, err := draft.Make(string(draftID(host)), pages, c.firstOf(host, pages[0].URL), leastOfShape)
	if errors.Is(err, draft.ErrNoPosts) || errors.Is(err, draft.ErrNoWay) {
		return nil, nil // there may be later
	}
	return made, err
}

// firstOf is the seed on a host, or else its first page.
func (c *Crawl) firstOf(host string, page *url.URL) *url.URL {
	for _, seed := range c.settings.Seeds {
		if u, err := url.Parse(seed); err == nil && u.Host == host {
			return u
		}
	}
	return page
}

// useDraft checks a draft, writes it into the crawl's folder and puts it in force, if it says anything new. That pages are to be read
// again by it is remembered first, since the process may be killed at any moment.
func (c *Crawl) useDraft(id kb.TypeID, made *draft.Draft) error {
	file := filepath.Join(c.dir, DraftFolder, string(id)+".xml")
	source := kb.Source{Name: file, Data: made.XML}
	alone, err := kb.Load(source)
	if err != nil {
		return err
	}
	if was := c.rules.get().Type(id); was != nil && !alone.Type(id).RulesDiffer(was) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	for name, page := range made.Examples {
		if err := writeFile(filepath.Join(filepath.Dir(file), name), page); err != nil {
			return err
		}
	}
	if err := c.tryDraft(id, alone, source); err != nil {
		return err
	}
	c.rules.changing.Lock()
	defer c.rules.changing.Unlock()
	c.expect(id, "")
	if err := writeFile(file, made.XML); err != nil {
		return err
	}
	next, err := c.store().Load()
	if err != nil {
		return fmt.Errorf("%s is not used while the knowledge base is invalid: %w", file, err)
	}
	c.note("%s: unknown software; %s was drafted and is in use: %d posts, comments and articles, "+
		"%d with author, date and text", strings.TrimPrefix(string(id), "draft-"), file, made.Posts, made.Whole)
	c.putInForce(next)
	return nil
}

// tryDraft tries what awarc kb lint and kb test do: alone, and beside the types that may take the pages for theirs.
func (c *Crawl) tryDraft(id kb.TypeID, alone *kb.Base, source kb.Source) error {
	for _, p := range engine.Problems(alone) {
		if p.Severity == kb.SeverityError {
			return fmt.Errorf("%s: %s", p.Where, p.Msg)
		}
	}
	sources, err := c.store().Sources()
	if err != nil {
		return err
	}
	sources = slices.DeleteFunc(sources, func(s kb.Source) bool { return s.Name == source.Name })
	all, err := kb.Load(append(sources, source)...)
	if err == nil {
		all, err = all.Without(c.settings.Flags.Without...)
	}
	if err != nil {
		return err
	}
	for _, base := range []*kb.Base{alone, all} {
		d, t := detect.New(base), base.Type(id)
		for i := range t.Examples {
			r, err := engine.RunExample(d, t, &t.Examples[i])
			if err == nil && len(r.Failures) > 0 {
				err = errors.New(r.Failures[0].Msg)
			}
			if err != nil {
				return fmt.Errorf("its example %s: %w", t.Examples[i].Page, err)
			}
		}
	}
	return nil
}

func writeFile(name string, data []byte) error {
	return durable.WriteFile(name, 0o644, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
