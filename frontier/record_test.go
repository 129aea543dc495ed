package frontier

import (
	"errors"
	"math"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTimesThatDoNotFitBecomeTheNearest(t *testing.T) {
	for _, test := range []struct{ in, want time.Time }{
		{time.Time{}, time.Time{}},
		{at(5), at(5)},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, math.MaxInt64)},
		{time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), time.Unix(0, math.MinInt64)},
	} {
		h := hostRecord{pace: pace{notBefore: test.in}}
		have, err := decodeHost(h.encode())
		if err != nil || !have.notBefore.Equal(test.want) {
			t.Errorf("%v came back as %v, %v", test.in, have.notBefore, err)
		}
	}
}

// FuzzRecords feeds damaged values to every decoder, once as they are and once
// with a right checksum, so that the fields are reached. A value is decoded
// completely or is an error, and what was decoded is stored and read the same.
func FuzzRecords(f *testing.F) {
	r := record{
		Entry: Entry{URL: URL{URL: "http://a/", Key: "k", Via: "v", Hops: 1, Priority: -2, Seed: true, Why: "n"}, State: Failed,
			Reason: "r", Tries: 4, Added: at(1), NotBefore: at(2)},
		waiting: true,
	}
	h := hostRecord{pace: pace{time.Second, at(1), at(2), "192.0.2.1",
		Health{Refusals: 1, Since: at(7), Slow: time.Second, peak: time.Minute, run: 3, from: at(6)}},
		ready: 3, waiting: 4, nextWait: at(5), draws: draws{1, 2, 3}}
	put := r
	put.State, put.Family = PutOff, "calendar of a"
	fam := family{number: 7, note: "n", closed: true, waiting: 1, drawn: 2, added: 3}
	m := Mark{"k", "c", "t"}
	for _, seed := range [][]byte{r.encode(), put.encode(), fam.encode(), part{1, 2}.encode(), h.encode(), m.encode(),
		(&totals{1, 2, 3, 4, 5}).encode(), encodeCount(-1), nil, {recordFormat}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, value := range [][]byte{value, seal(value), seal(append([]byte{recordFormat}, value...))} {
			again(t, value, decodeRecord, (*record).encode)
			if r, err := decodeRecord(value); err == nil {
				if key, err := decodeKey(value); err != nil || string(key) != r.Key {
					t.Fatalf("decodeKey gives %q, %v, want %q", key, err, r.Key)
				}
			}
			again(t, value, decodeFamily, func(f family) []byte { return f.encode() })
			again(t, value, decodePart, part.encode)
			again(t, value, decodeHost, (*hostRecord).encode)
			again(t, value, decodeMark, func(m Mark) []byte { return m.encode() })
			again(t, value, decodeTotals, func(c totals) []byte { return c.encode() })
			again(t, value, decodeCount, encodeCount)
		}
	})
}

func again[T any](t *testing.T, value []byte, decode func([]byte) (T, error), encode func(T) []byte) {
	t.Helper()
	first, err := decode(value)
	if err != nil {
		if !errors.Is(err, errRecord) {
			t.Fatalf("error without a kind: %v", err)
		}
		return
	}
	second, err := decode(encode(first))
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Fatalf("%+v came back as %+v, %v", first, second, err)
	}
}

// FuzzHostOf compares with net/url where that has an opinion, and checks that no
// host can break the keys of the queues.
func FuzzHostOf(f *testing.F) {
	for _, seed := range []string{"http://a.test/", "https://u:p@A.test:443?x", "http://[::1]:80/", "http://a\x00/", `http://a\b@c/`,
		"x://:1", "http://a:/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		host, err := HostOf(raw)
		if err != nil {
			return
		}
		if host == "" || len(host) > maxHost || strings.ContainsAny(host, "\x00/?#\\@ \n") {
			t.Fatalf("HostOf(%q) = %q", raw, host)
		}
		u, err := url.Parse(raw)
		if err != nil || u.Host == "" || strings.ContainsAny(u.Host, `%\`) || strings.ContainsAny(raw, `\%`) {
			return
		}
		want := strings.ToLower(u.Host)
		if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; port != "" {
			want = strings.TrimSuffix(want, port)
		}
		if want = strings.TrimSuffix(want, ":"); host != want {
			t.Fatalf("HostOf(%q) = %q, net/url says %q", raw, host, want)
		}
	})
}
