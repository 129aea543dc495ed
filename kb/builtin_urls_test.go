package kb_test

import (
	"net/url"
	"testing"

	"github.com/awarc/awarc/kb"
)

// urlCase lists pages of an application, each with its URLs: those of one group
// are one page, those of different groups are not.
type urlCase struct {
	name   string
	typ    kb.TypeID
	groups [][]string
	// Of how many objects the pages are: of one if whole, otherwise of as many as there
	// are pages, or of objects where that is neither.
	whole   bool
	objects int
}

// checkURLs holds the URL rules of the built-in types to cases.
func checkURLs(t *testing.T, cases []urlCase) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(string(c.typ)+"/"+c.name, func(t *testing.T) {
			rules := &base.Type(c.typ).URLs
			pages, objects := map[string]int{}, map[string]bool{}
			for i, group := range c.groups {
				for j, path := range group {
					u, err := url.Parse("http://site.example" + path)
					if err != nil {
						t.Fatal(err)
					}
					key := rules.Key(u)
					first, known := pages[key]
					if known && first != i {
						t.Errorf("%s has the key %s of %s", path, key, c.groups[first][0])
					}
					if !known && j > 0 {
						t.Errorf("%s has the key %s, not that of %s", path, key, group[0])
					}
					pages[key] = i
					objects[rules.ObjectKey(u)] = true
				}
			}
			want := c.objects
			switch {
			case c.whole:
				want = 1
			case want == 0:
				want = len(c.groups)
			}
			if len(objects) != want {
				t.Errorf("object keys %v; want %d objects", objects, want)
			}
		})
	}
}

// TestSiteURLs checks the URL rules of wikis, blogs and others.
func TestSiteURLs(t *testing.T) {
	checkURLs(t, []urlCase{
		{name: "where to answer", typ: "wordpress", whole: true,
			groups: [][]string{{"/2019/05/oars/", "/2019/05/oars/?replytocom=7#respond", "/2019/05/oars/#comment-7",
				"/2019/05/oars/?unapproved=7&moderation-hash=ab12#comment-7"}}},
		{name: "who sent the reader", typ: "wordpress", whole: true,
			groups: [][]string{{"/oars/", "/oars/?utm_source=rss&utm_medium=feed", "/oars/?fbclid=x", "/oars/?gclid=x", "/oars/?msclkid=x",
				"/oars/?mc_cid=1&mc_eid=2", "/oars/?relatedposts_hit=1&relatedposts_origin=3"}}},
		{name: "buttons", typ: "wordpress", whole: true,
			groups: [][]string{{"/oars/", "/oars/?share=twitter&nb=1", "/oars/?like_comment=7&_wpnonce=ab12", "/oars/?doing_wp_cron=1.5"}}},
		{name: "ways to show it", typ: "wordpress", whole: true,
			groups: [][]string{{"/oars/", "/oars/?preview=true&preview_id=4&preview_nonce=ab", "/oars/?amp", "/oars/?amp=1",
				"/oars/?noamp=mobile", "/oars/?print=print"}}},
		{name: "pages of comments", typ: "wordpress", whole: true,
			groups: [][]string{{"/oars/"}, {"/oars/comment-page-1/"}, {"/oars/comment-page-2/", "/oars/comment-page-2/#comments"},
				{"/oars/?cpage=2"}}},
		{name: "pages of comments without slashes", typ: "wordpress", whole: true, groups: [][]string{{"/oars"}, {"/oars/comment-page-2"}}},
		{name: "by number", typ: "wordpress", whole: true,
			groups: [][]string{{"/?p=12"}, {"/?cpage=2&p=12", "/?p=12&cpage=2"}, {"/?p=12&page=2"}}},
		{name: "the first of several pages", typ: "wordpress", whole: true,
			groups: [][]string{{"/", "/page/1/", "/?paged=1"}, {"/page/2/"}}},
		{name: "lists", typ: "wordpress", whole: true,
			groups: [][]string{{"/category/hulls/", "/category/hulls/page/1/"}, {"/category/hulls/page/2/"}, {"/category/hulls/page/12/"}}},
		{name: "numbers name posts", typ: "wordpress",
			groups: [][]string{{"/?p=12"}, {"/?p=13"}, {"/?page_id=12"}, {"/?cat=12"}, {"/archives/12/"}, {"/archives/13/"}, {"/"}}},
		{name: "split posts", typ: "wordpress", groups: [][]string{{"/oars/"}, {"/oars/2/"}}}, // /archives/2/ may be a post: the page tells
		{name: "days and months", typ: "wordpress", groups: [][]string{{"/2019/05/"}, {"/2019/05/04/"}, {"/2019/"}}},
		{name: "searches", typ: "wordpress", groups: [][]string{{"/?s=boat"}, {"/?s=oar"}, {"/"}}},

		{name: "views of an article", typ: "mediawiki", groups: [][]string{
			{"/index.php?title=Keel", "/index.php?title=Keel&printable=yes", "/index.php?title=Keel&action=view",
				"/index.php?title=Keel&useskin=minerva&uselang=de", "/index.php?title=Keel&mobileaction=toggle_view_mobile"},
			{"/index.php?title=Keel&oldid=7"}, {"/index.php?title=Keel&action=history"},
		}},
		{name: "a category's pages", typ: "mediawiki",
			groups: [][]string{{"/index.php?title=Category:Keels"}, {"/index.php?title=Category:Keels&pagefrom=M"},
				{"/index.php?title=Category:Keels&pageuntil=M"}}, whole: true},
		{name: "views of a page", typ: "dokuwiki",
			groups: [][]string{{"/doku.php?id=keel", "/doku.php?id=keel&do=show", "/doku.php?id=keel&s[]=oak",
				"/doku.php?id=keel&DokuWiki=0123"}, {"/doku.php?id=keel&do=index"}}},
		{name: "the start page", typ: "dokuwiki", groups: [][]string{{"/wiki/", "/wiki/doku.php?id=start", "/wiki/doku.php/start"},
			{"/wiki/doku.php?id=keel"}}},
		{name: "views of a post", typ: "blogger", groups: [][]string{{"/2012/03/lines.html", "/2012/03/lines.html?m=1",
			"/2012/03/lines.html?showComment=13#c81", "/2012/03/lines.html?spref=tw"}, {"/2012/03/splices.html"}}},
		{name: "pages of the blog", typ: "blogger", groups: [][]string{{"/"}, {"/?updated-max=2012-02-01"}}, whole: true},
		{name: "orders of comments", typ: "serendipity", whole: true, groups: [][]string{{"/archives/7-Hemp.html",
			"/archives/7-Hemp.html?serendipity%5Bcview%5D=linear#comments", "/archives/7-Hemp.html#extended"}}},
		{name: "pages of the blog", typ: "serendipity", groups: [][]string{{"/archives/P2.html"}, {"/archives/P3.html"}}, whole: true},
		{name: "entries without rewritten addresses", typ: "serendipity", groups: [][]string{{"/index.php?/archives/7-Hemp.html"},
			{"/index.php?/archives/8-Sisal.html"}, {"/index.php?/archive"}}},
		{name: "a post and its comments", typ: "lemmy", groups: [][]string{{"/post/51", "/post/51?scrollToComments=true"}, {"/post/51/7"},
			{"/c/boats"}, {"/"}}},
		{name: "index", typ: "movabletype", groups: [][]string{{"/notes/", "/notes/index.html"}, {"/notes/archives.html"}}},
		{name: "where a comment is", typ: "movabletype",
			groups: [][]string{{"/2009/06/fenders.html", "/2009/06/fenders.html?cid=6a02#comment-6a02"}}, whole: true},
		{name: "a question's words, order and pages", typ: "stackexchange", groups: [][]string{
			{"/questions/7", "/questions/7/which-glue", "/questions/7/which-glue?answertab=oldest#tab-top", "/questions/7/which-glue/9#9",
				"/q/7", "/q/7/12", "/questions/7/which-glue?rq=1"},
			{"/questions/7?page=2", "/questions/7/which-glue?page=2&tab=scoredesc"},
		}, whole: true},
		{name: "a tag", typ: "stackexchange", groups: [][]string{{"/questions/tagged/oars", "/questions/tagged/oars?tab=newest"},
			{"/questions/tagged/ropes"}}},
		{name: "a list and its pages", typ: "reddit",
			groups: [][]string{{"/r/boats/", "/r/boats/?sort=hot", "/r/boats/?count=25"},
				{"/r/boats/?after=t3_1abc2d", "/r/boats/?count=25&after=t3_1abc2d"}}},
		{name: "lists", typ: "hackernews", groups: [][]string{{"/", "/news", "/news?p=1"}, {"/?p=2", "/news?p=2"}, {"/newest"}},
			objects: 2},
		{name: "an item's pages", typ: "hackernews", groups: [][]string{{"/item?id=700"}, {"/item?id=700&p=2"}}, whole: true},
		{name: "who sent the reader", typ: "ghost", groups: [][]string{{"/copper-nails/", "/copper-nails/?ref=yard"}, {"/about/"}}},
		{name: "pages of a tag", typ: "ghost", groups: [][]string{{"/tag/tools/"}, {"/tag/tools/page/2/"}}, whole: true},
		{name: "who sent the reader", typ: "medium", groups: [][]string{{"/why-i-row-c7?source=home", "/why-i-row-c7"}}, whole: true},
		{name: "a post's words", typ: "tumblr", groups: [][]string{{"/post/700", "/post/700/splices"}, {"/post/701"}}},
		{name: "pages of a list", typ: "drupal", groups: [][]string{{"/blog", "/blog?page=0"}, {"/blog?page=1"}}, whole: true},
		{name: "pages of a list", typ: "joomla", groups: [][]string{{"/advice", "/advice?start=0", "/advice?tmpl=component&print=1"},
			{"/advice?start=4"}, {"/advice?limitstart=4"}}, whole: true},
		{name: "languages", typ: "typo3", groups: [][]string{{"/index.php?id=7", "/index.php?id=7&L=0", "/index.php?id=7&cHash=0123"},
			{"/index.php?id=7&L=1"}}},
	})
}
