package crawl_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/testsites"
)

func Example() {
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 1, Posts: 40})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(site)
	defer server.Close()
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	c, err := crawl.New(filepath.Join(dir, "forum"), crawl.Options{
		Seeds: []string{server.URL}, Politeness: crawl.Politeness{Contact: "me@example.org", Delay: crawl.None},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	status, err := c.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	r := c.Report()
	fmt.Println(status == crawl.Done, r.Finished, r.Types, r.Objects["sioc:Post"])
	// Output: true true map[phpbb:21] 40
}
