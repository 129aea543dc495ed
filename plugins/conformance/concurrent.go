package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/awarc/awarc/plugins"
)

// concurrency compares four instances at once with one.
func (t *tester) concurrency() error {
	pages := variants(20)
	want, err := t.transcript(t.set, pages)
	if err != nil {
		return err
	}
	o := t.options()
	o.Instances = 4
	return t.with(o, func(s *plugins.Set) error {
		return t.checkState(t.storm(s, pages, want, 500))
	})
}

// checkState makes a difference a warning for a plugin that does not promise to have none.
func (t *tester) checkState(err error) error {
	var d difference
	if errors.As(err, &d) && !t.mod.Manifest.Stateless {
		return warning(err.Error())
	}
	return err
}

// difference says that an answer is not the one of a single instance.
type difference string

func (d difference) Error() string { return string(d) }

// storm asks from four goroutines, each so many times, and compares.
func (t *tester) storm(s *plugins.Set, pages []page, want []string, calls int) error {
	errs := make([]error, 4)
	var all sync.WaitGroup
	for g := range errs {
		all.Go(func() {
			for i := range calls {
				at := (i*7 + g*3) % len(want)
				k, p := t.kinds[at/len(pages)], pages[at%len(pages)]
				r := s.Probe(t.ctx, k, p.url, p.encode(k, t.needs))
				switch {
				case r.Kind != plugins.KindOK && r.Kind != plugins.KindNone:
					errs[g] = fmt.Errorf("%s: %w", p.name, r.Err)
					return
				case said(r) != want[at]:
					errs[g] = difference(fmt.Sprintf("%s has another answer than from an instance alone", p.name))
					return
				}
			}
		})
	}
	all.Wait()
	return cmp.Or(errs...) // one is enough to know
}

// reloading puts new versions of the file in use while pages are scored by instances that
// are replaced after seven calls.
func (t *tester) reloading() error {
	pages := variants(20)
	want, err := t.transcript(t.set, pages)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "awarc-plugin-test-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "plugin.wasm")
	if err := replace(file, version(t.bytes, 0)); err != nil {
		return err
	}
	o := t.options()
	o.Instances, o.Limits.Calls = 4, 7
	s, err := plugins.Open(t.ctx, []string{file}, o)
	if err != nil {
		return err
	}
	scored := make(chan error, 1)
	go func() { scored <- t.storm(s, pages, want, 150) }()
	const versions = 2
	for i := range versions {
		err = errors.Join(err, replace(file, version(t.bytes, i+1)), s.Reload(t.ctx))
	}
	err = errors.Join(err, t.checkState(<-scored))
	if loads := s.Report()[t.mod.Manifest.Name].Loads; err == nil && loads != versions+1 {
		err = fmt.Errorf("%d of %d versions were put in use", loads-1, versions)
	}
	return errors.Join(err, s.Close())
}

// version is the same module with another hash: it has one more custom section.
func version(wasm []byte, n int) []byte {
	const name = "awarc.version"
	b := append([]byte(nil), wasm...)
	b = append(b, 0, byte(1+len(name)+1), byte(len(name)))
	b = append(b, name...)
	return append(b, byte(n))
}

// replace puts a file in the place of another at once.
func replace(name string, content []byte) error {
	if err := os.WriteFile(name+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
