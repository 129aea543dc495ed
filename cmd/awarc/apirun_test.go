package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
)

// service is a server of JSON that notes what it is asked.
type service struct {
	mu    sync.Mutex
	asked []string // path and query
	auth  []string // Authorization
	serve func(w http.ResponseWriter, r *http.Request, n int)
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	n := 0
	for _, a := range s.asked {
		if a == r.URL.RequestURI() {
			n++
		}
	}
	s.asked, s.auth = append(s.asked, r.URL.RequestURI()), append(s.auth, r.Header.Get("Authorization"))
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	s.serve(w, r, n)
}

func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func sendJSON(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }

type object = map[string]any

// pressSite answers as the REST API of a WordPress with so many posts, the newest first, and a comment on each.
type pressSite struct {
	base  string
	posts func() int
	each  int // of a page
}

func (p *pressSite) post(i int) object {
	date := time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, i).Format("2006-01-02T15:04:05")
	return object{"id": i, "link": p.link(i), "date": date, "date_gmt": date,
		"title":   object{"rendered": fmt.Sprintf("Post &#8220;%d&#8221;", i)},
		"content": object{"rendered": fmt.Sprintf("<p>First of %d.</p>\n<p>Second &amp; <em>last</em>.</p>\n", i), "protected": false},
		"_embedded": object{"author": []any{object{"name": "Ada"}},
			"wp:term": []any{[]any{object{"name": "Boats", "taxonomy": "category"}}, []any{}}}}
}

func (p *pressSite) link(i int) string { return fmt.Sprintf("%s/2024/post-%d/", p.base, i) }

func (p *pressSite) comment(i int) object {
	parent := 0
	if i%2 == 0 {
		parent = 100 + i - 1
	}
	return object{"id": 100 + i, "post": i, "parent": parent, "author_name": fmt.Sprint("Reader ", i), "date": "2024-06-01T10:00:00",
		"date_gmt": "2024-06-01T10:00:00", "content": object{"rendered": "<p>So it is.</p>\n"},
		"link": fmt.Sprintf("%scomment-page-2/#comment-%d", p.link((i+1)/2), 100+i)}
}

// list answers with the page that is asked for.
func (p *pressSite) list(w http.ResponseWriter, r *http.Request, one func(int) object) {
	page := max(1, atoi(r.FormValue("page")))
	var all []object
	for i := p.posts(); i > 0; i-- {
		if o := one(i); r.FormValue("after") == "" || o["date"].(string) > strings.TrimSuffix(r.FormValue("after"), "Z") {
			all = append(all, o)
		}
	}
	pages := (len(all) + p.each - 1) / p.each
	w.Header().Set("X-WP-TotalPages", strconv.Itoa(pages))
	if page > max(1, pages) {
		w.WriteHeader(http.StatusBadRequest)
		sendJSON(w, object{"code": "rest_post_invalid_page_number"})
		return
	}
	out := []object{}
	for i := (page - 1) * p.each; i < min(page*p.each, len(all)); i++ {
		out = append(out, all[i])
	}
	sendJSON(w, out)
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// runAPI runs a campaign into a folder.
func runAPI(t *testing.T, campaign string, args ...string) (dir string, o outcome) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "campaign")
	return dir, awarc(t, "", append([]string{"api", "run", "--delay", "0", "--min-space", "0", "--out", dir, campaign}, args...)...)
}

// Every answer is archived, a page that was limited or broken off is asked for again, and what the API says are the objects of pages.
func TestCampaignOverAWordPress(t *testing.T) {
	t.Parallel()
	site := &pressSite{posts: func() int { return 5 }, each: 2}
	s := &service{}
	s.serve = func(w http.ResponseWriter, r *http.Request, n int) {
		switch {
		case r.URL.Path == "/wp-json/wp/v2/posts" && r.FormValue("page") == "2" && n == 0:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			sendJSON(w, object{"code": "too_many"})
		case r.URL.Path == "/wp-json/wp/v2/posts":
			site.list(w, r, site.post)
		case r.FormValue("page") == "" && n == 0:
			io.WriteString(w, `[{"id":105,"link":`) // and no more
		default:
			site.list(w, r, site.comment)
		}
	}
	site.base = serve(t, s)
	campaign := write(t, "press.yaml", "name: press\nsources:\n  - {service: wordpress-api, site: '"+site.base+
		"', operations: [posts, comments]}\n")
	dir, o := runAPI(t, campaign)
	o.want(t, exitDone)
	checkArchive(t, dir)
	if n := len(s.requests()); n != 8 {
		t.Errorf("%d requests, want 3 for posts, 3 for comments and 2 that were repeated: %v", n, s.requests())
	}
	r := readReport(t, dir)
	if !r.Finished || r.Objects["sioct:BlogPost"] != 5 || r.Objects["sioct:Comment"] != 5 || len(r.Errors)+len(r.Missing) > 0 ||
		r.Services == nil || r.Services.Answers["wordpress-api/comments"] != 3 {
		t.Errorf("the report: %+v, services %+v", r, r.Services)
	}
	graph := readGraph(t, dir)
	post := graph[site.link(3)]
	for name, want := range map[string]string{"title": "Post “3”", "creator": "Ada", "content": "First of 3.\nSecond & last.",
		"created": "2024-01-04T12:00:00Z",
		"topic":   site.base + "/.well-known/genid/topic-Boats", "content_html": "<p>First of 3.</p>\n<p>Second &amp; <em>last</em>.</p>"} {
		if post == nil || post.one(name) != want && post.one("has_"+name) != want {
			t.Errorf("%s of the post: %v, want %q", name, post, want)
		}
	}
	for id, parent := range map[string]string{"#comment-101": "", "#comment-102": "#comment-101"} {
		c := graph[site.link(1)+id]
		if c == nil || c.one("reply_of") != site.link(1)+parent {
			t.Errorf("comment %s: %+v", id, c)
		}
	}
	asked := len(s.requests())
	if o := awarc(t, "", "explain", dir, site.base+s.requests()[0]); !strings.Contains(o.out, "a request to an API: wordpress-api/") {
		t.Errorf("a request is explained as\n%s%s", o.out, o.err)
	}
	awarc(t, "", "api", "run", "--out", dir, campaign).want(t, exitDone, "already finished")
	if len(s.requests()) != asked {
		t.Error("a campaign that was finished asked again")
	}
	o = awarc(t, "", "query", "--crawl", dir, "SELECT (COUNT(?p) AS ?n) WHERE { ?p a sioct:BlogPost }")
	if o.status != exitDone || !strings.Contains(o.out, "5") {
		t.Errorf("query: %+v", o)
	}
}

// A campaign with an interval goes on until it is stopped, asks for what is new, and goes on where it was killed.
func TestCampaignRoundsUntilStopped(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	posts := 5
	site := &pressSite{each: 2, posts: func() int {
		mu.Lock()
		defer mu.Unlock()
		return posts
	}}
	s := &service{serve: func(w http.ResponseWriter, r *http.Request, _ int) { site.list(w, r, site.post) }}
	site.base = serve(t, s)
	campaign := write(t, "press.yaml", "interval: 1s\nsources:\n  - {service: wordpress-api, site: '"+site.base+"', operations: [posts]}\n")
	dir := filepath.Join(t.TempDir(), "campaign")
	args := []string{"api", "run", "--delay", "0", "--min-space", "0", "--out", dir, campaign}
	later := func() (n int) {
		for _, r := range s.requests() {
			if strings.Contains(r, "after=") {
				n++
			}
		}
		return n
	}
	c := command(t, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	// On a busy machine the second round starts before the first ends. A kill in between would leave pages of the first to request.
	until(t, "two requests of later rounds after the last of the first", func() bool {
		all := s.requests()
		last := slices.IndexFunc(all, func(r string) bool { return strings.Contains(r, "page=3") })
		return last >= 0 && len(all) >= last+3
	})
	begun := later()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = exitStatus(t, c)
	mu.Lock()
	posts = 6
	mu.Unlock()
	before := len(s.requests())
	c = command(t, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "three requests of later rounds more", func() bool { return later() >= begun+3 })
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if status := exitStatus(t, c); status != exitInterrupted {
		t.Errorf("exit status %d", status)
	}
	checkArchive(t, dir)
	if r := readReport(t, dir); r.Finished || r.Objects["sioct:BlogPost"] != 6 {
		t.Errorf("finished %v, objects %v", r.Finished, r.Objects)
	}
	for _, r := range s.requests()[before:] {
		if !strings.Contains(r, "after=") && r != "/robots.txt" {
			t.Errorf("after the kill it asked for all again: %s", r)
		}
	}
	if last := s.requests()[len(s.requests())-1]; !strings.Contains(last, "after=2024-01-07T12%3A00%3A00") {
		t.Errorf("the last round was %s, not for what is newer than the newest", last)
	}
}

const secretValue = "s3cret/&+value"

// secretService describes a service that knows its users in every way.
const secretService = `<kb xmlns="urn:awarc:kb:1"><service id="shop-api" base="v1/">
 <auth kind="key" param="api_key"/><auth kind="bearer"/><auth kind="oauth2" token="/token"/>
 <limit left="http/header[@name='x-left']" reset="http/header[@name='x-reset']" as="epoch"/>
 <operation id="things" path="things" items="answer/things/item">
  <paging><cursor param="after">answer/next</cursor></paging>
  <object class="sioc:Post" at="answer/things/item" id="{./url}"><field name="title" required="yes">./title</field></object>
 </operation>
</service></kb>`

// Whatever way a secret goes, it reaches the service, and is in no file.
func TestSecretsOfCampaignsAreInNoFile(t *testing.T) {
	for _, test := range []struct{ name, auth, want string }{
		{"key", "{kind: key, secret: {env: SHOP_SECRET}}", ""},
		{"bearer", "{kind: bearer, secret: {file: secret.txt}}", "Bearer " + secretValue},
		{"oauth2", "{kind: oauth2, id: me, secret: {env: SHOP_SECRET}}", "Bearer tok3n-2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("SHOP_SECRET", secretValue)
			s := &service{}
			tokens := 0
			s.serve = func(w http.ResponseWriter, r *http.Request, _ int) {
				user, password, _ := r.BasicAuth()
				switch {
				case r.URL.Path == "/token" && (user != "me" || password != "s3cret%2F%26%2Bvalue" ||
					r.FormValue("grant_type") != "client_credentials"):
					w.WriteHeader(http.StatusUnauthorized)
				case r.URL.Path == "/token":
					tokens++
					sendJSON(w, object{"access_token": fmt.Sprint("tok3n-", tokens), "token_type": "bearer"})
				case r.Header.Get("Authorization") != test.want || test.want == "" && r.FormValue("api_key") != secretValue:
					w.WriteHeader(http.StatusUnauthorized) // the first token has been taken back
					sendJSON(w, object{"error": "who are you?"})
				case r.FormValue("after") == "":
					sendJSON(w, object{"things": []any{object{"url": "http://shop.example/1", "title": "One"}}, "next": "c2"})
				default:
					sendJSON(w, object{"things": []any{object{"url": "http://shop.example/2", "title": "Two"}}})
				}
			}
			base := serve(t, s)
			folder := t.TempDir()
			for name, text := range map[string]string{"secret.txt": secretValue + "\n", "shop.xml": secretService,
				"c.yaml": "sources:\n  - {service: shop-api, site: '" + base + "', auth: " + test.auth + "}\n"} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			dir, o := runAPI(t, filepath.Join(folder, "c.yaml"), "--kb", filepath.Join(folder, "shop.xml"))
			o.want(t, exitDone)
			checkArchive(t, dir)
			if r := readReport(t, dir); r.Objects["sioc:Post"] != 2 {
				t.Errorf("objects %v, statuses %v", r.Objects, r.Statuses)
			}
			text := warcText(t, dir) + o.out + o.err
			for _, lines := range graphLines(t, dir) {
				text += strings.Join(lines, "\n")
			}
			err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := os.ReadFile(name)
				text += string(data)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{secretValue, "s3cret", "tok3n", "Basic "} {
				if at := strings.Index(text, secret); at >= 0 {
					t.Errorf("%q is in a file: %.200q", secret, text[max(0, at-100):])
				}
			}
			if !strings.Contains(text, "awarc-authorization") {
				t.Error("the archive does not say that there was a secret")
			}
		})
	}
}

// A list whose cursor has expired is begun anew, a limit that an answer states is waited for, and a service that answers in another form is
// told of.
func TestCampaignAndAServiceThatChanges(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	generation := 1
	var limited, next time.Time
	s := &service{}
	s.serve = func(w http.ResponseWriter, r *http.Request, n int) {
		mu.Lock()
		defer mu.Unlock()
		after := r.FormValue("after")
		switch {
		case after == "" && n == 0:
			sendJSON(w, object{"things": []any{object{"url": "http://shop.example/1", "title": "One"}}, "next": "g1-2"})
		case strings.HasPrefix(after, "g1-"):
			generation = 2
			w.WriteHeader(http.StatusGone)
			sendJSON(w, object{"error": "expired"})
		case after == "":
			limited = time.Now()
			w.Header().Set("X-Left", "0")
			w.Header().Set("X-Reset", strconv.FormatInt(limited.Add(2*time.Second).Unix(), 10))
			sendJSON(w, object{"things": []any{object{"url": "http://shop.example/1", "title": "One"}}, "next": "g2-2"})
		case after == "g2-2":
			next = time.Now()
			sendJSON(w, object{"things": []any{object{"address": "http://shop.example/2", "name": "Two"}}, "next": "g2-3"})
		default:
			sendJSON(w, object{"things": []any{object{"url": "http://shop.example/3", "name": "Three"}}})
		}
	}
	base := serve(t, s)
	campaign := write(t, "c.yaml", "sources:\n  - {service: shop-api, site: '"+base+"'}\n")
	dir, o := runAPI(t, campaign, "--kb", write(t, "shop.xml", secretService))
	o.want(t, exitWithFaults)
	checkArchive(t, dir)
	if n := len(s.requests()); n != 5 || generation != 2 {
		t.Errorf("%d requests: %v", n, s.requests())
	}
	if wait := next.Sub(limited); wait < time.Second {
		t.Errorf("it waited %v though it was told to wait until a time", wait)
	}
	r := readReport(t, dir)
	if r.Errors["unlike_description"] != 1 || r.Missing["sioc:Post.title"] != 1 || r.Objects["sioc:Post"] != 2 {
		t.Errorf("errors %v, missing %v, objects %v", r.Errors, r.Missing, r.Objects)
	}
}

// A service that has renamed fields gives posts without content: the campaign is incomplete, and
// says which field is gone.
func TestCampaignOverRenamedFields(t *testing.T) {
	t.Parallel()
	site := &pressSite{posts: func() int { return 5 }, each: 2}
	s := &service{serve: func(w http.ResponseWriter, r *http.Request, _ int) {
		site.list(w, r, func(i int) object {
			post := site.post(i)
			post["body"], post["published"] = post["content"], post["date_gmt"]
			delete(post, "content")
			delete(post, "date_gmt")
			return post
		})
	}}
	site.base = serve(t, s)
	campaign := write(t, "press.yaml", "sources:\n  - {service: wordpress-api, site: '"+site.base+"', operations: [posts]}\n")
	dir, o := runAPI(t, campaign)
	o.want(t, exitWithFaults)
	if !strings.Contains(o.out, "incomplete: 5 objects of APIs without a required field") {
		t.Errorf("the summary:\n%s", o.out)
	}
	for _, field := range []string{"sioct:BlogPost.content", "sioct:BlogPost.created"} {
		if !strings.Contains(o.out, field) {
			t.Errorf("the summary does not name %s:\n%s", field, o.out)
		}
	}
	if r := readReport(t, dir); r.Verdict.State != engine.VerdictIncomplete || r.Objects["sioct:BlogPost"] != 5 {
		t.Errorf("verdict %+v, objects %v", r.Verdict, r.Objects)
	}
}

// What is wrong with a campaign is told before anything is made.
func TestCampaignsThatCannotBe(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                    "no sources",
		"zz: 1":                               "zz",
		"to: yo":                              "expected a day",
		"sources: [{service: nobody-api}]":    "no such service",
		"sources: [{service: wordpress-api}]": "expected site",
		"sources: [{service: wordpress-api, site: 'ftp://x/'}]":                                          "expected an address",
		"sources: [{service: wordpress-api, site: 'http://a.example', operations: [x]}]":                 "no operation",
		"sources: [{service: wordpress-api, site: 'http://a.example', feeds: [a], operations: [pages]}]": "no query",
		"sources: [{service: wordpress-api, site: 'http://a.example', auth: {secret: {env: A}}}]":        "no authentication",
		"follow: all\nsources: [{service: wordpress-api, site: 'http://a.example'}]":                     "expected none, host or any",
	} {
		dir, o := runAPI(t, write(t, "c.yaml", text))
		o.want(t, exitUsage, want)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%q: a folder was made", text)
		}
	}
}

// A post that no page links to is found by the API of the site, which the crawl asks last, and the report says so.
func TestAPISourcesFindWhatPagesMiss(t *testing.T) {
	t.Parallel()
	site := &pressSite{posts: func() int { return 5 }, each: 100}
	s := &service{}
	s.serve = func(w http.ResponseWriter, r *http.Request, _ int) {
		switch r.URL.Path {
		case "/wp-json/wp/v2/posts":
			site.list(w, r, site.post)
			return
		case "/wp-json/wp/v2/comments":
			site.list(w, r, site.comment)
			return
		case "/wp-json/wp/v2/pages":
			io.WriteString(w, "[]")
			return
		}
		w.Header().Set("Content-Type", "text/html")
		var n int
		head := fmt.Sprintf(`<meta name="generator" content="WordPress 6.4"><link rel="https://api.w.org/" href="%s/wp-json/">`, site.base)
		if _, err := fmt.Sscanf(r.URL.Path, "/2024/post-%d/", &n); err != nil {
			fmt.Fprintf(w, `<html><head>%s</head><body class="home blog">`, head)
			for i := range 4 { // not the last
				fmt.Fprintf(w, `<article class="post type-post hentry"><h2 class="entry-title"><a rel="bookmark" href="%s">Post</a></h2>`+
					`</article>`, site.link(i+1))
			}
			return
		}
		fmt.Fprintf(w, `<html><head>%s</head><body class="single single-post postid-%d"><article class="post type-post hentry">
			<h1 class="entry-title">Post “%[2]d”</h1><span class="author vcard"><a class="url fn n">Ada</a></span>
			<time class="entry-date published" datetime="2024-01-%02[3]dT12:00:00+00:00">then</time>
			<div class="entry-content"><p>First of %[2]d.</p><p>Second.</p></div></article></body></html>`, head, n, n+1)
	}
	site.base = serve(t, s)
	dir, o := runCrawl(t, "--api-sources", site.base+"/")
	o.want(t, exitDone)
	checkArchive(t, dir)
	r := readReport(t, dir)
	if r.Services == nil || r.Objects["sioct:BlogPost"] != 5 || r.Services.Objects["sioct:BlogPost"] != 1 ||
		r.Services.Objects["sioct:Comment"] != 5 {
		t.Errorf("objects %v, services %+v", r.Objects, r.Services)
	}
	asked := s.requests()
	of := asked[slices.IndexFunc(asked, func(u string) bool { return strings.HasPrefix(u, "/wp-json/wp/v2/posts") })]
	const api = "a request to an API: wordpress-api/"
	if x := explained(t, dir, site.base+of); x.State != "fetched" || !strings.Contains(strings.Join(x.Why, "\n"), api) {
		t.Errorf("%s is explained as %+v", of, x)
	}
	last := slices.Index(asked, "/2024/post-5/")
	if first := slices.IndexFunc(asked, func(u string) bool { return strings.HasPrefix(u, "/wp-json/wp/") }); first < 5 || last < first {
		t.Errorf("the API was asked before the pages, or what it leads to was not fetched: %v", asked)
	}
	if !strings.Contains(o.out, "APIs") {
		t.Errorf("the summary does not say so: %s", o.out)
	}
	dir, _ = runCrawl(t, site.base+"/")
	if r := readReport(t, dir); r.Services != nil || r.Objects["sioct:BlogPost"] != 4 {
		t.Errorf("without the flag: %v, %v", r.Objects, r.Services)
	}
}

// Campaigns are begun, listed, paused, stopped and started again over HTTP; what one may not do is refused.
func TestCampaignsOverHTTP(t *testing.T) {
	t.Parallel()
	site := &pressSite{posts: func() int { return 5 }, each: 2}
	s := &service{serve: func(w http.ResponseWriter, r *http.Request, _ int) { site.list(w, r, site.post) }}
	site.base = serve(t, s)
	dir := filepath.Join(t.TempDir(), "campaigns")
	errs := new(lockedBuffer)
	c := command(t, "api", "serve", "--delay", "0", "--min-space", "0", "--api", "127.0.0.1:0", dir)
	c.Stderr = errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`API at (http://\S+)/`)
	until(t, "the API", func() bool { return address.MatchString(errs.String()) })
	api := &apiCrawl{t: t, api: address.FindStringSubmatch(errs.String())[1]}
	campaign := func(name, more string) string {
		return fmt.Sprintf(`{"name": %q, "interval": "1s", "sources": [{"service": "wordpress-api", "site": %q, `+
			`"operations": ["posts"]%s}]}`, name, site.base, more)
	}
	api.want(http.StatusBadRequest, "POST", "/api/v1/campaigns", campaign("../x", ""))
	api.want(http.StatusBadRequest, "POST", "/api/v1/campaigns", `{"name": "x"}`)
	api.want(http.StatusForbidden, "POST", "/api/v1/campaigns", campaign("x", `, "auth": {"secret": {"env": "HOME"}}`))
	api.want(http.StatusForbidden, "POST", "/api/v1/campaigns", campaign("x", `, "auth": {"secret": {"file": "/etc/passwd"}}`))
	api.want(http.StatusNotFound, "POST", "/api/v1/campaigns/one/start", "")
	api.want(http.StatusCreated, "POST", "/api/v1/campaigns", campaign("one", ""))
	api.want(http.StatusConflict, "POST", "/api/v1/campaigns", campaign("one", ""))
	until(t, "all posts", func() bool {
		return strings.Count(api.want(http.StatusOK, "GET", "/api/v1/campaigns/one/objects", ""), "\n") == 5
	})
	if text := api.want(http.StatusOK, "GET", "/api/v1/campaigns/one/objects", ""); !strings.Contains(text, `"title":"Post “3”"`) {
		t.Errorf("objects: %s", text)
	}
	until(t, "the second round", func() bool { return strings.Contains(fmt.Sprint(s.requests()), "after=") })
	api.want(http.StatusOK, "POST", "/api/v1/campaigns/one/pause", "")
	// Another campaign has several rounds of a second meanwhile.
	other := &service{serve: s.serve}
	otherBase := serve(t, other)
	rounds := func(n int) func() bool {
		return func() bool { return strings.Count(fmt.Sprint(other.requests()), "after=") >= n }
	}
	api.want(http.StatusCreated, "POST", "/api/v1/campaigns", strings.ReplaceAll(campaign("two", ""), site.base, otherBase))
	until(t, "a round of the other campaign", rounds(1)) // what was in flight has been answered
	paused := len(s.requests())
	until(t, "more rounds of the other campaign", rounds(3))
	if n := len(s.requests()); n != paused {
		t.Errorf("%d requests while it was paused", n-paused)
	}
	api.want(http.StatusAccepted, "POST", "/api/v1/campaigns/two/stop", "")
	state := func() string {
		var list []campaignJSON
		if err := json.Unmarshal([]byte(api.want(http.StatusOK, "GET", "/api/v1/campaigns", "")), &list); err != nil || len(list) != 2 {
			t.Fatalf("%v: %v", err, list)
		}
		if list[0].Objects["sioct:BlogPost"] != 5 {
			t.Errorf("the list: %+v", list)
		}
		return list[0].Name + " " + list[0].State
	}
	if got := state(); got != "one paused" {
		t.Errorf("it is %s", got)
	}
	api.want(http.StatusOK, "POST", "/api/v1/campaigns/one/resume", "")
	until(t, "another round", func() bool { return len(s.requests()) > paused })
	api.want(http.StatusAccepted, "POST", "/api/v1/campaigns/one/stop", "")
	until(t, "its end", func() bool { return state() == "one stopped" })
	api.want(http.StatusOK, "GET", "/api/v1/campaigns/one/report", "")
	api.want(http.StatusConflict, "POST", "/api/v1/campaigns/one/pause", "")
	api.want(http.StatusBadRequest, "POST", "/api/v1/campaigns/one/start?failed=maybe", "")
	api.want(http.StatusCreated, "POST", "/api/v1/campaigns/one/start", "")
	if got := state(); got != "one running" {
		t.Errorf("it is %s", got)
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if status := exitStatus(t, c); status != exitInterrupted {
		t.Errorf("exit status %d: %s", status, errs.String())
	}
	checkArchive(t, filepath.Join(dir, "one"))
}
