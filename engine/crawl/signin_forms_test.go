package crawl

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/awarc/awarc/engine/fetch"
)

// doors are sites with forms to log in by, each with the description of its login. A site lets in who sends exactly one body.
var doors = []struct {
	name  string
	pages map[string]string // forms by path
	yaml  string
	wants map[string]string // bodies by path, the last of which lets in
}{
	{
		"a search before it", map[string]string{"/login": `<form action=/search><input name=q></form>
			<form action=/in method=post><input type=hidden name=csrf value=t><input name=u><input type=password name=p></form>`},
		"fields: {u: ada, p: pw}", map[string]string{"/in": "csrf=t&u=ada&p=pw"},
	},
	{
		"a registration before it",
		map[string]string{"/login": `<form action=/register method=post><input name=u><input type=password name=p>
			<input type=password name=p2></form><form action=/in method=post><input name=u><input type=password name=p></form>`},
		"fields: {u: ada, p: pw}", map[string]string{"/in": "u=ada&p=pw"},
	},
	{
		"a registration that autocomplete tells", map[string]string{"/login": `<form action=/register method=post><input name=u>
			<input type=password name=p autocomplete=new-password></form><form action=/in method=post><input name=u>
			<input type=password name=p autocomplete="section-a current-password"></form>`},
		"fields: {u: ada, p: pw}", map[string]string{"/in": "u=ada&p=pw"},
	},
	{
		"fields outside of their form", map[string]string{"/login": `<form id=f action=/in method=post></form><input name=u form=f>
			<input type=password name=p form=f><button form=f name=go value=1>in</button>`},
		"fields: {u: ada, p: pw}", map[string]string{"/in": "u=ada&p=pw&go=1"},
	},
	{
		"a form in a table", map[string]string{"/login": `<table><form action=/in method=post><tr><td><input name=u></td></tr><tr><td>
			<input type=password name=p></td></tr></form></table>`},
		"fields: {u: ada, p: pw}", map[string]string{"/in": "u=ada&p=pw"},
	},
	{
		"names that nobody can know",
		map[string]string{"/login": `<form action=/in method=post><input name=x1 type=email><input name=x2 type=password>
			<input name=code placeholder="one-time code"></form>`},
		"user: ada\npassword: pw", map[string]string{"/in": "x1=ada&x2=pw&code="},
	},
	{
		"the user by autocomplete",
		map[string]string{"/login": `<form action=/in method=post><input name=id autocomplete=username><input name=realm value=r>
			<input name=x2 type=password></form>`},
		"user: ada\npassword: pw", map[string]string{"/in": "id=ada&realm=r&x2=pw"},
	},
	{
		"the user first", map[string]string{
			"/login": `<form action=/search method=get><input name=q></form><form action=/second method=post><input name=u></form>`,
			"/second": `<form action=/in method=post><input type=hidden name=u value=ada>` +
				`<input type=password name=p><input type=submit value=in></form>`,
		},
		"fields: {u: ada, p: pw}", map[string]string{"/second": "u=ada", "/in": "u=ada&p=pw"},
	},
	{
		"the user first, by autocomplete", map[string]string{
			"/login":  `<form action=/second method=post><input name=a1 autocomplete="username webauthn"></form>`,
			"/second": `<form action=/in method=post><input type=password name=a2></form>`,
		},
		"user: ada\npassword: pw", map[string]string{"/second": "a1=ada", "/in": "a2=pw"},
	},
	{
		"a button of its own", map[string]string{"/login": `<form action=/search method=post><input name=u><input type=password name=p>
			<button name=do value=search>search</button><button name=do value=login formaction=/in>in</button></form>`},
		"fields: {u: ada, p: pw, do: login}", map[string]string{"/in": "u=ada&p=pw&do=login"},
	},
	{
		"what scripts would add",
		map[string]string{"/login": `<form action=/in method=post><input name=u><input type=password name=p><input type=checkbox name=stay>
			<button disabled name=go>in</button></form>`},
		"fields: {u: ada, p: pw, js: 1, stay: yes}", map[string]string{"/in": "u=ada&p=pw&stay=on&go=&js=1"},
	},
	{
		"a server that forwards the form",
		map[string]string{"/login": `<form action=/forward method=post><input name=u><input type=password name=p></form>`},
		"fields: {u: ada, p: pw}", map[string]string{"/in": "u=ada&p=pw"},
	},
}

func TestLoginsByForms(t *testing.T) {
	for _, door := range doors {
		t.Run(door.name, func(t *testing.T) {
			var s *httptest.Server
			s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				page, shown := door.pages[r.URL.Path]
				want, sent := door.wants[r.URL.Path]
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				switch {
				case r.Method == http.MethodPost && r.URL.Path == "/forward":
					http.Redirect(w, r, "/in", http.StatusTemporaryRedirect)
				case r.Method == http.MethodPost && (!sent || string(body) != want || r.Header.Get("Origin") != s.URL ||
					!strings.HasPrefix(r.Header.Get("Referer"), s.URL+"/")):
					t.Errorf("%s got %q, want %q; header %v", r.URL.Path, body, want, r.Header)
				case r.Method == http.MethodPost && r.URL.Path == "/in":
					http.SetCookie(w, &http.Cookie{Name: "in", Value: "1", Path: "/"})
					fmt.Fprint(w, "welcome, you will be led on")
				case shown && noCookie(r):
					fmt.Fprint(w, page)
				default:
					fmt.Fprint(w, "<a href=/logout>log out</a>")
				}
			}))
			defer s.Close()
			yaml := "url: " + s.URL + "/login\nshows: /logout\n" + door.yaml
			if err := logInBy(t, yaml); err != nil {
				t.Error(err)
			}
		})
	}
}

func noCookie(r *http.Request) bool {
	_, err := r.Cookie("in")
	return err != nil
}

// logInBy logs in as a description says.
func logInBy(t *testing.T, yaml string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "form.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := fetch.New(fetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s, err := newSignedIn(file, client, func(slog.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	return s.first(t.Context())
}

// TestLoginInTheCharsetOfThePage: names beyond ASCII reach a site as a browser sends them.
func TestLoginInTheCharsetOfThePage(t *testing.T) {
	page, err := charmap.Windows1251.NewEncoder().String(`<form method=post><input name=имя><input type=password name=p></form>`)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=windows-1251")
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			got <- string(body)
			fmt.Fprint(w, "in")
			return
		}
		fmt.Fprint(w, page)
	}))
	defer s.Close()
	if err := logInBy(t, "url: "+s.URL+"/login\nfields: {имя: Ада, p: пароль}\n"); err != nil {
		t.Fatal(err)
	}
	if body, want := <-got, "%E8%EC%FF=%C0%E4%E0&p=%EF%E0%F0%EE%EB%FC"; body != want {
		t.Errorf("%s, want %s", body, want)
	}
}

// TestLoginsThatNothingCanSend: errors name what to do instead.
func TestLoginsThatNothingCanSend(t *testing.T) {
	for page, want := range map[string]string{
		`<input name=u><input type=password name=p>`:                                                  "is not in a form",
		`<form method=dialog><input type=password name=p></form>`:                                     "closes a dialog",
		`<form action="javascript:go()" method=post><input type=password name=p></form>`:              "is not a web address",
		`<form action=/search><input name=q></form>`:                                                  "no form with a password field",
		`<form method=post><input name=u></form>`:                                                     "no form with a password field",
		`<form method=post><fieldset><input type=password name=p></fieldset></form><p>wrong password`: "still shows a password field",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page)
		}))
		err := logInBy(t, "url: "+s.URL+"/login\nfields: {u: ada, p: pw}\n")
		s.Close()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", page, err, want)
		}
	}
}
