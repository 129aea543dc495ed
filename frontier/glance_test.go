package frontier

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestGlanceAgreesWithRaise gives entries further links: one of which a glance says that it
// changes nothing must leave the entry's bytes as they are. Such links must be many.
func TestGlanceAgreesWithRaise(t *testing.T) {
	for update := range Update(len(updateNames)) {
		h := start(t, Options{Update: update, Batch: 9})
		r := rand.New(rand.NewPCG(7, uint64(update)))
		kept, changed := 0, 0
		one := func(b *batch) error {
			u := URL{
				URL: fmt.Sprint("http://a/", r.IntN(20)), Priority: r.IntN(5) - 2, Hops: r.IntN(3),
				Immediate: r.IntN(20) == 0, Decisive: r.IntN(20) == 0, Anchor: fmt.Sprint(r.IntN(2)),
			}
			if r.IntN(4) == 0 {
				u.Family = "f"
			}
			u.Key = []string{u.URL, "http://a/0", "other"}[r.IntN(3)]
			id, e, err := b.find(u.Key)
			if e == nil {
				if err == nil {
					_, err = b.accept(u, false)
				}
				return err
			}
			before := bytes.Clone(b.entries.Get(id.bytes()))
			g, err := glanceAt(before)
			if err != nil {
				return err
			}
			if !g.is(u.Key) || g.is(u.Key+"x") || g.is(u.Key[1:]) || g.is("x"+u.Key[1:]) {
				t.Errorf("%s: the key is not recognised", u.Key)
			}
			if e.State == PutOff {
				err = b.vouch(e, &u, false)
			} else {
				err = b.raise(e, &u)
			}
			if err != nil {
				return err
			}
			same := bytes.Equal(before, b.entries.Get(id.bytes()))
			if g.keeps(update, &u) {
				if kept++; !same {
					t.Errorf("%v: %+v changes the entry of %s after all", update, u, e.URL.URL)
				}
			}
			if !same {
				changed++
			}
			return nil
		}
		for i := range 25 {
			h.addAll(fmt.Sprint("http://b/", i))
			h.done(h.next(), Outcome{State: Fetched, Links: []URL{{URL: fmt.Sprint("http://a/", r.IntN(20)), Priority: 1}}})
			err := h.commit(func(b *batch) error {
				for range 20 {
					if err := one(b); err != nil {
						return err
					}
				}
				return nil
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
		}
		if kept < 30 || changed < 20 {
			t.Errorf("%v: %d links changed nothing at a glance, %d did", update, kept, changed)
		}
	}
}
