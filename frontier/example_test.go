package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/awarc/awarc/frontier"
)

// A crawl of three pages by one worker: the seed names two pages, of which the
// topic is worth more, and one of those pages turns out to be a copy of the other.
func Example() {
	dir, err := os.MkdirTemp("", "frontier")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	f, err := frontier.Open(dir, frontier.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()

	ctx := context.Background()
	if _, err := f.Add(ctx, []frontier.URL{{URL: "http://forum.test/", Seed: true}}); err != nil {
		fmt.Println(err)
		return
	}
	for {
		lease, err := f.Next(ctx)
		if errors.Is(err, frontier.ErrDrained) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("fetch", lease.URL.URL)

		o := frontier.Outcome{State: frontier.Fetched, Counters: map[string]int64{"pages": 1}}
		switch lease.URL.URL {
		case "http://forum.test/":
			o.Links = []frontier.URL{
				{URL: "http://forum.test/post/8", Hops: 1},
				{URL: "http://forum.test/topic/7", Hops: 1, Priority: 10},
			}
		case "http://forum.test/topic/7":
			o.Aliases = []string{"http://forum.test/post/8"}
		}
		if err := f.Done(lease, o); err != nil {
			fmt.Println(err)
			return
		}
	}
	post, _ := f.Lookup("http://forum.test/post/8")
	fmt.Println(post.State, "-", post.Reason)
	fmt.Println(f.Counters()["pages"], "pages")
	// Output:
	// fetch http://forum.test/
	// fetch http://forum.test/topic/7
	// aliased - captured as http://forum.test/topic/7
	// 2 pages
}
