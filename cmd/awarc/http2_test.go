package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A site that speaks HTTP/2 only is crawled like any other, and its archive is whole and says so.
func TestCrawlOfAnHTTP2Site(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<html><title>%s</title><a href="/a">a</a> <a href="/b">b</a>`, r.URL.Path)
	}))
	s.EnableHTTP2 = true
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	dir, o := runCrawl(t, s.URL+"/")
	o.want(t, exitDone)
	if r := readReport(t, dir); r.Pages != 3 {
		t.Errorf("%d pages", r.Pages)
	}
	checkArchive(t, dir)
	checkLogAndReport(t, dir)
	text := warcText(t, dir)
	if strings.Count(text, "WARC-Protocol: h2") != 8 || strings.Count(text, "WARC-Cipher-Suite: TLS_") != 8 ||
		strings.Count(text, "HTTP/1.1 200 OK") != 3 {
		t.Error("the archive does not have three pages and a robots.txt by HTTP/2")
	}
}
