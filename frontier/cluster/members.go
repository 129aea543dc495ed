package cluster

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// Member is a node that takes part in a crawl, or did.
type Member struct {
	Node string
	Seen time.Duration // since it last said something of itself
	Said []byte
}

// membersKey has what each node says of itself, behind the server's time.
func (s *Store) membersKey() string { return crawlKey(s.options.Crawl) + ":nodes" }

// Present publishes the state of this node to the others and replaces its earlier state. It is lost when a server dies:
// nodes publish it again.
func (s *Store) Present(ctx context.Context, said []byte) error {
	return s.atServer(ctx, func(ctx context.Context, server *redis.Client, now time.Time) error {
		return server.HSet(ctx, s.membersKey(), s.options.Node, now.Format(time.RFC3339Nano)+" "+string(said)).Err()
	})
}

// Members are all nodes that have said something of themselves, by name.
func (s *Store) Members(ctx context.Context) (members []Member, err error) {
	err = s.atServer(ctx, func(ctx context.Context, server *redis.Client, now time.Time) error {
		all, err := server.HGetAll(ctx, s.membersKey()).Result()
		if err != nil {
			return err
		}
		members = nil
		for node, text := range all {
			at, said, _ := strings.Cut(text, " ")
			seen, _ := time.Parse(time.RFC3339Nano, at) // as Present wrote it
			members = append(members, Member{node, now.Sub(seen), []byte(said)})
		}
		slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.Node, b.Node) })
		return nil
	})
	return members, err
}

// Address is the IP address of this node, as the server sees it that has the crawl's own keys.
func (s *Store) Address(ctx context.Context) (ip string, err error) {
	err = s.atServer(ctx, func(ctx context.Context, server *redis.Client, _ time.Time) error {
		info, err := server.ClientInfo(ctx).Result()
		if err != nil {
			return err
		}
		ip, _, err = net.SplitHostPort(info.Addr)
		return err
	})
	return ip, err
}

// atServer does something where the crawl's own keys are, by that server's clock.
func (s *Store) atServer(ctx context.Context, do func(ctx context.Context, server *redis.Client, now time.Time) error) error {
	return s.insist(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, replyTime)
		defer cancel()
		server, err := s.server(ctx, s.membersKey())
		if err != nil {
			return err
		}
		now, err := server.Time(ctx).Result()
		if err != nil {
			return err
		}
		return do(ctx, server, now)
	})
}

// MembersOf is Members of a crawl that this process takes no part in.
func MembersOf(ctx context.Context, o Options) (members []Member, err error) {
	err = tell(ctx, o, func(s *Store) error {
		members, err = s.Members(ctx)
		return err
	})
	return members, err
}

// documentsKey has what nodes publish, and versionsKey the versions of it, so that only what is new is read.
func (s *Store) documentsKey() string { return crawlKey(s.options.Crawl) + ":documents" }
func (s *Store) versionsKey() string  { return crawlKey(s.options.Crawl) + ":versions" }

// Publish lets other nodes read a document of this one, in place of its last.
func (s *Store) Publish(ctx context.Context, version string, document []byte) error {
	return s.say(ctx, s.documentsKey(), func(ctx context.Context, p redis.Pipeliner) {
		p.HSet(ctx, s.documentsKey(), s.options.Node, document)
		p.HSet(ctx, s.versionsKey(), s.options.Node, version)
	})
}

// Versions returns the versions of the documents of all nodes.
func (s *Store) Versions(ctx context.Context) (versions map[string]string, err error) {
	err = s.insist(ctx, func(ctx context.Context) error {
		versions, err = s.client.HGetAll(ctx, s.versionsKey()).Result()
		return err
	})
	return versions, err
}

// Document is that of a node.
func (s *Store) Document(ctx context.Context, node string) (document []byte, err error) {
	err = s.insist(ctx, func(ctx context.Context) error {
		document, err = s.client.HGet(ctx, s.documentsKey(), node).Bytes()
		return err
	})
	return document, err
}

// Claim reports whether this node is the first that claims a name.
func (s *Store) Claim(ctx context.Context, name string) (first bool, err error) {
	key := crawlKey(s.options.Crawl) + ":claims"
	err = s.say(ctx, key, func(ctx context.Context, p redis.Pipeliner) { p.HSetNX(ctx, key, name, s.options.Node) })
	if err != nil {
		return false, err
	}
	err = s.insist(ctx, func(ctx context.Context) error {
		by, err := s.client.HGet(ctx, key, name).Result()
		first = by == s.options.Node
		return err
	})
	return first, err
}

// queues are those that were told last.
type queues struct {
	sync.Mutex
	all []frontier.Queue
	at  time.Time
}

// queuesLast is for how long queues are told again without asking: all partitions are asked.
const queuesLast = 5 * time.Second

// Queues are the hosts with most pending URLs of the whole crawl, at most so many, the longest first, as they were a moment ago: of very
// many hosts, among some of each partition.
func (s *Store) Queues(most int) []frontier.Queue {
	q := &s.queues
	q.Lock()
	defer q.Unlock()
	if time.Since(q.at) < queuesLast {
		return q.all[:min(len(q.all), most)]
	}
	var all []frontier.Queue
	var mu sync.Mutex
	var asking sync.WaitGroup
	for _, p := range s.partitions {
		asking.Go(func() {
			reply, err := s.once(s.alive, p.keys, s.common("queues"), 0)
			if err != nil {
				return // its server is away; the others tell what they have
			}
			mu.Lock()
			defer mu.Unlock()
			for _, one := range list(reply) {
				all = append(all, s.queueOf(list(one)))
			}
		})
	}
	asking.Wait()
	slices.SortFunc(all, func(a, b frontier.Queue) int {
		return cmp.Or(cmp.Compare(b.Pending, a.Pending), cmp.Compare(a.Host, b.Host))
	})
	q.all, q.at = slices.Clip(all[:min(len(all), most)]), time.Now()
	return q.all
}

func (s *Store) queueOf(l []any) frontier.Queue {
	q := frontier.Queue{Host: text(l, 0), Pending: int(number(l, 1)), Leased: int(number(l, 2)), Wait: frontier.Wait(text(l, 4))}
	if due := number(l, 3); due > 0 && q.Leased == 0 {
		q.Next = time.Now().Add(time.Duration(due) * time.Microsecond)
	}
	if q.Leased == 0 && s.Paused() {
		q.Wait = frontier.WaitPaused
	}
	return q
}

// EachMark calls fn for every mark that any node has put, in no particular order, until fn returns an error, which EachMark returns.
func (s *Store) EachMark(fn func(frontier.Mark) error) error {
	for _, p := range s.partitions {
		for cursor := uint64(0); ; {
			var found []string
			var next uint64
			err := s.insist(s.alive, func(ctx context.Context) (err error) {
				found, next, err = s.client.HScan(ctx, p.keys[keyMarks], cursor, "", 500).Result()
				return err
			})
			if err != nil {
				return err
			}
			for i := 1; i < len(found); i += 2 {
				var m frontier.Mark
				err := m.UnmarshalBinary([]byte(found[i]))
				if err == nil {
					err = fn(m)
				}
				if err != nil {
					return err
				}
			}
			if cursor = next; cursor == 0 {
				break
			}
		}
	}
	return nil
}
