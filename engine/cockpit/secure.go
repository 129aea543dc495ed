package cockpit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// What one request and one session may have.
const (
	longestBody   = 32 << 20 // bytes; the API takes lists of URLs
	sessionLength = 12 * time.Hour
	guessesAtOnce = 4 // wrong secrets that wait for their answers
	guessWait     = time.Second
)

// policy keeps a page from asking any host but this one, and from being shown in pages of others.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// headers are set on all answers; a handler may set others instead.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		r.Body = http.MaxBytesReader(w, r.Body, longestBody)
		next.ServeHTTP(w, r)
	})
}

// guarded serves a page to those who may see it: who sends the secret or has a session or, where there is no secret, who is on this
// machine. The name of a crawl in its address is that of one.
func (c *Cockpit) guarded(p page) http.Handler {
	isAPI := strings.Contains(p.pattern, "/api/v1/")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.Secret == "" && !thisMachine(r.Host) {
			http.Error(w, textForeignHost, http.StatusForbidden)
			return
		}
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		allowed := p.public || c.Secret == "" || c.isSecret(bearer) || c.hasSession(r)
		switch {
		case !allowed && (isAPI || r.Method != http.MethodGet):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, textNoSecret, http.StatusUnauthorized)
			return
		case !allowed:
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		name := r.PathValue("name")
		if strings.HasPrefix(r.URL.Path, "/crawls/") && c.Crawls.Folder(name) == "" {
			r.SetPathValue("name", "") // the page that says so is of none
			c.fail(w, r, http.StatusNotFound, textNoCrawl)
			return
		}
		if r.Method == http.MethodPost && !isAPI && !c.isFormToken(r) {
			c.fail(w, r, http.StatusForbidden, textStaleForm)
			return
		}
		if r.Method == http.MethodGet && !p.unbegun && name != "" && c.Crawls.Scheduled(name) != nil {
			http.Redirect(w, r, address(name, ""), http.StatusSeeOther)
			return
		}
		p.serve(w, r)
	})
}

// thisMachine reports whether a Host names this machine: a page whose name was made to resolve to 127.0.0.1 sends its own.
func thisMachine(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (c *Cockpit) isSecret(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(c.Secret))
	return c.Secret != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// sign gives the signature of this process under a text of some use.
func (c *Cockpit) sign(use, text string) string {
	h := hmac.New(sha256.New, c.key)
	h.Write([]byte(use + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func (c *Cockpit) isSigned(use, text, signature string) bool {
	return hmac.Equal([]byte(c.sign(use, text)), []byte(signature))
}

// A session is a cookie: a random name, until when it lasts, and the signature of both. One of a visitor, who gave no secret, is there for
// the tokens of forms.
const (
	cookieOfSession = "awarc_session"
	cookieOfVisitor = "awarc_visitor"
)

func (c *Cockpit) cookie(name string) *http.Cookie {
	id := rand.Text() + "." + strconv.FormatInt(time.Now().Add(sessionLength).Unix(), 10)
	return &http.Cookie{Name: name, Value: id + "." + c.sign(name, id), Path: "/", HttpOnly: true, Secure: c.TLS,
		SameSite: http.SameSiteStrictMode, MaxAge: int(sessionLength.Seconds())}
}

// cookieID is the signed name in a cookie that still lasts, empty where there is none.
func (c *Cockpit) cookieID(r *http.Request, name string) string {
	k, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	dot := strings.LastIndexByte(k.Value, '.')
	if dot < 0 || !c.isSigned(name, k.Value[:dot], k.Value[dot+1:]) {
		return ""
	}
	_, until, _ := strings.Cut(k.Value[:dot], ".")
	if seconds, err := strconv.ParseInt(until, 10, 64); err != nil || time.Now().Unix() > seconds {
		return ""
	}
	return k.Value[:dot]
}

func (c *Cockpit) hasSession(r *http.Request) bool { return c.cookieID(r, cookieOfSession) != "" }

// formToken is what the forms of a page send; it belongs to the visitor, who becomes one where need be.
func (c *Cockpit) formToken(w http.ResponseWriter, r *http.Request) string {
	id := c.cookieID(r, cookieOfVisitor)
	if id == "" {
		k := c.cookie(cookieOfVisitor)
		http.SetCookie(w, k)
		id = k.Value[:strings.LastIndexByte(k.Value, '.')]
	}
	return c.sign("form", id)
}

func (c *Cockpit) isFormToken(r *http.Request) bool {
	id := c.cookieID(r, cookieOfVisitor)
	return id != "" && c.isSigned("form", id, r.PostFormValue("token"))
}

func (c *Cockpit) loginForm(w http.ResponseWriter, r *http.Request) {
	if c.Secret == "" || c.hasSession(r) {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	c.show(w, r, "login", "")
}

// login begins a session of who knows the secret. Who guesses waits.
func (c *Cockpit) login(w http.ResponseWriter, r *http.Request) {
	if c.isSecret(r.PostFormValue("secret")) {
		http.SetCookie(w, c.cookie(cookieOfSession))
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	select {
	case c.guesses <- struct{}{}:
		defer func() { <-c.guesses }()
	default:
		c.fail(w, r, http.StatusTooManyRequests, textManyGuesses)
		return
	}
	select {
	case <-time.After(guessWait):
	case <-r.Context().Done():
	}
	c.showStatus(w, r, http.StatusUnauthorized, "login", textWrongSecret)
}

func (c *Cockpit) logout(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: cookieOfSession, Path: "/", MaxAge: -1, HttpOnly: true, Secure: c.TLS,
		SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
