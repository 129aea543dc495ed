package fetch

import "testing"

// FuzzChallenge: whatever a server asks for, an answer is made or none is.
func FuzzChallenge(f *testing.F) {
	for _, s := range []string{`Basic realm="x"`, `Digest realm="x", nonce="n", qop="auth"`, `Basic, Digest realm=x,nonce=`, `digest "`,
		`Digest`, `basic`, `, Digest ,,,=`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		asked := findChallenge([]string{value})
		if asked == nil {
			return
		}
		l, err := newLogins([]string{"http://me:secret@site.example/"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := parseURL("http://site.example/")
		if err != nil {
			t.Fatal(err)
		}
		l.known[r.key()] = asked
		if value, scheme := l.authorization(r); (value == "") != (scheme == "") {
			t.Errorf("%q by %q", value, scheme)
		}
	})
}
