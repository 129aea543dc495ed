package crawl

import (
	"path/filepath"
	"time"
)

// Changes are what a session that goes on does differently from then on. nil changes nothing; a limit of 0 and an empty list are
// none. Limits include earlier sessions. What waits is held to a new Exclude and Include before it is asked for; what they
// took out of earlier pages is not found again.
type Changes struct {
	Limit            *int64 // pages
	SizeLimit        *int64 // bytes received
	TimeLimit        *time.Duration
	Delay            *time.Duration
	Include, Exclude []string
	Cookies, Login   *string // files
	Plugin           []string
}

func (c Changes) check() error {
	if c.Limit != nil && *c.Limit < 0 || c.SizeLimit != nil && *c.SizeLimit < 0 || c.TimeLimit != nil && *c.TimeLimit < 0 {
		return complain("a limit is negative")
	}
	if c.Delay != nil && *c.Delay < 0 {
		return complain("%s is negative", option("Delay"))
	}
	return nil
}

// apply changes options; it reports whether there was anything to change.
func (c Changes) apply(o *Options) (changed bool, err error) {
	changed = put(&o.Limit, c.Limit)
	changed = put(&o.SizeLimit, c.SizeLimit) || changed
	changed = put(&o.TimeLimit, c.TimeLimit) || changed
	changed = put(&o.Delay, c.Delay) || changed
	for _, file := range []struct{ old, new *string }{{&o.Cookies, c.Cookies}, {&o.Login, c.Login}} {
		if changed = put(file.old, file.new) || changed; file.new != nil && *file.new != "" {
			if *file.old, err = filepath.Abs(*file.new); err != nil {
				return false, err
			}
		}
	}
	for _, list := range []struct {
		old   *[]string
		new   []string
		files bool
	}{{&o.Include, c.Include, false}, {&o.Exclude, c.Exclude, false}, {&o.Plugin, c.Plugin, true}} {
		if list.new == nil {
			continue
		}
		changed, *list.old = true, list.new
		for i := range list.new {
			if !list.files {
				break
			}
			if list.new[i], err = filepath.Abs(list.new[i]); err != nil {
				return false, err
			}
		}
	}
	return changed, nil
}

func put[T any](to, from *T) bool {
	if from != nil {
		*to = *from
	}
	return from != nil
}
