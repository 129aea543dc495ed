// Rung fetches pages whose addresses it knows, 16 at a time, parses each and keeps it compressed with gzip at level 1: what any crawler in
// Go takes for a page at least, without frontier, robots.txt, scope or graph.
//
//	rung PAGES FOLDER HOST:PORT...
//
// The site gives a page for each number before .html.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html"
	"golang.org/x/sync/errgroup"
)

const workers = 16

func main() {
	pages, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	hosts := os.Args[3:]
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers, DisableCompression: true}}
	var group errgroup.Group
	for worker := range workers {
		group.Go(func() error {
			file, err := os.Create(filepath.Join(os.Args[2], fmt.Sprint(worker, ".gz")))
			if err != nil {
				return err
			}
			defer file.Close()
			for n := worker; n < pages; n += workers {
				if err := keep(client, file, fmt.Sprintf("http://%s/page.%d.html", hosts[n%len(hosts)], n/len(hosts))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		log.Fatal(err)
	}
}

// keep fetches, parses and stores a page.
func keep(client *http.Client, file io.Writer, url string) error {
	answer, err := client.Get(url)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	if _, err := html.Parse(bytes.NewReader(body)); err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(file, 1)
	if err != nil {
		return err
	}
	if err := answer.Header.Write(z); err != nil {
		return err
	}
	if _, err := z.Write(body); err != nil {
		return err
	}
	return z.Close()
}
