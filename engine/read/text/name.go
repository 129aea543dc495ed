package text

import (
	"strings"

	"golang.org/x/net/html"
)

// Meanings of words in class names and ids. The forests learn the weight of each.
const (
	namedContent = iota
	namedArticle
	namedPost
	namedMessage
	namedComment
	namedSide
	namedMenu
	namedFooter
	namedHeader
	namedMeta
	namedShare
	namedRelated
	namedAdvert
	namedCover
	namedCrumbs
	namedPaging
	namedForm
	namedWidget
	namedItem
	namedTitle
	namedHidden
	namedSignature
	namedContents
	namedUser
	namedTag
	namedProduct
	namedSummary
	namedQuote
	namedTool
	namedHero
	hints
)

// far is the distance where no element has the meaning, and the greatest one.
const far = 12

var meanings = map[string]uint8{}

func init() {
	for meaning, words := range map[uint8]string{
		namedContent: "content contents main body text entry richtext rte prose markdown wysiwyg copy mw",
		namedArticle: "article story blog single news page",
		namedPost:    "post posts topic thread question answer answers postbody postcontent",
		namedMessage: "message msg messagetext reply replies cooked bbwrapper postmsg bbcode",
		namedComment: "comment comments commentlist disqus respond discussion reviews review",
		namedSide:    "sidebar side aside rail secondary right left column",
		namedMenu:    "nav navbar navigation menu submenu dropdown mega navi topnav",
		namedFooter:  "footer foot bottom colophon copyright legal",
		namedHeader:  "header head top masthead topbar banner logo",
		namedMeta:    "meta metadata byline date time timestamp info details author posted dateline postmetadata",
		namedShare:   "share sharing social follow sharedaddy addtoany facebook twitter",
		namedRelated: "related recommended recommendations recommend similar more trending popular teaser teasers suggested " +
			"outbrain taboola next prev previous",
		namedAdvert:    "ad ads advert advertisement adsense adsbygoogle sponsor sponsored promo promotion cta newsletter subscribe signup",
		namedCover:     "cookie cookies consent gdpr popup modal overlay lightbox notice alert toast tooltip",
		namedCrumbs:    "breadcrumb breadcrumbs crumb crumbs",
		namedPaging:    "pagination pager paging pagenav paginate",
		namedForm:      "search form login register filter filters sort input select",
		namedWidget:    "widget widgets block module component",
		namedItem:      "item items list card cards grid row tile tiles listing result results",
		namedTitle:     "title heading headline subtitle",
		namedHidden:    "hidden sr screen visuallyhidden noprint print hide offscreen skip collapse collapsed",
		namedSignature: "signature sig signatures",
		namedContents:  "toc tableofcontents outline anchor",
		namedUser:      "user avatar profile member username poster authorbox bio postprofile usertitle",
		namedTag:       "tag tags tagcloud category categories label labels badge",
		namedProduct:   "product price cart sku shop stock buy variant rating stars",
		namedSummary:   "description desc summary excerpt intro lead abstract overview",
		namedQuote:     "quote quoted blockquote bbcodeblock",
		namedTool:      "button btn buttons toolbar controls control actions action tool tools icon link links",
		namedHero:      "hero section feature features faq accordion testimonial panel tab tabs",
	} {
		for w := range strings.FieldsSeq(words) {
			meanings[w] = meaning
		}
	}
}

// names reads the names of an element and returns the hash of its tag and first class.
func (e *element) names(n *html.Node) uint32 {
	h := uint32(n.DataAtom)
	if n.DataAtom == 0 {
		h = hashed(0, n.Data)
		e.named(n.Data)
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			e.within |= inHidden
		case "aria-hidden":
			if a.Val == "true" {
				e.within |= inHidden
			}
		case "style":
			if s := strings.ReplaceAll(strings.ToLower(a.Val[:min(len(a.Val), 300)]), " ", ""); strings.Contains(s, "display:none") ||
				strings.Contains(s, "visibility:hidden") {
				e.within |= inHidden
			}
		case "role":
			e.within |= roles[a.Val]
		case "class":
			h = hashed(h, steady(a.Val))
			e.named(a.Val)
		case "id", "itemprop", "data-testid", "data-component":
			e.named(a.Val)
		case "itemtype":
			if t := a.Val[strings.LastIndexByte(a.Val, '/')+1:]; declaredPosts[t] {
				e.within |= inPost
			}
		}
	}
	return h
}

// steady is the first class of an element without digits, which elements of one kind share.
func steady(class string) string {
	class = strings.TrimSpace(class)
	if i := strings.IndexAny(class, " \t\n"); i >= 0 {
		class = class[:i]
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, class[:min(len(class), 100)])
}

func hashed(h uint32, s string) uint32 {
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// named notes the meanings of the words of a name.
func (e *element) named(name string) {
	const most = 300 // bytes; longer names come from frameworks of utility classes
	name = name[:min(len(name), most)]
	var word [24]byte
	n, lower := 0, false
	end := func() {
		if n > 0 {
			if m, known := meanings[string(word[:n])]; known {
				e.hint[m] = 0
			}
		}
		n, lower = 0, false
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z':
			if lower {
				end()
			}
			c |= 0x20
		default:
			end()
			continue
		}
		if n < len(word) {
			word[n] = c
			n++
		}
	}
	end()
}
