package cockpit

import (
	"net/http"
	"net/url"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
)

// whyView is what a crawl knows of a URL.
type whyView struct {
	URL, Fault string
	Known      *crawl.Explanation
	Exchange   *engine.Exchanged // the last; nil where there was none, or long ago
	Page       *engine.Explanation
	Status     int
	Title      string
	PageFault  string
	Last       []engine.Exchanged // pages to choose from, where none is named
}

// why says of a URL whether it was or will be fetched, and why; of an archived page, why it is of its type and level.
func (c *Cockpit) why(w http.ResponseWriter, r *http.Request) {
	v := whyView{URL: r.FormValue("url")}
	switch u, err := engine.SeedURL(v.URL); {
	case v.URL == "":
		v.Last = c.lastPages(r.Context(), r.PathValue("name"))
	case err != nil:
		v.Fault = err.Error()
	default:
		c.explain(r, u, &v)
	}
	c.show(w, r, "why", v)
}

func (c *Cockpit) explain(r *http.Request, u *url.URL, v *whyView) {
	name := r.PathValue("name")
	dir := c.Crawls.Folder(name)
	var known crawl.Explanation
	var err error
	if s := c.Crawls.Session(name); s != nil {
		known, err = s.Crawl.Explain(u)
	} else {
		known, err = crawl.Explain(r.Context(), dir, c.Software, u)
	}
	if err != nil {
		v.Fault = err.Error()
	} else {
		v.Known = &known
	}
	folders := c.folders(r.Context(), name)
	found, err := folders.ExchangesOf(u.String(), func(e *engine.Exchanged) bool { return !e.Robots && e.Method == "" })
	if err != nil || len(found) == 0 {
		return
	}
	v.Exchange = &found[0]
	d, err := c.detector(dir)
	if err == nil {
		var p *crawl.Page
		if p, err = folders.ReadPage(r.Context(), d, v.Exchange); p != nil {
			x := engine.Explain(d, p.Page, p.Answer.Time)
			v.Page, v.Status, v.Title = &x, p.Status, p.Title()
		}
	}
	if err != nil && v.Exchange.Record != "" {
		v.PageFault = err.Error()
	}
}

// detector recognizes pages by the knowledge base as a crawl has it now.
func (c *Cockpit) detector(dir string) (*detect.Detector, error) {
	settings, err := crawl.ReadSettings(dir)
	if err != nil {
		return nil, err
	}
	base, err := settings.Store(dir).Load()
	if err != nil {
		return nil, err
	}
	return detect.New(base), nil
}
