package cluster

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"strings"

	"github.com/awarc/awarc/frontier"
)

// slots is how many hash slots a Redis Cluster has.
const slots = 16384

// keysOfPartition are the last parts of a partition's keys, in the order in which partition.lua names them.
var keysOfPartition = []string{
	"entries", "hosts", "notes", "ready", "waiting", "domains", "ready-hosts", "timed-hosts", "ready-domains", "timed-domains",
	"leases", "expiries", "sums", "counters", "settings", "marks", "addresses", "families", "parts", "put-off", "turns", "rules", "above",
	"late",
}

// The places of keys that are read without an operation.
const (
	keyNotes    = 2
	keySums     = 12
	keyCounters = 13
	keySettings = 14
	keyMarks    = 15
	keyLate     = 23
)

// partition is a part of a crawl. Its keys have one hash tag, so that they are always in one slot.
type partition struct {
	number int
	keys   []string
}

// crawlKey is where a crawl says what it is.
func crawlKey(crawl string) string { return "awarc:{" + crawl + "}" }

// divide makes the partitions of a crawl. Each has the tag that is found first in its share of the slots, so that they are even
// on any number of shards that divides theirs, if these have shares of the slots that are even and in one piece, as usual.
func divide(crawl string, n int) []partition {
	all := make([]partition, n)
	for i := range all {
		tag := ""
		for salt := 0; ; salt++ {
			tag = fmt.Sprintf("%s/%d.%d", crawl, i, salt)
			if slot := slotOf(tag); slot*n/slots == i {
				break
			}
		}
		all[i] = partition{number: i}
		for _, name := range keysOfPartition {
			all[i].keys = append(all[i].keys, "awarc:{"+tag+"}:"+name)
		}
	}
	return all
}

// slotOf is the slot of a hash tag: CRC-16/XMODEM.
func slotOf(tag string) int {
	var crc uint16
	for i := range len(tag) {
		crc ^= uint16(tag[i]) << 8
		for range 8 {
			carry := crc>>15 == 1
			if crc <<= 1; carry {
				crc ^= 0x1021
			}
		}
	}
	return int(crc) % slots
}

// digest names an entry by its key, and a mark.
type digest [16]byte

func digestOf(key string) digest {
	sum := sha256.Sum256([]byte(key))
	return digest(sum[:16])
}

// of is the partition of a name: that of a domain has all that is known of it.
func (s *Store) of(name string) int {
	d := digestOf(name)
	hi, _ := bits.Mul64(uint64(d[0])<<56|uint64(d[1])<<48|uint64(d[2])<<40|uint64(d[3])<<32, uint64(len(s.partitions)))
	return int(hi)
}

// place is where an entry is: where the host of its key is, and what host and domain are called there. A key that is no URL is alone.
func (s *Store) place(key string) (partition int, host, domain string) {
	host, err := frontier.HostOf(key)
	if err != nil {
		return s.of(key), "", ""
	}
	partition, domain = s.home(host)
	return partition, host, domain
}

// located is a URL as it is kept, and where.
type located struct {
	frontier.URL
	partition    int
	host, domain string
	problem      string // why it cannot be asked for
}

// locate finds out where a URL belongs. One whose key is of another domain, or of another host that is apart, cannot be kept where both
// are.
func (s *Store) locate(u frontier.URL, via string) (located, error) {
	host, err := frontier.HostOf(u.URL)
	l := located{URL: u.Kept(via), host: host}
	var of string // host of the key
	l.partition, of, l.domain = s.place(l.Key)
	if err != nil {
		l.problem, l.host = err.Error(), ""
		return l, nil
	}
	if of == host {
		return l, nil // to ask twice may give two answers, if it is learned meanwhile that the host is apart
	}
	at, domain := s.home(host)
	if l.domain = domain; at != l.partition {
		return l, fmt.Errorf("cluster: the key %q of %s is of another domain or place: they cannot be kept in one place", clipped(l.Key),
			clipped(l.URL.URL))
	}
	return l, nil
}

// clipped is a text for a message.
func clipped(text string) string {
	if len(text) <= 200 {
		return text
	}
	return strings.ToValidUTF8(text[:200], "") + "..."
}
