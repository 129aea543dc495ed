package archive

import (
	"strings"
	"testing"
)

// The keys were made by cdxj-indexer 1.5.0 (append_method_query of postquery.py) and surt 0.3.1.
func TestKeysOfOtherMethods(t *testing.T) {
	const form, json = "application/x-www-form-urlencoded", "application/json"
	parts := "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1 2\r\n--x\r\n" +
		"Content-Disposition: form-data; name=\"f\"; filename=\"t\"\r\n\r\n<p>\r\n--x--\r\n"
	for _, c := range []struct{ method, kind, body, url, want string }{
		{"GET", form, "", "", ""},
		{"POST", form, "b=1&a=caf%C3%A9+x", "", "?__wb_method=post&a=caf%c3%a9%20x&b=1"},
		{"POST", form + "; charset=utf-8", "p=100%&q=%41", "", "?__wb_method=post&p=100%25&q=a"},
		{"POST", "multipart/form-data; boundary=x", parts, "", "?__wb_method=post&a=1+2&f=<p>"},
		{"POST", json, `{"query": "{ posts }", "variables": {"n": 3, "deep": [1, 2.5, true, null]}, "n": "x"}`, "",
			"?__wb_method=post&deep=1&deep.2_=2.5&deep.3_=true&deep.4_=none&n=3&n.2_=x&query={+posts+}"},
		{"POST", json, "{\"a\": 1}\n{\"a\": 2}", "", "?__wb_method=post&a=1&a.2_=2"},
		{"POST", json, "no json", "", "?__wb_method=post"},
		{"POST", "text/plain;charset=UTF-8", `{"a": 1}`, "", "?__wb_method=post&a=1"},
		{"POST", "text/plain;charset=UTF-8", "home", "", "?__wb_method=post&__wb_post_data=ag9tzq=="},
		{"POST", "", "\x00\x01", "", "?__wb_method=post&__wb_post_data=aae="},
		{"PUT", "application/octet-stream", "x", "?z=1", "?__wb_method=put&__wb_post_data=ea==&z=1"},
		{"POST", form, "long=" + strings.Repeat("y", 5000), "", "?__wb_method=post&long=" + strings.Repeat("y", 4091)},
	} {
		url := "http://e.com/api" + c.url
		s := sentIn([]byte(c.method + " /api HTTP/1.1\r\nContent-Type: " + c.kind + "\r\n\r\n" + c.body))
		if got := surt(s.keyURL(url)); got != "com,e)/api"+c.want {
			t.Errorf("%s %q: %s, want %s", c.method, c.body, got, c.want)
		}
	}
}

// TestIndexOfOtherMethods: answers to POST requests are found under method and body, whether their
// lines were made with the records or from them, and are not taken for captures of the URL.
func TestIndexOfOtherMethods(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	answer := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	for _, body := range []string{"a=1", "a=2"} {
		c := captureOf("http://e.com/api", answer+"for "+body)
		c.Request = []byte("POST /api HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n" + body)
		write(t, w, c)
	}
	closeOK(t, w)
	found, err := Find(dir, "http://e.com/api?__wb_method=POST&a=2")
	if err != nil || len(found) != 1 || found[0].URL != "http://e.com/api" {
		t.Fatalf("%v, %v", found, err)
	}
	name := found[0].File
	lines := &sorter{dir: t.TempDir()}
	if err := indexFile(w.archive+"/"+name, name, lines); err != nil {
		t.Fatal(err)
	}
	index := string(read(t, w.archive+"/"+indexName))
	if again := string(readAll(t, lines.sorted())); again != index || !strings.Contains(index, `,"requestBody":"a=1","method":"POST"}`) {
		t.Errorf("the index is\n%s\nand from the file\n%s", index, again)
	}
	methods := 0
	err = Answers(Reading{Files: []string{w.archive + "/" + name}, Most: 1 << 20, Bad: func(b *BadRecord) { t.Error(b) },
		Each: func(a *Answer) error {
			if a.Method == "POST" {
				methods++
			}
			return nil
		}})
	if err != nil || methods != 2 {
		t.Errorf("%d answers to POST: %v", methods, err)
	}
	w = open(t, dir, Options{})
	captured, err := w.Captured(false)
	if err != nil || captured.HasAny("http://e.com/api") {
		t.Errorf("the URL counts as captured: %v", err)
	}
}
