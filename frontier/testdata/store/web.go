package main

import (
	"math/rand/v2"
	"strconv"

	"github.com/awarc/awarc/frontier"
)

const linksPerPage = 50

// web makes up the links of pages. A page is on a host that is chosen with the
// density of a power law over all hosts met so far; four of five of its links lead to its own host and
// the others to hosts chosen likewise, one of a hundred of these to a host that is new.
// Half of all links are new; of the known ones half are among the first twenty
// URLs of their host, its navigation, and half are any of its URLs. There are about
// 250 URLs a host. Only the number of URLs of each host is remembered.
type web struct {
	r    *rand.Rand
	urls []uint32
}

func newWeb() *web { return &web{r: rand.New(rand.NewPCG(1, 2)), urls: []uint32{1}} }

func (w *web) host() int {
	x := w.r.Float64()
	return int(x * x * x * float64(len(w.urls)))
}

// links returns the links of as many pages as make up n.
func (w *web) links(n int) []frontier.URL { return w.pages(n, w.number, 100) }

// fill returns links that are all new, and as many URLs a host as links leads to.
func (w *web) fill(n int) []frontier.URL {
	return w.pages(n, func(host int) int {
		w.urls[host]++
		return int(w.urls[host]) - 1
	}, 50)
}

// pages makes up links; one of perHost foreign ones leads to a new host.
func (w *web) pages(n int, number func(host int) int, perHost int) []frontier.URL {
	urls := make([]frontier.URL, 0, n)
	for len(urls) < n {
		home := w.host()
		via := address(home, w.r.IntN(int(w.urls[home])))
		for range linksPerPage {
			host := home
			if w.r.IntN(5) == 0 {
				if host = w.host(); w.r.IntN(perHost) == 0 {
					host = len(w.urls)
					w.urls = append(w.urls, 0)
				}
			}
			urls = append(urls, frontier.URL{
				URL: address(host, number(host)), Via: via, Hops: 3, Priority: w.r.IntN(3),
				Type: "phpbb", Level: "topic", Anchor: anchor(w.r.Uint64()),
			})
		}
	}
	return urls
}

// number chooses a URL of a host, half of the time a new one.
func (w *web) number(host int) int {
	n := int(w.urls[host])
	switch x := w.r.IntN(4); {
	case n == 0 || x < 2:
		w.urls[host]++
		return n
	case x == 2:
		return w.r.IntN(min(n, 20))
	}
	return w.r.IntN(n)
}

var (
	words = []string{"river", "garden", "music", "history", "open", "north", "travel", "city", "forum", "photo", "kitchen", "linux", "school",
		"market", "radio", "winter"}
	tlds = []string{"com", "org", "net", "de", "fr", "co.uk", "info", "blogspot.com"}
)

// mix scrambles a number (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func word(x uint64) string { return words[x%uint64(len(words))] }

// address is the URL of that number of a host: of a forum, a blog, a wiki or a shop.
func address(host, number int) string {
	h := mix(uint64(host))
	x := mix(h ^ uint64(number))
	scheme := "https://"
	if h>>32%4 == 3 {
		scheme = "http://"
	}
	b := append(make([]byte, 0, 96), scheme...)
	b = append(b, "www."...)
	b = append(append(b, word(h)...), word(h>>8)...)
	b = strconv.AppendInt(b, int64(host), 10)
	b = append(append(b, '.'), tlds[h>>16%uint64(len(tlds))]...)
	n := int64(number)
	switch h >> 32 % 4 {
	case 0:
		b = strconv.AppendUint(append(b, "/forum/viewtopic.php?f="...), x%40, 10)
		return string(strconv.AppendInt(append(b, "&t="...), n, 10))
	case 1:
		b = strconv.AppendUint(append(b, '/'), 2004+x%18, 10)
		b = strconv.AppendUint(append(b, "/0"...), 1+x>>8%9, 10)
		for i, shift := range []int{16, 24, 32} {
			b = append(append(b, "/--"[i]), word(x>>shift)...)
		}
		return string(append(strconv.AppendInt(append(b, '-'), n, 10), '/'))
	case 2:
		b = append(append(append(b, "/wiki/"...), word(x>>16)...), '_')
		return string(strconv.AppendInt(append(append(b, word(x>>24)...), '_'), n, 10))
	}
	b = append(append(append(append(b, '/'), word(x)...), '/'), word(x>>8)...)
	return string(append(strconv.AppendInt(append(b, "/item-"...), n, 10), ".html"...))
}

func anchor(x uint64) string { return word(x) + " " + word(x>>8) + " " + word(x>>16) }
