package main

import (
	"context"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/awarc/awarc/testsites"
)

// TestKnowledgeBaseFromSavedPages: kb new drafts a type from two pages that somebody saved, whose examples hold; kb example writes one
// more; kb watch tells what an edit loses.
func TestKnowledgeBaseFromSavedPages(t *testing.T) {
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 300})
	if err != nil {
		t.Fatal(err)
	}
	host, dir := serve(t, site), t.TempDir()
	saved := func(name, address string) string {
		answer, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		page, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
		return file + "=" + address
	}
	thread, list := "", ""
	links := regexp.MustCompile(`href="(?:\./)?(viewtopic\.php[^"#]*)"[^>]*class="topictitle"`)
	for _, p := range site.Truth(host).Pages {
		if thread != "" || p.Level != "forum" {
			continue
		}
		list = saved("forum.html", p.URL)
		page, err := os.ReadFile(filepath.Join(dir, "forum.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links.FindAllStringSubmatch(string(page), -1) {
			thread = host + "/" + html.UnescapeString(link[1])
		}
	}
	topic := saved("topic.html", thread)
	awarc(t, "", "kb", "new", "board", "--out", dir, topic, list).want(t, exitDone)
	file := filepath.Join(dir, "board.xml")
	awarc(t, "", "kb", "test", "--alone", file).want(t, exitDone)
	if o := awarc(t, "", "kb", "example", "--alone", "--kb", file, topic); !strings.Contains(o.out, `<example page="topic.html"`) ||
		!strings.Contains(o.out, `name="content">`) {
		t.Errorf("%d: %s%s", o.status, o.out, o.err)
	}
	awarc(t, "", "kb", "new", "board", "--out", dir, topic).want(t, exitUsage, "exists already")
	if o := awarc(t, "", "kb", "new", "alone", "--out", dir, topic); !strings.Contains(o.out, `lacks: `) ||
		!strings.Contains(o.out, `add <follow to="thread" paging="yes">`) {
		t.Errorf("a draft without a list or further pages does not say so: %s", o.out)
	}
	awarc(t, "", "kb", "new", "other", "--out", dir, strings.SplitN(list, "=", 2)[0]).want(t, exitUsage, "does not state its URL")

	ctx, stop := context.WithCancel(t.Context())
	var out, errs lockedBuffer
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"kb", "watch", "--alone", file, filepath.Join(dir, "topic.html")}, streams{nil, &out, &errs})
	}()
	until(t, "the first look", func() bool { return strings.Contains(out.String(), "board-thread-1.html: ") })
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content := regexp.MustCompile(`(<field name="content" as="html" required="yes">).*`)
	broken := content.ReplaceAllString(string(data), "${1}nothing</field>")
	if broken == string(data) {
		t.Fatalf("no field content:\n%s", data)
	}
	if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "what the edit lost", func() bool { return strings.Contains(out.String(), "missing content of") })
	stop()
	<-ended
	if !strings.Contains(out.String(), "was: ") || !strings.Contains(out.String(), "FAIL ") {
		t.Errorf("%s", out.String())
	}
}
