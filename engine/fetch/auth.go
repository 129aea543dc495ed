package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/icholy/digest"
)

// logins answers the challenges of servers that want a password. What a server asked for is remembered, so that it is
// sent with the next request at once.
type logins struct {
	users map[string]*url.Userinfo // by request.key

	mu    sync.Mutex
	known map[string]*challenge // likewise

	state *state
}

// challenge is what a server wants: a digest, or else the password itself (Basic).
type challenge struct {
	digest *digest.Challenge
	count  int    // of requests with this challenge
	field  string // the challenge as it came
}

func (l *logins) put(key string, c *challenge) {
	l.state.put(held{Key: "login " + key, Challenge: c.field, Count: c.count})
}

// newLogins reads Options.Logins.
func newLogins(list []string) (*logins, error) {
	l := &logins{users: make(map[string]*url.Userinfo), known: make(map[string]*challenge)}
	for _, raw := range list {
		r, err := parseURL(raw)
		if err != nil || r.parsed.User == nil {
			return nil, fmt.Errorf("option Logins: one is not of the form http://user:password@host/") // without the password
		}
		l.users[r.key()] = r.parsed.User
		if r.scheme == "http" && r.port == "80" { // sites move to https
			l.users["https://"+r.host+":443"] = r.parsed.User
		}
	}
	return l, nil
}

// user returns whose password may be sent with r: that of its URL, or of Options.Logins; nil for nobody's.
func (l *logins) user(r *request) *url.Userinfo {
	if r.parsed.User != nil {
		return r.parsed.User
	}
	return l.users[r.key()]
}

// authorization returns the value of Authorization for r, "" while the server has not asked for one, and its scheme.
func (l *logins) authorization(r *request) (value, scheme string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked, user := l.known[r.key()], l.user(r)
	if asked == nil || user == nil || r.authorized {
		return "", ""
	}
	password, _ := user.Password()
	if asked.digest == nil {
		return basicAuth(user.Username(), password), "Basic"
	}
	asked.count++
	l.put(r.key(), asked)
	answer, err := digest.Digest(asked.digest, digest.Options{
		Method: r.method, URI: r.target, Username: user.Username(), Password: password, Count: asked.count,
	})
	if err != nil {
		return "", "" // the server's answer without it is what there is
	}
	return answer.String(), "Digest"
}

// challenged reports whether an answer to r asks for a password that has not been sent like that, and remembers how it is to be sent.
func (l *logins) challenged(r *request, ex *Exchange) bool {
	if ex.Status != http.StatusUnauthorized || l.user(r) == nil || r.authorized {
		return false
	}
	asked := findChallenge(ex.Header["Www-Authenticate"])
	if asked == nil || asked.digest == nil && ex.Authorization == "Basic" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[r.key()] = asked
	l.put(r.key(), asked)
	return true
}

// schemes are the beginnings of challenges, several of which may be in one field.
var schemes = regexp.MustCompile(`(?i)(?:^|,)\s*(?:basic|digest)(?:\s|$)`)

// findChallenge returns the strongest challenge that can be answered, nil when there is none.
func findChallenge(values []string) (basic *challenge) {
	for _, value := range values {
		starts := schemes.FindAllStringIndex(value, -1)
		for i, at := range starts {
			end := len(value)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			one := strings.TrimLeft(value[at[0]:end], ", \t")
			if strings.EqualFold(one[:5], "basic") {
				basic = &challenge{field: one}
				continue
			}
			c, err := digest.ParseChallenge(one)
			if err != nil {
				continue
			}
			for i := range c.QOP {
				c.QOP[i] = strings.TrimSpace(c.QOP[i])
			}
			if digest.CanDigest(c) {
				return &challenge{digest: c, field: one}
			}
		}
	}
	return basic
}
