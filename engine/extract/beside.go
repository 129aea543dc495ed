package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// beside reports whether an element is no part of a main text: by what it is, by its
// role, or by a word in its class or id that templates of all kinds use. An
// element with half of the page's text is none of these, whatever its name.
func (f *finder) beside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer, atom.Dialog, atom.Button, atom.Label, atom.Datalist, atom.Canvas, atom.Svg:
		return 2*f.weights[n] < f.total
	case atom.Form, atom.Header:
		if 3*f.weights[n] < f.total {
			return true
		}
	}
	big, huge := 3*f.weights[n] >= f.total, 4*f.weights[n] >= 3*f.total
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "style":
			if s := strings.ReplaceAll(strings.ToLower(a.Val), " ", ""); strings.Contains(s, "display:none") ||
				strings.Contains(s, "visibility:hidden") {
				return true
			}
		case "aria-hidden":
			if a.Val == "true" && !big {
				return true
			}
		case "role":
			if besideRoles[a.Val] && !big {
				return true
			}
		case "class", "id":
			if beside, sure := besideName(a.Val); beside && !big || sure && !huge {
				return true
			}
		}
	}
	return false
}

var besideRoles = map[string]bool{"navigation": true, "complementary": true, "contentinfo": true, "banner": true, "search": true,
	"dialog": true, "alertdialog": true, "menu": true, "menubar": true, "toolbar": true, "tablist": true}

// besideWords are the names that stand beside a main text.
var besideWords = map[string]bool{
	"nav": true, "navbar": true, "navigation": true, "menu": true, "submenu": true, "breadcrumb": true, "breadcrumbs": true,
	"pagination": true, "pager": true, "paging": true,
	"sidebar": true, "aside": true, "widget": true, "widgets": true, "footer": true, "masthead": true, "topbar": true,
	"comment": true, "comments": true, "disqus": true, "respond": true, "reply": true, "pingback": true,
	"share": true, "sharing": true, "sharedaddy": true, "social": true, "addtoany": true, "follow": true,
	"related": true, "relatedposts": true, "recommended": true, "recommendations": true, "recommend": true, "similar": true,
	"trending": true, "popular": true, "teaser": true, "teasers": true, "outbrain": true, "taboola": true, "readmore": true,
	"newsletter": true, "subscribe": true, "subscription": true, "signup": true, "login": true, "register": true, "paywall": true,
	"cookie": true, "cookies": true, "consent": true, "gdpr": true, "popup": true, "modal": true, "overlay": true, "lightbox": true,
	"tooltip": true, "dropdown": true,
	"ad": true, "ads": true, "advert": true, "advertisement": true, "adsense": true, "adsbygoogle": true, "sponsor": true,
	"sponsored": true, "promo": true, "promotion": true, "banner": true,
	"byline": true, "bio": true, "authorbox": true, "tags": true, "tagcloud": true, "postmetadata": true, "meta": true, "metadata": true,
	"dateline": true, "timestamp": true,
	"toc": true, "skip": true, "noprint": true, "hidden": true, "sr": true, "screen": true, "visuallyhidden": true, "print": true,
	"search": true, "copyright": true, "legal": true, "disclaimer": true,
}

// sureWords are those of them that stand for nothing else, however long.
var sureWords = map[string]bool{"comment": true, "comments": true, "disqus": true, "cookie": true, "cookies": true, "consent": true,
	"gdpr": true, "related": true}

// coverWords are the names of what covers a page, at the end of a longer name.
var coverWords = map[string]bool{"modal": true, "popup": true, "overlay": true, "lightbox": true}

// besideName reports whether a class or an id has a word of [besideWords], and one
// of [sureWords] or, at its end, of [coverWords].
func besideName(names string) (beside, sure bool) {
	const most = 500 // bytes; whoever needs more names means none of them
	if len(names) > most {
		names = names[:most]
	}
	start, lower := 0, false
	for i, r := range names + " " {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if upper := r >= 'A' && r <= 'Z'; !letter || upper && lower {
			w := strings.ToLower(names[start:i])
			beside, sure = beside || besideWords[w], sure || sureWords[w] || unicode.IsSpace(r) && coverWords[w]
			start = i
			if !letter {
				_, size := utf8.DecodeRuneInString(names[i:] + " ") // 1 for a byte that is no UTF-8
				start = i + size
			}
		}
		lower = r >= 'a' && r <= 'z'
	}
	return beside, sure
}
