package crawl

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/browser"
)

// Values of [Fetching.Browser].
const (
	BrowserAuto   = "auto"
	BrowserAlways = "always"
	BrowserNever  = "never"
)

// browserFolder has the profile of the browser while a session runs, below the crawl's folder.
const browserFolder = "state/browser"

// rendering returns how the crawl renders pages. Its browser starts with the first page that needs it.
func (c *Crawl) rendering() (r engine.Rendering, err error) {
	flags := &c.settings.Flags
	if c.topic != nil && c.topic.parsed != nil {
		for _, k := range c.topic.parsed.Keywords {
			if k.Weight > 0 {
				r.Keywords = append(r.Keywords, k.Term)
			}
		}
	}
	if flags.Browser == BrowserNever {
		return r, nil
	}
	path, err := browser.Find()
	if err != nil && flags.Browser == BrowserAuto {
		return r, nil // the report names the pages that would need one
	} else if err != nil {
		return r, err
	}
	folder := filepath.Join(c.dir, browserFolder)
	if err := os.RemoveAll(folder); err != nil { // of a killed session
		return r, err
	}
	member := flags.Login != "" || flags.Cookies != "" // whose clicks could change something
	c.browser = browser.New(browser.Options{Path: path, Folder: folder, UserAgent: flags.agent(), NoClicks: member})
	methods := flags.BrowserMethods
	if len(methods) == 0 && !member {
		methods = []string{http.MethodPost}
	}
	r.Screenshots = flags.Screenshots
	r.Share = flags.BrowserShare
	r.Clicked = len(flags.BrowserMethods) > 0
	r.Browser, r.All, r.Delay, r.Methods = c.browser, flags.Browser == BrowserAlways, flags.Delay, methods
	return r, nil
}

// methodsOf are the methods that scripts may be permitted to use.
var methodsOf = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, "none"}

// checkBrowser complains about an unknown value, and about a browser that is required and not installed.
func (o Options) checkBrowser() error {
	if o.BrowserShare < 0 || o.BrowserShare > 1 {
		return complain("%s %v: expected a number from 0 to 1; 0 means no limit", option("BrowserShare"), o.BrowserShare)
	}
	for _, m := range o.BrowserMethods {
		if !slices.Contains(methodsOf, m) || m == "none" && len(o.BrowserMethods) > 1 {
			return complain("%s %q: expected some of POST, PUT, PATCH and DELETE, or none", option("BrowserMethods"), m)
		}
	}
	switch o.Browser {
	case BrowserAuto, BrowserNever:
		return nil
	case BrowserAlways:
		if _, err := browser.Find(); err != nil {
			return complain("%s always: %v", option("Browser"), err)
		}
		return nil
	}
	return complain("%s %q: expected auto, always or never", option("Browser"), o.Browser)
}
