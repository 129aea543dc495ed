package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// members is a site that shows its pages to who has logged in by its form, and forgets who that is every few pages.
type members struct {
	mu       sync.Mutex
	tokens   map[string]bool // of forms that were shown
	sessions map[string]int  // pages that a session may still see
	logins   int
}

func (m *members) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	c, err := r.Cookie("sid")
	inside := err == nil && m.sessions[c.Value] > 0
	switch {
	case r.URL.Path == "/login" && r.Method == http.MethodPost:
		right := m.tokens[r.FormValue("token")] && r.FormValue("user") == "ada" && r.FormValue("pass") == "s3&cret"
		if !right || r.FormValue("go") != "1" || r.FormValue("forget") != "" {
			fmt.Fprint(w, `<form method="post"><input type="password" name="pass"></form>wrong`)
			return
		}
		m.logins++
		sid := fmt.Sprintf("sid-secret-%d", m.logins)
		m.sessions[sid] = 7
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: sid, Path: "/", HttpOnly: true})
		http.Redirect(w, r, "/", http.StatusFound)
	case r.URL.Path == "/login" && !inside:
		token := fmt.Sprintf("token%d", len(m.tokens))
		m.tokens[token] = true
		fmt.Fprintf(w, `<form action="/search"><input name="q"></form><form action="/login" method="post">`+
			`<input type="hidden" name="token" value=%q><input name="user"><input type="password" name="pass">`+
			`<input type="checkbox" name="forget" value="yes">`+
			`<button name="go" value="1">in</button><button name="lost">?</button></form>`, token)
	case !inside:
		fmt.Fprint(w, `<html>For members only. <a href="/login">log in</a>`)
	default:
		m.sessions[c.Value]--
		fmt.Fprintf(w, `<html><title>inside</title>inside %s <a href="/logout">log out</a>`, r.URL.Path)
		if r.URL.Path == "/" {
			for i := range 12 {
				fmt.Fprintf(w, `<a href="/p%d">p</a> `, i)
			}
		}
	}
}

func newMembers() *members { return &members{tokens: map[string]bool{}, sessions: map[string]int{}} }

// A form is filled in before the crawl and again once the site has logged the crawler out; neither password nor session is in any file.
func TestLoginByAForm(t *testing.T) {
	site := newMembers()
	base := serve(t, site)
	t.Setenv("FORUM_USER", "ada")
	t.Setenv("FORUM_PASSWORD", "s3&cret")
	file := write(t, "login.yaml", "url: "+base+"/login\nfields: {user: $FORUM_USER, pass: $FORUM_PASSWORD}\nshows: /logout\n")
	dir, o := runCrawl(t, "--login", file, "--limit", "3", base+"/")
	o.want(t, exitLimit)
	site.mu.Lock()
	site.sessions = map[string]int{} // the site was started anew
	site.mu.Unlock()
	again := awarc(t, "", "resume", "--limit", "0", dir)
	again.want(t, exitDone)
	warc := warcText(t, dir)
	for i := range 12 {
		if !strings.Contains(warc, fmt.Sprintf("inside /p%d ", i)) {
			t.Errorf("/p%d was not archived as members see it\n%s%s", i, o.err, again.err)
		}
	}
	if strings.Contains(warc, "GET /logout") || strings.Contains(warc, "POST /login") {
		t.Error("the way out was followed, or the way in archived")
	}
	if site.logins < 2 {
		t.Errorf("%d logins", site.logins)
	}
	text := warc + o.out + o.err + again.out + again.err
	if err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, rerr := os.ReadFile(name)
			text, err = text+string(data), rerr
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{"s3&cret", "s3%26cret", "sid-secret"} {
		if i := strings.Index(text, leak); i >= 0 {
			t.Errorf("%q is told: %q", leak, text[max(0, i-60):min(len(text), i+60)])
		}
	}
	if !strings.Contains(warc, "awarc-cookies: ") {
		t.Error("no record says that cookies were sent")
	}
}

// A crawl goes on with another description of the form than it began with.
func TestLoginIsChangedByResume(t *testing.T) {
	site := newMembers()
	base := serve(t, site)
	t.Setenv("FORUM_PASSWORD", "s3&cret")
	form := "url: " + base + "/login\nfields: {user: ada, pass: $FORUM_PASSWORD}\nshows: /logout\n"
	old := write(t, "login.yaml", form)
	dir, o := runCrawl(t, "--login", old, "--limit", "3", base+"/")
	o.want(t, exitLimit)
	if err := os.Remove(old); err != nil {
		t.Fatal(err)
	}
	again := awarc(t, "", "resume", "--limit", "0", "--login", write(t, "new.yaml", form), dir)
	again.want(t, exitDone)
	if warc := warcText(t, dir); strings.Contains(warc, "For members only") || !strings.Contains(warc, "inside /p11 ") {
		t.Errorf("what members see was not archived\n%s%s", o.err, again.err)
	}
}

// What cannot be filled in ends before anything is fetched, and who wants cookies in the archive has them.
func TestLoginThatFails(t *testing.T) {
	site := newMembers()
	base := serve(t, site)
	t.Setenv("FORUM_PASSWORD", "wrong")
	text := "url: " + base + "/login\nfields: {user: ada, pass: $FORUM_PASSWORD}\nshows: /logout\n"
	_, o := runCrawl(t, "--login", write(t, "login.yaml", text), base+"/")
	o.want(t, exitFailed, "wrong user or password")
	_, o = runCrawl(t, "--login", write(t, "login.yaml", strings.Replace(text, "FORUM_PASSWORD", "FORUM_NOBODY", 1)), base+"/")
	o.want(t, exitUsage, "the environment variable FORUM_NOBODY is not set")
	_, o = runCrawl(t, "--login", write(t, "login.yaml", text+"secret: x\n"), base+"/")
	o.want(t, exitUsage, "secret")
	t.Setenv("FORUM_PASSWORD", "s3&cret")
	dir, o := runCrawl(t, "--keep-cookies", "--limit", "2", "--login", write(t, "login.yaml", text), base+"/")
	o.want(t, exitLimit)
	if warc := warcText(t, dir); !strings.Contains(warc, "Cookie: sid=sid-secret-1") {
		t.Error("--keep-cookies keeps none")
	}
}
