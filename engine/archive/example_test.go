package archive_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/archive"
)

func Example() {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	w, err := archive.Open(dir, archive.Options{
		Info: map[string]string{"software": "awarc", "robots": "classic", "isPartOf": "example"},
		Now:  func() time.Time { return time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>hello</title>"
	id := archive.NewID()
	loc, err := w.Write(archive.Capture{
		ID: id, URL: "http://blog.example/hello", Time: time.Now(), IP: "192.0.2.1",
		Request:  []byte("GET /hello HTTP/1.1\r\nHost: blog.example\r\n\r\n"),
		Response: strings.NewReader(answer), Size: int64(len(answer)), Status: 200,
		Metadata: []archive.Field{{Name: "type", Value: "wordpress"}},
		Locate: func(l archive.Location) []byte {
			return fmt.Appendf(nil, "<%s> <urn:awarc:ns#warcFile> \"%s\" <urn:awarc:meta> .\n", l.RecordID, l.File)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Sync(); err != nil { // now the URL may be acknowledged
		fmt.Println(err)
		return
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	reports, err := archive.Verify(dir + "/archive/" + loc.File)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loc.File, reports[0].Records, reports[0].Wrong)
	// Output: awarc-20261121093000-00001.warc.gz map[metadata:1 request:1 response:1 warcinfo:1] 0
}
