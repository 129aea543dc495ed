package kb_test

import (
	"net/url"
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestSiteURLs checks the URL rules of wikis, blogs and others: URLs of one
// group are one page, those of different groups are not; whole lists the pages
// of one object.
func TestSiteURLs(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	const host = "http://site.example"
	for _, c := range []struct {
		typ    kb.TypeID
		groups [][]string
		whole  bool
	}{
		{"mediawiki", [][]string{
			{"/index.php?title=Keel", "/index.php?title=Keel&printable=yes", "/index.php?title=Keel&action=view", "/index.php?title=Keel&useskin=minerva&uselang=de", "/index.php?title=Keel&mobileaction=toggle_view_mobile"},
			{"/index.php?title=Keel&oldid=7"}, {"/index.php?title=Keel&action=history"},
		}, false},
		{"mediawiki", [][]string{{"/index.php?title=Category:Keels"}, {"/index.php?title=Category:Keels&pagefrom=M"}, {"/index.php?title=Category:Keels&pageuntil=M"}}, true},
		{"dokuwiki", [][]string{{"/doku.php?id=keel", "/doku.php?id=keel&do=show", "/doku.php?id=keel&s[]=oak", "/doku.php?id=keel&DokuWiki=0123"}, {"/doku.php?id=keel&do=index"}}, false},
		{"dokuwiki", [][]string{{"/wiki/", "/wiki/doku.php?id=start", "/wiki/doku.php/start"}, {"/wiki/doku.php?id=keel"}}, false},
		{"blogger", [][]string{{"/2012/03/lines.html", "/2012/03/lines.html?m=1", "/2012/03/lines.html?showComment=13#c81", "/2012/03/lines.html?spref=tw"}, {"/2012/03/splices.html"}}, false},
		{"blogger", [][]string{{"/"}, {"/?updated-max=2012-02-01"}}, true},
		{"movabletype", [][]string{{"/notes/", "/notes/index.html"}, {"/notes/archives.html"}}, false},
		{"movabletype", [][]string{{"/2009/06/fenders.html", "/2009/06/fenders.html?cid=6a02#comment-6a02"}}, true},
		{"stackexchange", [][]string{
			{"/questions/7", "/questions/7/which-glue", "/questions/7/which-glue?answertab=oldest#tab-top", "/questions/7/which-glue/9#9", "/q/7", "/q/7/12", "/questions/7/which-glue?rq=1"},
			{"/questions/7?page=2", "/questions/7/which-glue?page=2&tab=scoredesc"},
		}, true},
		{"stackexchange", [][]string{{"/questions/tagged/oars", "/questions/tagged/oars?tab=newest"}, {"/questions/tagged/ropes"}}, false},
		{"reddit", [][]string{{"/r/boats/", "/r/boats/?sort=hot", "/r/boats/?count=25"}, {"/r/boats/?after=t3_1abc2d", "/r/boats/?count=25&after=t3_1abc2d"}}, false},
		{"hackernews", [][]string{{"/", "/news", "/news?p=1"}, {"/?p=2", "/news?p=2"}, {"/newest"}}, false},
		{"hackernews", [][]string{{"/item?id=700"}, {"/item?id=700&p=2"}}, true},
		{"ghost", [][]string{{"/copper-nails/", "/copper-nails/?ref=yard"}, {"/about/"}}, false},
		{"ghost", [][]string{{"/tag/tools/"}, {"/tag/tools/page/2/"}}, true},
		{"medium", [][]string{{"/why-i-row-c7?source=home", "/why-i-row-c7"}}, true},
		{"tumblr", [][]string{{"/post/700", "/post/700/splices"}, {"/post/701"}}, false},
		{"drupal", [][]string{{"/blog", "/blog?page=0"}, {"/blog?page=1"}}, true},
		{"joomla", [][]string{{"/advice", "/advice?start=0", "/advice?tmpl=component&print=1"}, {"/advice?start=4"}, {"/advice?limitstart=4"}}, true},
		{"typo3", [][]string{{"/index.php?id=7", "/index.php?id=7&L=0", "/index.php?id=7&cHash=0123"}, {"/index.php?id=7&L=1"}}, false},
	} {
		rules := &base.Type(c.typ).URLs
		seen, object := map[string]int{}, ""
		for i, group := range c.groups {
			for j, path := range group {
				u, err := url.Parse(host + path)
				if err != nil {
					t.Fatal(err)
				}
				key := rules.Key(u)
				if other, ok := seen[key]; j > 0 && (!ok || other != i) || j == 0 && ok {
					t.Errorf("%s: %s has the key %s, in a group of its own or of others", c.typ, path, key)
				}
				seen[key] = i
				whole := rules.ObjectKey(u)
				if object == "" {
					object = whole
				}
				if c.whole && whole != object {
					t.Errorf("%s: %s is of the object %s, want %s", c.typ, path, whole, object)
				}
			}
		}
	}
}
