package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
)

// savedTopic saves the first topic page of a board.
func savedTopic(t *testing.T, site *testsites.Site, base string) (file, url string) {
	t.Helper()
	for _, p := range site.Truth(base).Pages {
		if p.Level == "topic" {
			url = p.URL
			break
		}
	}
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "topic.html", string(body)), url
}

// oneObject decodes one line of JSON and checks that fields are there.
func oneObject(t *testing.T, text string, fields ...string) map[string]any {
	t.Helper()
	var m map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, f := range fields {
		if _, ok := m[f]; !ok {
			t.Errorf("no %q in %s", f, text)
		}
	}
	return m
}

func TestDetectAndExtract(t *testing.T) {
	site := board(t, 30)
	base := serve(t, site)
	file, url := savedTopic(t, site, base)
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"file": {"--url", url, file}, "standard input": {"--url", url, "-"}, "address": {url}} {
		t.Run(name, func(t *testing.T) {
			detect := []string{"input", "url", "type", "level", "kind", "patterns", "matches", "time_us"}
			o := awarc(t, string(saved), append([]string{"detect", "--format", "json"}, args...)...)
			o.want(t, exitDone)
			m := oneObject(t, o.out, detect...)
			if m["type"] != "phpbb" || m["level"] != "topic" || m["kind"] != "terminal" || m["url"] != url || m["input"] !=
				args[len(args)-1] {
				t.Errorf("detect: %v", m)
			}
			if matches, _ := m["matches"].([]any); len(matches) == 0 {
				t.Error("no matches are listed")
			}

			o = awarc(t, string(saved), append([]string{"extract", "--format", "json"}, args...)...)
			o.want(t, exitDone)
			oneObject(t, o.out, append(detect, "objects", "links", "adapted")...)
			var x extractJSON
			if err := json.Unmarshal([]byte(o.out), &x); err != nil {
				t.Fatal(err)
			}
			posts := 0
			for _, object := range x.Objects {
				if object.Class != "sioc:Post" {
					continue
				}
				posts++
				for _, f := range []string{"creator", "created", "content", "content_html"} {
					if len(object.Fields[f]) == 0 {
						t.Errorf("%s has no %s", object.ID, f)
					}
				}
				if object.Parent == "" {
					t.Errorf("%s has no parent", object.ID)
				}
			}
			if posts == 0 {
				t.Error("no posts were found")
			}
			for _, l := range x.Links {
				if l.URL == "" || l.To == "" || l.Action == "" {
					t.Errorf("a link without address, level or action: %+v", l)
				}
			}
			if len(x.Links) == 0 {
				t.Error("no links were found")
			}
			for _, command := range []string{"detect", "extract"} { // as text
				o := awarc(t, string(saved), append([]string{command}, args...)...)
				o.want(t, exitDone)
				if !strings.Contains(o.out, "phpbb topic") {
					t.Errorf("%s says %s", command, o.out)
				}
			}
		})
	}
	o := awarc(t, "", "detect", "--type", "wordpress", "--format", "json", file)
	if m := oneObject(t, o.out); m["type"] != "wordpress" {
		t.Errorf("--type is not obeyed: %v", m)
	}
}

func TestPagesOfNothing(t *testing.T) {
	binary := write(t, "binary", "\x89PNG\r\n\x1a\n\x00\x00\x00\xff\xfe\x00<\x00h\x00t\x00m\x00l\x00>"+strings.Repeat("\x00\xff", 1000))
	empty := write(t, "empty", "")
	deep := write(t, "deep.html", strings.Repeat("<div>", 100_000))
	plain := write(t, "plain.html", "<p>hello")
	for _, command := range []string{"detect", "extract"} {
		for _, file := range []string{binary, empty, plain} {
			o := awarc(t, "", command, "--format", "json", file)
			o.want(t, exitDone)
			m := oneObject(t, o.out, "type", "level", "patterns", "matches")
			if m["type"] != nil || m["level"] != nil {
				t.Errorf("%s takes %s for %v", command, file, m)
			}
		}
		awarc(t, "", command, "-").want(t, exitDone) // an empty standard input
		if o := awarc(t, "", command, deep); o.status != exitDone && o.status != exitFailed {
			t.Errorf("%s of elements without end: exit status %d", command, o.status)
		}
		for _, absent := range []string{filepath.Join(t.TempDir(), "absent.html"), t.TempDir(), "http://no-such-host.invalid/",
			"http://127.0.0.1:1/"} {
			o := awarc(t, "", command, "--format", "json", absent, plain)
			o.want(t, exitFailed, absent, "1 of 2 inputs failed")
			if m := oneObject(t, o.out); m["input"] != plain {
				t.Errorf("the input after %s was not looked at: %s", absent, o.out)
			}
		}
		awarc(t, "", command, "--header", "no colon", plain).want(t, exitFailed, "no colon")
	}
}

func TestKnowledgeBaseAlone(t *testing.T) {
	const page = "../../kb/testdata/phpbb-prosilver-topic.html"
	own := "../../kb/testdata/tutorial/slipway.xml"
	if o := awarc(t, "", "detect", "--kb", own, page); !strings.Contains(o.out, "phpbb topic") {
		t.Errorf("beside the built-in types: %s", o.out)
	}
	if o := awarc(t, "", "detect", "--kb", own, "--alone", page); !strings.Contains(o.out, "unknown") {
		t.Errorf("alone: %s", o.out)
	}
	awarc(t, "", "detect", "--alone", page).want(t, exitUsage, "--kb")
}

// TestOneOfManyPanics: of several inputs the one that makes a step panic is named, and the
// others are read.
func TestOneOfManyPanics(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a.html", "b.html", "c.html"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("<p>"+name), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	var shown []string
	var errs bytes.Buffer
	err := pageFlags{Input: files}.inspect(t.Context(), streams{nil, io.Discard, &errs},
		func(_ *kb.Base, in input, _ engine.Page, _ time.Duration, _ *engine.Explanation) error {
			if in.name == files[0] {
				panic("a bug")
			}
			shown = append(shown, filepath.Base(in.name))
			return nil
		})
	if status := (*statusError)(nil); !errors.As(err, &status) || status.status != exitFailed ||
		!strings.Contains(errs.String(), "a.html: internal error") {
		t.Errorf("%v: %s", err, errs.String())
	}
	if !slices.Equal(shown, []string{"b.html", "c.html"}) {
		t.Errorf("%v are shown", shown)
	}
}
