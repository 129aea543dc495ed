package kb_test

import (
	"net/url"
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestWordPressURLs checks each URL rule of WordPress: URLs of one group are
// one page, those of different groups are not; whole says that all groups are
// pages of one object.
func TestWordPressURLs(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	rules := base.Type("wordpress").URLs
	for _, c := range []struct {
		name   string
		groups [][]string
		whole  bool
	}{
		{name: "where to answer", whole: true, groups: [][]string{{"/2019/05/oars/", "/2019/05/oars/?replytocom=7#respond", "/2019/05/oars/#comment-7", "/2019/05/oars/?unapproved=7&moderation-hash=ab12#comment-7"}}},
		{name: "who sent the reader", whole: true, groups: [][]string{{"/oars/", "/oars/?utm_source=rss&utm_medium=feed", "/oars/?fbclid=x", "/oars/?gclid=x", "/oars/?msclkid=x", "/oars/?mc_cid=1&mc_eid=2", "/oars/?relatedposts_hit=1&relatedposts_origin=3"}}},
		{name: "buttons", whole: true, groups: [][]string{{"/oars/", "/oars/?share=twitter&nb=1", "/oars/?like_comment=7&_wpnonce=ab12", "/oars/?doing_wp_cron=1.5"}}},
		{name: "ways to show it", whole: true, groups: [][]string{{"/oars/", "/oars/?preview=true&preview_id=4&preview_nonce=ab", "/oars/?amp", "/oars/?amp=1", "/oars/?noamp=mobile", "/oars/?print=print"}}},
		{name: "pages of comments", whole: true, groups: [][]string{{"/oars/"}, {"/oars/comment-page-1/"}, {"/oars/comment-page-2/", "/oars/comment-page-2/#comments"}, {"/oars/?cpage=2"}}},
		{name: "pages of comments without slashes", whole: true, groups: [][]string{{"/oars"}, {"/oars/comment-page-2"}}},
		{name: "by number", whole: true, groups: [][]string{{"/?p=12"}, {"/?cpage=2&p=12", "/?p=12&cpage=2"}, {"/?p=12&page=2"}}},
		{name: "the first of several pages", whole: true, groups: [][]string{{"/", "/page/1/", "/?paged=1"}, {"/page/2/"}}},
		{name: "lists", whole: true, groups: [][]string{{"/category/hulls/", "/category/hulls/page/1/"}, {"/category/hulls/page/2/"}, {"/category/hulls/page/12/"}}},
		{name: "numbers name posts", groups: [][]string{{"/?p=12"}, {"/?p=13"}, {"/?page_id=12"}, {"/?cat=12"}, {"/archives/12/"}, {"/archives/13/"}, {"/"}}},
		{name: "split posts", groups: [][]string{{"/oars/"}, {"/oars/2/"}}}, // /archives/2/ may be a post: the page tells
		{name: "days and months", groups: [][]string{{"/2019/05/"}, {"/2019/05/04/"}, {"/2019/"}}},
		{name: "searches", groups: [][]string{{"/?s=boat"}, {"/?s=oar"}, {"/"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen, object := map[string]int{}, ""
			for i, group := range c.groups {
				for _, s := range group {
					u, err := url.Parse("http://blog.example" + s)
					if err != nil {
						t.Fatal(err)
					}
					key := rules.Key(u)
					if j, ok := seen[key]; ok && j != i {
						t.Errorf("%s has the key of group %d: %s", s, j+1, key)
					}
					seen[key] = i
					whole := rules.ObjectKey(u)
					if c.whole && object != "" && whole != object {
						t.Errorf("%s is of the object %s, not %s", s, whole, object)
					}
					if c.whole {
						object = whole
					}
				}
			}
			if len(seen) != len(c.groups) {
				t.Errorf("%d keys for %d pages: %v", len(seen), len(c.groups), seen)
			}
		})
	}
}
