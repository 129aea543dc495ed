package extract

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxURL bounds a URL, in bytes; longer ones are traps or data.
const maxURL = 4000

// resolver makes the addresses of one page absolute, parsing its base once.
type resolver struct {
	base  *whatwg.Url
	plain plainBase
	query func(string) string // encodes in the page's charset; nil where queries are in UTF-8
	raw   map[string]string   // addresses repeat within a page
	size  int                 // bytes of URLs given out: a long base multiplies a page
}

// newResolver makes the resolver of a page: its base is the first base element that has an
// address, wherever it stands, or else the page's own URL.
func newResolver(p Page) *resolver {
	r := newResolverAt(p.URL)
	r.query = Encoder(p.Charset)
	if r.base == nil {
		return r
	}
	r.findBase(p.Doc)
	r.plain = plainBaseOf(r.base)
	return r
}

// findBase takes over the base element of a page, if it has one.
func (r *resolver) findBase(doc *html.Node) {
	if doc == nil {
		return
	}
	for n := range doc.Descendants() {
		if n.DataAtom != atom.Base {
			continue
		}
		if href, has := lookAttr(n, "href"); has {
			if len(href) <= maxURL {
				if b, err := r.base.Parse(href); err == nil && isWeb(b) {
					r.base = b
				}
			}
			return
		}
	}
}

func newResolverAt(base *url.URL) *resolver {
	r := &resolver{raw: map[string]string{}}
	if b, err := whatwg.Parse(base.String()); err == nil {
		r.base = b
	}
	return r
}

func isWeb(u *whatwg.Url) bool {
	return (u.Protocol() == "http:" || u.Protocol() == "https:") && u.Hostname() != ""
}

// link is [Resolve] against the resolver's base.
func (r *resolver) link(href string) string {
	u, known := r.raw[href]
	if known {
		return u
	}
	if r.size < maxValues {
		u = r.resolve(href)
	}
	r.size += len(u)
	r.raw[href] = u
	return u
}

func (r *resolver) resolve(href string) string {
	href = strings.TrimFunc(href, func(c rune) bool { return c <= ' ' }) // and no other white space, as browsers
	if r.base == nil || href == "" || strings.HasPrefix(href, "#") || len(href) > maxURL {
		return ""
	}
	if u, ok := r.plain.resolve(href); ok {
		return u
	}
	u, err := r.base.Parse(r.encodeQuery(href))
	if err != nil || !isWeb(u) {
		return ""
	}
	u.SetHash("")
	u.SetUsername("")
	u.SetPassword("")
	return u.Href(true)
}

// Resolve makes an address absolute as browsers do (WHATWG URL), without its
// fragment and with its query in UTF-8. It returns "" for what is no fetchable
// http or https URL.
func Resolve(base *url.URL, href string) string { return newResolverAt(base).resolve(href) }

// Resolve makes an address of the page absolute as [Resolve] does, by the base and
// the charset of the page.
func (p Page) Resolve(href string) string { return newResolver(p).resolve(href) }

// Base is the address that the links of the page are relative to, without a fragment.
func (p Page) Base() string {
	r := newResolver(p)
	if r.base == nil {
		return ""
	}
	return r.base.Href(true)
}

// id makes an object's id absolute; its fragment is part of it. It is "" for
// an address of another scheme than the web's or the page's own, which may be a
// file of an archive.
func (r *resolver) id(id string) string {
	id = strings.TrimSpace(id)
	if r.base == nil || id == "" || len(id) > maxURL {
		return ""
	}
	u, err := r.base.Parse(r.encodeQuery(id))
	if err != nil || u.Protocol() != "http:" && u.Protocol() != "https:" && u.Protocol() != r.base.Protocol() {
		return ""
	}
	return u.Href(false)
}

// address is id for the value of a field, which may also be a mail address.
func (r *resolver) address(s string) string {
	const mail = "mailto:"
	if len(s) > len(mail) && len(s) <= maxURL && strings.EqualFold(s[:len(mail)], mail) {
		return s
	}
	return r.id(s)
}

// attributes gives the attributes of an element with their addresses absolute, so that its
// markup means the same wherever it is kept. What is no address of the web stays as it is.
func (r *resolver) attributes(n *html.Node) []html.Attribute {
	var out []html.Attribute
	for i, a := range n.Attr {
		is := addresses[a.Key]
		if is == nil || a.Namespace != "" {
			continue
		}
		if v := is(r, a.Val); v != a.Val && r.size < maxValues {
			if out == nil {
				out = slices.Clone(n.Attr)
			}
			out[i].Val, r.size = v, r.size+len(v)
		}
	}
	if out == nil {
		return n.Attr
	}
	return out
}

// addresses are the attributes that hold addresses, each with how they are made absolute.
var addresses = map[string]func(*resolver, string) string{
	"href": (*resolver).whole, "src": (*resolver).whole, "cite": (*resolver).whole, "poster": (*resolver).whole, "data": (*resolver).whole,
	"action": (*resolver).whole, "formaction": (*resolver).whole, "longdesc": (*resolver).whole, "background": (*resolver).whole,
	"srcset": (*resolver).wholeSet,
}

// whole is an address made absolute, with its fragment, or the address itself.
func (r *resolver) whole(s string) string {
	if u := r.id(s); u != "" {
		return u
	}
	return s
}

// wholeSet is a srcset attribute with its addresses made absolute.
func (r *resolver) wholeSet(s string) string {
	var b strings.Builder
	for _, src := range sourceSet(s) {
		before, after, _ := strings.Cut(s, src)
		b.WriteString(before + r.whole(src))
		if s = after; b.Len() > maxValues {
			break
		}
	}
	return b.String() + s
}

// characterReference is what stands for a character that the charset does not have.
var characterReference = regexp.MustCompile(`&#([0-9]+);`)

// encodeQuery encodes the query of an address in the page's charset, as the URL
// Standard has it ("percent-encode after encoding"); path and host are always in
// UTF-8.
func (r *resolver) encodeQuery(href string) string {
	if r.query == nil {
		return href
	}
	address, fragment, hasFragment := strings.Cut(href, "#")
	before, query, _ := strings.Cut(address, "?")
	if isASCII(query) {
		return href
	}
	encoded := r.query(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(query))
	encoded = characterReference.ReplaceAllString(encoded, "%26%23${1}%3B") // the query itself has no "#"
	var b strings.Builder
	b.WriteString(before + "?")
	for i := range len(encoded) {
		if c := encoded[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"#<>'`, c) >= 0 {
			b.WriteString("%" + string(hexDigits[c>>4]) + string(hexDigits[c&15]))
		} else {
			b.WriteByte(c)
		}
	}
	if hasFragment {
		b.WriteString("#" + fragment)
	}
	return b.String()
}

func escapeHigh(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] >= 0x80 {
			b.WriteString("%" + string(hexDigits[s[i]>>4]) + string(hexDigits[s[i]&15]))
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

const hexDigits = "0123456789ABCDEF"

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}
