package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// plank is a type whose lists state their number of threads.
const plank = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="plank">
<detect><pattern>meta[@name='generator'][@content='Plank']</pattern></detect>
<level id="topic" kind="terminal"><detect><pattern>body[@class='topic']</pattern></detect>
<follow to="forum">p[@class='trail']/a</follow>
<object class="sioc:Thread" id="{url}"><field name="title">h1</field></object></level>
<level id="forum" kind="intermediate"><detect><pattern>body[@class='list']</pattern></detect>
<follow to="topic">a[@class='t']</follow><follow to="forum">a[@class='f']</follow>
<total of="sioc:Thread" match="(\d+) threads">p[@class='n']</total></level></type></category></kb>`

// TestListHoldsTheThreadsThatItLinksTo: a list has its threads although their pages link to the front page only, which links to some, too.
func TestListHoldsTheThreadsThatItLinksTo(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `<html><head><meta name="generator" content="Plank"><title>T</title></head>%s</html>`, body)
		})
	}
	rows := ""
	for i := range 4 {
		path := fmt.Sprintf("/t/%d", i+1)
		rows += fmt.Sprintf(`<a class="t" href="%s">Thread %d</a> `, path, i+1)
		page(path, fmt.Sprintf(`<body class="topic"><p class="trail"><a href="/">Home</a></p><h1>Thread %d</h1></body>`, i+1))
	}
	page("/{$}", `<body class="list"><a class="f" href="/f/1">Boats</a> <a class="t" href="/t/1">Thread 1</a></body>`)
	page("/f/1", `<body class="list"><p class="n">4 threads</p>`+rows+`</body>`)
	dir, o := runCrawl(t, "--kb", write(t, "plank.xml", plank), serve(t, mux)+"/")
	o.want(t, exitDone)
	for _, l := range reportOf(t, dir).Completeness.Lists {
		if !strings.HasSuffix(l.ID, "/f/1") {
			continue
		}
		if l.Things.Saved != 4 || !l.Complete() {
			t.Errorf("%s", l.Text())
		}
		return
	}
	t.Error("the report lacks the list")
}
