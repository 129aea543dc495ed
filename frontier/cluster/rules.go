package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/awarc/awarc/frontier"
)

// rules are those of the operator, as far as this node knows.
type rules struct {
	sync.Mutex
	version string // of the list in Redis
	all     map[string]frontier.Rule
	spent   map[string]bool // that their budgets are used up was said everywhere
}

// fieldRules is the field of the crawl's hash that numbers changes of rules.
const fieldRules = "rules"

func (s *Store) rulesKey() string { return crawlKey(s.options.Crawl) + ":rules" }

// Rules returns the rules by domain, as they were a moment ago.
func (s *Store) Rules() map[string]frontier.Rule {
	s.rules.Lock()
	defer s.rules.Unlock()
	all := make(map[string]frontier.Rule)
	maps.Copy(all, s.rules.all)
	return all
}

// SetRule gives the rule for a domain and all hosts below it, as frontier.Frontier.SetRule does.
func (s *Store) SetRule(ctx context.Context, domain string, r *frontier.Rule) error {
	return s.SetRules(ctx, map[string]*frontier.Rule{domain: r})
}

// perRules is how many rules go to a partition at a time.
const perRules = 500

// SetRules gives rules, as frontier.Frontier.SetRules does, partition by partition: when it fails, some may be in force in some of
// them, until they are given again. Of two that set the rule for one domain at a time the later one counts, everywhere.
func (s *Store) SetRules(ctx context.Context, given map[string]*frontier.Rule) error {
	if err := s.insist(ctx, s.readRules); err != nil {
		return err
	}
	set, known := make(map[string]*frontier.Rule), s.Rules()
	for domain, r := range given {
		name, err := r.NameOf(domain)
		if err != nil {
			return err
		}
		if is, there := known[name]; there != (r != nil) || there && !reflect.DeepEqual(is, *r) {
			set[name] = r
		}
	}
	if len(set) == 0 {
		return nil
	}
	var number int64
	err := s.insist(ctx, func(ctx context.Context) (err error) {
		number, err = s.client.HIncrBy(ctx, crawlKey(s.options.Crawl), fieldRules, 1).Result()
		return err
	})
	if err != nil {
		return err
	}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(set)), perRules) {
		args, listed := []any{number, len(names)}, []any{number, len(names)}
		for _, name := range names {
			args = append(args, ruleArgs(name, set[name])...)
			text := []byte{}
			if set[name] != nil {
				text, _ = json.Marshal(set[name]) // has no error
			}
			listed = append(listed, name, text)
		}
		if err := s.everywhere(ctx, "rules", args...); err != nil {
			return err
		}
		err := s.insist(ctx, func(ctx context.Context) error {
			_, err := s.once(ctx, []string{s.rulesKey()}, append(s.common("table"), listed...), s.wait)
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.insist(ctx, s.readRules)
}

// ruleArgs are a rule as partitions are given it.
func ruleArgs(name string, r *frontier.Rule) []any {
	if r == nil {
		return []any{name, 0, -1, 0, 0, 0}
	}
	wait, off := int64(-1), 0
	if r.Delay != nil {
		wait = micros(*r.Delay)
	}
	if r.Off {
		off = 1
	}
	return []any{name, 1, wait, r.Budget, r.Priority, off}
}

// readRules takes over the list of all rules.
func (s *Store) readRules(ctx context.Context) error {
	list, err := s.client.HGetAll(ctx, s.rulesKey()).Result()
	if err != nil {
		return err
	}
	all := make(map[string]frontier.Rule)
	for name, text := range list {
		_, kept, _ := strings.Cut(text, " ")
		if name == "" || kept == "" {
			continue
		}
		var r frontier.Rule
		if err := json.Unmarshal([]byte(kept), &r); err != nil {
			return fmt.Errorf("cluster: the rule for %s: %w", clipped(name), err)
		}
		all[name] = r
	}
	s.rules.Lock()
	defer s.rules.Unlock()
	s.rules.version, s.rules.all, s.rules.spent = list[""], all, make(map[string]bool)
	return nil
}

// followRules takes over rules that were set on any node, if the list has another version, and looks at their budgets.
func (s *Store) followRules(ctx context.Context, version string) error {
	s.rules.Lock()
	known := s.rules.version == version
	s.rules.Unlock()
	if !known {
		if err := s.readRules(ctx); err != nil {
			return err
		}
	}
	if len(s.unspent(nil)) == 0 {
		return nil
	}
	_, total, err := s.glanceAtSums(ctx)
	if err != nil {
		return err
	}
	return s.spend(total)
}

// unspent are the rules with budgets of which nothing was said everywhere; with sums, only those whose budgets are used up.
func (s *Store) unspent(total sums) (names []string) {
	s.rules.Lock()
	defer s.rules.Unlock()
	for name, r := range s.rules.all {
		if r.Budget > 0 && !s.rules.spent[name] && (total == nil || total["asked "+name] >= r.Budget) {
			names = append(names, name)
		}
	}
	return names
}

// spend stops what is under rules whose budgets all partitions together have used up: each knows of its own requests only.
func (s *Store) spend(total sums) error {
	for _, name := range s.unspent(total) {
		s.rules.Lock()
		budget, spent := s.rules.all[name].Budget, s.rules.spent
		s.rules.Unlock()
		if err := s.everywhere(s.alive, "spend", name, strconv.Itoa(budget)); err != nil {
			return err
		}
		s.rules.Lock()
		spent[name] = true // of the list of then
		s.rules.Unlock()
	}
	return nil
}

// everywhere runs an operation in all partitions, which places their hosts anew, and goes on until all are. If this node dies, nodes that
// lease there go on.
func (s *Store) everywhere(ctx context.Context, operation string, args ...any) error {
	errs := make([]error, len(s.partitions))
	var all sync.WaitGroup
	for p := range s.partitions {
		all.Go(func() {
			var left any
			left, errs[p] = s.change(ctx, p, operation, args...)
			for left == int64(1) && errs[p] == nil {
				left, errs[p] = s.change(ctx, p, "sweep")
			}
			s.stir(p)
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
