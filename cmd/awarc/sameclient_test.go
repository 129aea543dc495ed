package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// attentive is a site for members that gives each of its pages by what the client brings along: a cookie that each answer renews, and
// one of the login.
type attentive struct {
	mu      sync.Mutex
	turns   []string // that the client brought, of the pages
	logins  int
	robots  int
	agents  map[string]bool
	at      map[int]os.Signal // what is sent to the client before the page of that number is answered
	running *os.Process
	ended   chan struct{}
}

func (a *attentive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.agents[r.UserAgent()] = true
	w.Header().Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/robots.txt":
		a.robots++
		w.WriteHeader(http.StatusNotFound)
		return
	case "/login":
		if r.Method == http.MethodPost {
			a.logins++
			http.SetCookie(w, &http.Cookie{Name: "member", Value: "ada", Path: "/"})
			http.Redirect(w, r, "/welcome", http.StatusSeeOther)
			return
		}
		fmt.Fprint(w, `<form method="post"><input name="user"><input name="pass" type="password"></form>`)
		return
	case "/welcome":
		fmt.Fprint(w, `Welcome, ada. <a href="/logout">Log out</a>`)
		return
	}
	if signal := a.at[len(a.turns)]; signal != nil {
		delete(a.at, len(a.turns))
		_ = a.running.Signal(signal)
		<-a.ended // nobody is there to be answered
		return
	}
	turn := "none"
	if c, err := r.Cookie("turn"); err == nil {
		turn = c.Value
	}
	member, err := r.Cookie("member")
	a.turns = append(a.turns, fmt.Sprint(turn, " ", err == nil && member.Value == "ada"))
	http.SetCookie(w, &http.Cookie{Name: "turn", Value: strconv.Itoa(len(a.turns)), MaxAge: 3600})
	fmt.Fprintf(w, "<html><title>%s</title><p>Turn %s. <a href=/logout>Log out</a>", r.URL.Path, turn)
	if r.URL.Path == "/" {
		for n := range 20 {
			fmt.Fprintf(w, `<a href="/page/%d.html">page</a> `, n)
		}
	}
}

// A crawl that is killed and stopped again and again brings along to each page what one that is not interrupted brings: the server
// cannot tell them apart.
func TestInterruptedCrawlIsTheSameClient(t *testing.T) {
	t.Setenv("FORUM_PASSWORD", "secret")
	crawled := func(at map[int]os.Signal) *attentive {
		site := &attentive{at: at, agents: map[string]bool{}}
		base := serve(t, site)
		form := write(t, "login.yaml", "url: "+base+"/login\nfields: {user: ada, pass: $FORUM_PASSWORD}\nshows: /logout\n")
		dir := filepath.Join(t.TempDir(), "crawl")
		args := []string{"crawl", "--delay=0", "--min-space=0", "--no-traps", "--workers=1", "--login", form, "--out", dir, base + "/"}
		for sessions := 0; ; sessions++ {
			c := command(t, args...)
			var said strings.Builder
			c.Stdout, c.Stderr = &said, &said
			site.mu.Lock()
			err := c.Start()
			site.running, site.ended = c.Process, make(chan struct{})
			left := len(site.at)
			site.mu.Unlock()
			if err != nil {
				t.Fatal(err)
			}
			err = c.Wait()
			close(site.ended)
			if err == nil {
				return site
			}
			if left == 0 || sessions > 20 {
				t.Fatalf("session %d: %v\n%s", sessions, err, said.String())
			}
			args = []string{"resume", dir}
		}
	}
	want := crawled(nil)
	got := crawled(map[int]os.Signal{0: syscall.SIGKILL, 1: syscall.SIGKILL, 2: syscall.SIGTERM, 5: syscall.SIGKILL, 6: syscall.SIGKILL,
		12: syscall.SIGHUP, 20: syscall.SIGKILL})
	if fmt.Sprint(got.turns) != fmt.Sprint(want.turns) || len(want.turns) != 21 {
		t.Errorf("the server saw\n%s\nwant\n%s", strings.Join(got.turns, "\n"), strings.Join(want.turns, "\n"))
	}
	if got.logins != 1 || want.logins != 1 || got.robots != want.robots || len(got.agents) != 1 {
		t.Errorf("%d logins, %d requests of robots.txt, agents %v; want %d and %d", got.logins, got.robots, got.agents,
			want.logins, want.robots)
	}
}
