package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/testsites"
)

func TestScopeFilesAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"- exclude: {path: /x/}\n- exclude: {pth: /x/}\n":        `scope.yaml:2: unknown field "pth"`,
		"- exclude: {path: /x/}\n\n- only:\n    - {size: 10M}\n": `scope.yaml:3: invalid bound "10M"`,
		"- exclude: {path: /x/}\n- skip: {path: /x/}\n":          `scope.yaml:2: unknown field "skip"`,
		"- exclude: {path: /x/}\n  only: {path: /y/}\n":          "scope.yaml:1: expected one of exclude, only and also",
		"\n\n- only:\n": "scope.yaml:3: expected one of exclude, only and also",
		"- exclude: {url: a}\n- exclude:\n    url: '('\n":       "scope.yaml:2: exclude: url: '(': url: error parsing regexp",
		"- also: {mime: image/*}\n":                             "use them in exclude",
		"exclude: {path: /x/}\n":                                "scope.yaml:1: expected one list of rules",
		"- exclude: {path: [/x/, {}]}\n":                        "scope.yaml:1: ",
		"- exclude: {path: /x/}\n- exclude: &a {path: /y/}\n":   "scope.yaml:2: anchors and aliases",
		"- exclude: {path: /x/, path: /y/}\n":                   "scope.yaml:1: ",
		"- exclude: {path: /x/\n":                               "scope.yaml:1: ",
		"- exclude: {not: {}}\n":                                "scope.yaml:1: exclude: {not: {}}: not: no condition",
		"- exclude: {hops: many}\n":                             `scope.yaml:1: invalid bound "many"`,
		"- exclude: {path: /x/}\n---\n- exclude: {path: /x/}\n": "scope.yaml:3: expected one list of rules",
		"- exclude: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {path: " +
			"/}}}}}}}}}}}}}}}}}}}\n": "nested deeper",
	} {
		o := awarc(t, "", "crawl", "--dry-run", "--scope", write(t, "scope.yaml", text), "http://a.example/")
		o.want(t, exitUsage, want)
		if strings.Count(o.err, "\n") > 2 {
			t.Errorf("more than the error is told:\n%s", o.err)
		}
	}
	for _, text := range []string{"", "# nothing\n", "[]\n", "- exclude: {path: /x/}\n",
		"- only:\n  - path: /x/\n    depth: under 4\n  - host: ['*.example', b.example]\n    not: {lang: [de, en]}\n"} {
		awarc(t, "", "crawl", "--dry-run", "--scope", write(t, "scope.yaml", text), "http://a.example/").want(t, exitDone)
	}
	awarc(t, "", "crawl", "--scope", "no-such-file.yaml", "http://a.example/").want(t, exitUsage, "no-such-file.yaml")
	awarc(t, "", "crawl", "--scope", write(t, "scope.yaml", "#"+strings.Repeat("x", 256<<10)), "http://a.example/").want(t, exitUsage,
		"larger than")
}

// pages serves pages of HTML by their paths, each with links.
type pages map[string][]string

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	list, ok := p[r.URL.RequestURI()]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!DOCTYPE html><title>x</title><body>")
	for _, l := range list {
		fmt.Fprintf(w, `<a href="%s">a link</a> `, l)
	}
}

// paths lists path and query of all requests but robots.txt, sorted.
func paths(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, e := range readLog(t, dir) {
		if u, err := url.Parse(e.URL); err == nil && !e.Robots {
			all = append(all, u.RequestURI())
		}
	}
	slices.Sort(all)
	return all
}

// scoped crawls with a scope file.
func scoped(t *testing.T, rules string, args ...string) (dir string, o outcome) {
	t.Helper()
	return runCrawl(t, append([]string{"--scope", write(t, "scope.yaml", rules)}, args...)...)
}

// What logs out or deletes is asked for by no link, image, redirect or guess of a blind crawl, unless a rule says so.
func TestNeverFollowed(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var out []string
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<title>x</title><a href="/a">a</a><a href="/user/logout?k=1">Log out</a><a href="/post/3/delete">Delete</a>`+
				`<a href="/2024/delete">Delete!</a><a href="/gone">gone</a><img src="/logout.php"><img src="/logout.gif">`)
		case "/gone":
			http.Redirect(w, r, "/index.php?mode=logout", http.StatusFound)
		default:
			mu.Lock()
			defer mu.Unlock()
			out = append(out, r.URL.Path)
		}
	}))
	_, o := runCrawl(t, "--blind", "--requisites", base+"/")
	o.want(t, exitDone, "")
	if !strings.Contains(o.out, "left out   4 never followed: ") {
		t.Errorf("the summary does not say what was left out:\n%s", o.out)
	}
	_, o = scoped(t, "- also: {path: /post/}\n", "--blind", base+"/")
	o.want(t, exitDone)
	slices.Sort(out)
	out = slices.DeleteFunc(slices.Compact(out), func(p string) bool { return p == "/robots.txt" || p == "/favicon.ico" })
	if want := []string{"/2024/delete", "/a", "/logout.gif", "/post/3/delete"}; !slices.Equal(out, want) {
		t.Errorf("asked for %v, want %v", out, want)
	}
}

func TestScopeFileBoundsACrawl(t *testing.T) {
	t.Parallel()
	site := pages{"/": {"/a/1", "/b/1", "/a/x/2", "/b/keep"}, "/a/1": {"/b/2"}, "/a/x/2": nil, "/b/keep": {"/a/3"}, "/a/3": nil,
		"/b/1": nil, "/b/2": nil}
	base := serve(t, site)
	dir, o := scoped(t, "- also: {path: /b/keep}\n- exclude: {path: /b/}\n- exclude: {path: /a/, depth: over 2}\n", base+"/")
	o.want(t, exitDone)
	if got, want := paths(t, dir), []string{"/", "/a/1", "/a/3", "/b/keep"}; !slices.Equal(got, want) {
		t.Errorf("asked for %v, want %v", got, want)
	}
	if want := "  left out   2 scope.yaml:2: exclude: {path: /b/}"; !strings.Contains(o.out, want) {
		t.Errorf("the summary does not say %q:\n%s", want, o.out)
	}
	r := readReport(t, dir)
	if n := r.Scope["scope.yaml:2: exclude: {path: /b/}"]; n != 2 || len(r.Scope) != 2 || r.Links.OutOfScope != 3 {
		t.Errorf("the report counts %v, and %d links out of scope", r.Scope, r.Links.OutOfScope)
	}
	for path, want := range map[string]string{"/b/1": "scope.yaml:2: exclude: {path: /b/}", "/a/x/2": "scope.yaml:3: exclude:",
		"/b/keep": "a link on", "/b/keep2": "in scope by scope.yaml:1: also:"} {
		if o := awarc(t, "", "explain", dir, base+path); !strings.Contains(o.out, want) {
			t.Errorf("explain of %s does not say %q:\n%s", path, want, o.out)
		}
	}
}

// The answers that rules do not want end after their header, or where they become too large.
func TestScopeFileEndsExchanges(t *testing.T) {
	t.Parallel()
	documented(t, "- exclude: {size: over 10M}", "- exclude: {mime: [video/*, audio/*]}")
	const big, small = 11 << 20, 9 << 20
	kinds := map[string]string{"/declared.bin": "application/zip", "/chunked.bin": "application/zip", "/small.bin": "application/zip",
		"/film": "video/mp4"}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := kinds[r.URL.Path]
		if kind == "" {
			pages{"/": {"/declared.bin", "/chunked.bin", "/small.bin", "/film", "/error-film"}, "/error-film": nil}.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", kind)
		switch r.URL.Path {
		case "/film", "/small.bin":
			w.Header().Set("Content-Length", fmt.Sprint(small))
			w.Write(make([]byte, small))
			return
		case "/chunked.bin":
			w.(http.Flusher).Flush()
		default:
			w.Header().Set("Content-Length", fmt.Sprint(big))
		}
		w.Write(make([]byte, big))
	}))
	dir, o := scoped(t, "- exclude: {size: over 10M}\n- exclude: {mime: [video/*, audio/*]}\n", base+"/")
	o.want(t, exitDone)
	got := map[string]engine.Exchanged{}
	for _, e := range readLog(t, dir) {
		got[strings.TrimPrefix(e.URL, base)] = e
	}
	for path, want := range map[string]struct {
		least, most int64 // bytes of the answer
		rule        string
	}{
		"/declared.bin": {100, 1 << 10, "scope.yaml:1: "},
		"/chunked.bin":  {10 << 20, 10<<20 + 10<<10, "scope.yaml:1: "},
		"/small.bin":    {small, small + 1<<10, ""},
		"/film":         {100, 1 << 10, "scope.yaml:2: "},
		"/error-film":   {1, 1 << 10, ""},
	} {
		e := got[path]
		if e.Bytes < want.least || e.Bytes > want.most || !strings.HasPrefix(e.Scope, want.rule) || (e.Scope != "") != (want.rule != "") ||
			(e.Truncated == "length") != (want.rule != "") || e.Record == "" {
			t.Errorf("%s: %d bytes, truncated %q, rule %q, record %q; want %d to %d and the rule %q", path, e.Bytes, e.Truncated, e.Scope,
				e.Record, want.least, want.most, want.rule)
		}
	}
	r := readReport(t, dir)
	if len(r.Errors) > 0 || r.Queue.Excluded != 3 ||
		!strings.Contains(warcText(t, dir), "awarc-scope: scope.yaml:1: exclude: {size: over 10M}") {
		t.Errorf("errors %v, %d excluded", r.Errors, r.Queue.Excluded)
	}
	if o := awarc(t, "", "explain", dir, base+"/declared.bin"); !strings.Contains(o.out, "excluded") ||
		!strings.Contains(o.out, "status 200; scope.yaml:1: exclude: {size: over 10M}") {
		t.Errorf("explain does not say why:\n%s", o.out)
	}
	checkArchive(t, dir)
}

const (
	german = "Der Garten hinter dem Haus war seit Jahren verwildert, und niemand wusste mehr, wo die alten Wege verliefen. Im Herbst " +
		"begannen wir, die Hecken zu schneiden, und fanden dabei eine Bank " +
		"aus Stein, auf der noch der Name des früheren Besitzers zu lesen war. "
	english = "The garden behind the house had been overgrown for years, and nobody knew any longer where the old paths had been. In " +
		"autumn we began to cut the hedges, and we found a bench of stone on which the name of the former owner could still be read. "
)

// bilingual is a site of German and English pages, each of which leads to one more.
func bilingual() http.Handler {
	texts := map[string][3]string{ // lang attribute, Content-Language, text
		"/":         {"en", "", english},
		"/de":       {"de", "", german},
		"/en":       {"en", "", english},
		"/template": {"en", "", german},   // the template was never translated
		"/header":   {"", "de", "Kurz."},  // too short to tell
		"/header-x": {"", "en", "Short."}, // likewise
		"/silent":   {"", "", "42"},       // nothing is known
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := texts[r.URL.Path]
		if !ok && !strings.HasPrefix(r.URL.Path, "/next-of-") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if p[1] != "" {
			w.Header().Set("Content-Language", p[1])
		}
		fmt.Fprintf(w, "<!DOCTYPE html><html lang=%q><title>x</title><body><p>%s</p>", p[0], p[2])
		switch {
		case r.URL.Path == "/":
			for path := range texts {
				fmt.Fprintf(w, "<a href=%q>x</a> ", path)
			}
		case ok:
			fmt.Fprintf(w, `<a href="/next-of-%s">x</a>`, r.URL.Path[1:])
		}
	})
}

func TestPagesInOtherLanguagesAreNotFollowed(t *testing.T) {
	t.Parallel()
	for rule, seedFollowed := range map[string]bool{"- only: {lang: de}\n": true, "- exclude: {lang: en}\n": false} {
		if seedFollowed {
			documented(t, strings.TrimSpace(rule))
		}
		base := serve(t, bilingual())
		dir, o := scoped(t, rule, base+"/")
		o.want(t, exitDone)
		want := []string{"/"} // a seed is followed whatever "only" says
		if seedFollowed {
			want = []string{"/", "/de", "/en", "/header", "/header-x", "/next-of-de", "/next-of-header", "/next-of-silent",
				"/next-of-template", "/silent", "/template"}
		}
		if got := paths(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: asked for %v, want %v", rule, got, want)
		}
		name := "scope.yaml:1: " + strings.TrimSpace(rule[2:])
		if o := awarc(t, "", "explain", dir, base+"/en"); seedFollowed && !strings.Contains(o.out, "its links are not followed: "+name) {
			t.Errorf("explain does not name the rule:\n%s", o.out)
		}
		if n := readReport(t, dir).Scope[name]; seedFollowed && n != 2 || !seedFollowed && n != 1 {
			t.Errorf("the report counts %v", readReport(t, dir).Scope)
		}
	}
}

// TestScopeFileWhileCrawling edits the rules of a running crawl: a wrong edit changes nothing, a right one
// counts for what waits as well.
func TestScopeFileWhileCrawling(t *testing.T) {
	t.Parallel()
	site := pages{"/": nil}
	for i := range 300 {
		for _, kind := range []string{"a", "b"} {
			path := fmt.Sprintf("/%s/%d", kind, i)
			site["/"], site[path] = append(site["/"], path), []string{"/c/1"}
		}
	}
	site["/c/1"] = nil
	log := newRequestLog(site)
	g := newGate(log, 11)
	base := serve(t, g)
	file := write(t, "scope.yaml", "- exclude: {path: /c/}\n")
	edit := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "crawl")
	var out, errs lockedBuffer
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--no-traps", "--scope", file, "--out", dir,
			base + "/"}, streams{nil, &out, &errs})
	}()
	g.wait(t)
	edit("- exclude: {path: /c/}\n- exclude: {paht: /b/}\n")
	until(t, "the refusal", func() bool {
		return strings.Contains(errs.String(), `scope.yaml:2: unknown field "paht"; the old rules stay`)
	})
	edit("- exclude: {path: /c/}\n- exclude: {path: /b/}\n")
	until(t, "the edit", func() bool { return strings.Contains(errs.String(), "2 scope rules read") })
	asked := log.under("/b/")
	g.open()
	if status := <-ended; status != exitDone {
		t.Errorf("exit status %d\n%s", status, errs.String())
	}
	if n := log.under("/b/"); n > asked+1 || n == 300 || log.under("/a/") != 300 || log.under("/c/") != 0 {
		t.Errorf("%d requests of /b/ when the edit counted and %d at the end, %d of /a/, %d of /c/", asked, n, log.under("/a/"),
			log.under("/c/"))
	}
	r := readReport(t, dir)
	if got := r.Scope["scope.yaml:2: exclude: {path: /b/}"]; got != int64(300-log.under("/b/")) || int64(r.Queue.Excluded) != got {
		t.Errorf("the report counts %v, and %d excluded", r.Scope, r.Queue.Excluded)
	}
	if o := awarc(t, "", "explain", dir, base+"/b/299"); !strings.Contains(o.out, "scope.yaml:2: exclude: {path: /b/}") {
		t.Errorf("explain does not name the rule:\n%s", o.out)
	}
}

// TestScopeFileBetweenSessions edits the rules of a crawl that is not running.
func TestScopeFileBetweenSessions(t *testing.T) {
	t.Parallel()
	site := pages{"/": {"/a/1", "/a/2", "/b/1", "/b/2"}, "/a/1": nil, "/a/2": nil, "/b/1": nil, "/b/2": nil}
	file := write(t, "scope.yaml", "")
	base := serve(t, site)
	dir, o := runCrawl(t, "--scope", file, "--limit", "1", base+"/")
	o.want(t, exitLimit)
	if err := os.WriteFile(file, []byte("- exclude: {path: '*/2$'}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := awarc(t, "", "explain", dir, base+"/a/2"); !strings.Contains(o.out, "pending") ||
		!strings.Contains(o.out, "scope.yaml:1: exclude:") {
		t.Errorf("explain does not say what will become of a URL that waits:\n%s", o.out)
	}
	awarc(t, "", "resume", "--limit", "0", dir).want(t, exitDone)
	if got, want := paths(t, dir), []string{"/", "/a/1", "/b/1"}; !slices.Equal(got, want) {
		t.Errorf("asked for %v, want %v", got, want)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "resume", dir).want(t, exitUsage, "--scope: ", file)
}

// documented checks that docs/scope.md shows rules that a test is about.
func documented(t *testing.T, rules ...string) {
	t.Helper()
	readme, err := os.ReadFile("../../docs/scope.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		if !strings.Contains(string(readme), rule) {
			t.Errorf("docs/scope.md does not show %s", rule)
		}
	}
}

// recipe crawls with a rule that docs/scope.md gives and lists the URLs of status 200.
func recipe(t *testing.T, rule, seed string, flags ...string) (asked []string) {
	t.Helper()
	documented(t, rule)
	dir, o := scoped(t, rule+"\n", append(flags, seed)...)
	o.want(t, exitDone)
	for _, e := range readLog(t, dir) {
		if !e.Robots && e.Status == http.StatusOK {
			asked = append(asked, e.URL)
		}
	}
	return asked
}

func sameURLs(t *testing.T, got, want []string) {
	t.Helper()
	got, want = slices.Compact(slices.Sorted(slices.Values(got))), slices.Compact(slices.Sorted(slices.Values(want)))
	if !slices.Equal(got, want) {
		t.Errorf("asked for %d pages:\n  %s\nwant %d:\n  %s", len(got), strings.Join(got, "\n  "), len(want), strings.Join(want, "\n  "))
	}
}

// TestScopeRecipesForForums crawls one thread and one forum of a board.
func TestScopeRecipesForForums(t *testing.T) {
	t.Parallel()
	board := board(t, 1500)
	base := serve(t, board)
	truth := board.Truth(base)
	pages := map[string][]string{} // of a thread; of a forum with its threads
	parents := map[string]bool{}
	for _, o := range truth.Objects {
		switch o.Class {
		case "sioc:Thread":
			all := append([]string{o.URL}, o.More...)
			pages[o.URL] = all
			pages["forum "+o.Parent] = append(pages["forum "+o.Parent], all...)
		case "sioc:Forum":
			parents[o.Parent] = true
		}
	}
	for _, p := range truth.Pages {
		if u, err := url.Parse(p.URL); err == nil && p.Level == "forum" {
			of := "forum " + u.Query().Get("f")
			pages[of] = append(pages[of], p.URL)
		}
	}
	thread, forum := "", ""
	for _, o := range truth.Objects {
		switch {
		case o.Class == "sioc:Thread" && len(pages[o.URL]) > len(pages[thread]):
			thread = o.URL
		case o.Class == "sioc:Forum" && !parents[o.ID] && (forum == "" || len(pages["forum "+o.ID]) > len(pages[forum])):
			forum = "forum " + o.ID
		}
	}
	if len(pages[thread]) < 2 || len(pages[forum]) < 20 {
		t.Fatalf("the site is too small: %d pages of a thread, %d of a forum", len(pages[thread]), len(pages[forum]))
	}
	sameURLs(t, recipe(t, "- exclude: {hops: over 0}", thread), pages[thread])
	asked := recipe(t, `- only: [{hops: under 1}, {path: "*/viewtopic.php", hops: under 2}]`,
		base+"/viewforum.php?f="+strings.TrimPrefix(forum, "forum "))
	var own []string
	for _, u := range asked {
		if slices.Contains(pages[forum], u) {
			own = append(own, u)
		} else if !strings.Contains(u, "/viewtopic.php") { // announcements and shadows are threads of other forums
			t.Errorf("asked for %s", u)
		}
	}
	sameURLs(t, own, pages[forum])
}

// TestScopeRecipesForBlogs crawls one author's posts and one year of a blog.
func TestScopeRecipesForBlogs(t *testing.T) {
	t.Parallel()
	blog, err := testsites.New("wordpress", "twentyten", testsites.Options{Seed: 3, Posts: 400})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, blog)
	posts := map[string][]string{} // by author and by year, further pages included
	year := ""
	for _, o := range blog.Truth(base).Objects {
		if o.Class != "sioct:BlogPost" {
			continue
		}
		for _, of := range []string{o.Creator, o.Created[:4]} {
			posts[of] = append(append(posts[of], o.URL), o.More...)
		}
		if y := o.Created[:4]; len(posts[y]) > len(posts[year]) {
			year = y
		}
	}
	var theirs []string
	for _, u := range recipe(t, `- exclude: [{hops: over 1}, {path: ["/$", /page/]}]`, base+"/?author=1") {
		if !strings.Contains(u, "/author/") {
			theirs = append(theirs, u)
		}
	}
	for author, list := range posts {
		if len(theirs) > 0 && slices.Contains(list, theirs[0]) && author[:1] > "9" {
			sameURLs(t, theirs, list)
		}
	}
	if len(theirs) < 10 {
		t.Errorf("only %d posts of the author", len(theirs))
	}
	var ofYear []string
	for _, u := range recipe(t, "- only: {path: /"+year+"/}", base+"/"+year+"/") {
		if !regexp.MustCompile(`/\d{4}/(page/\d+/)?$`).MatchString(u) {
			ofYear = append(ofYear, u)
		}
	}
	sameURLs(t, ofYear, posts[year])
}

// requestLog counts the requests of a site by their paths.
type requestLog struct {
	http.Handler
	mu    sync.Mutex
	paths []string
}

func newRequestLog(h http.Handler) *requestLog { return &requestLog{Handler: h} }

func (l *requestLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.paths = append(l.paths, r.URL.Path)
	l.mu.Unlock()
	l.Handler.ServeHTTP(w, r)
}

func (l *requestLog) under(prefix string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.paths {
		if strings.HasPrefix(p, prefix) {
			n++
		}
	}
	return n
}

// A seed behind a sign-on page gives that page, and the crawl says so.
func TestSeedThatRedirectsAwayIsSaid(t *testing.T) {
	site := pages{"/login?next=%2Fforum%2F": {"/login/help", "/imprint"}, "/login/help": nil, "/imprint": nil}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/forum/" {
			http.Redirect(w, r, "/login?next=%2Fforum%2F", http.StatusFound)
			return
		}
		site.ServeHTTP(w, r)
	}))
	dir, o := runCrawl(t, "--scope-type", "prefix", base+"/forum/")
	o.want(t, exitWithFaults, "a seed redirects to another site", "sends the browser back to "+base+"/forum/")
	if got, want := paths(t, dir), []string{"/forum/", "/login?next=%2Fforum%2F"}; !slices.Equal(got, want) {
		t.Errorf("asked for %v, want %v", got, want)
	}
	if n := readReport(t, dir).Errors["seed_redirected_away"]; n != 1 {
		t.Errorf("the report counts %d seeds that redirect away", n)
	}
	if o := awarc(t, "", "explain", dir, base+"/login?next=%2Fforum%2F"); !strings.Contains(o.out, "status 200; a detour: ") {
		t.Errorf("explain does not say why the scope is no wider:\n%s", o.out)
	}
}
