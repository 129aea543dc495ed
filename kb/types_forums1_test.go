package kb_test

import (
	"net/url"
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestForums1URLs checks the URL rules of MyBB, SMF, XenForo and FluxBB as
// TestForumURLs does for phpBB and vBulletin.
func TestForums1URLs(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		typ    kb.TypeID
		groups [][]string // pages, each with its URLs
		whole  bool       // all groups are pages of one object
	}{
		{name: "threads", typ: "mybb", whole: true, groups: [][]string{
			{"/showthread.php?tid=7", "/showthread.php?tid=7&page=1", "/showthread.php?tid=7&highlight=boat", "/showthread.php?tid=7&mode=linear", "/showthread.php?tid=7&pid=12#pid12", "/thread-7.html", "/thread-7-post-12.html#pid12"},
			{"/showthread.php?tid=7&page=2", "/thread-7-page-2.html"},
		}},
		{name: "a post's own URL", typ: "mybb", groups: [][]string{{"/showthread.php?pid=12#pid12", "/post-12.html"}, {"/showthread.php?tid=12"}}},
		{name: "forums", typ: "mybb", whole: true, groups: [][]string{
			{"/forumdisplay.php?fid=2", "/forum-2.html", "/forumdisplay.php?fid=2&datecut=9999&prefix=0&sortby=lastpost&order=desc"},
			{"/forumdisplay.php?fid=2&page=3", "/forum-2-page-3.html"},
		}},
		{name: "other order", typ: "mybb", groups: [][]string{{"/forumdisplay.php?fid=2"}, {"/forumdisplay.php?fid=2&sortby=subject&order=asc"}}},
		{name: "members and announcements", typ: "mybb", groups: [][]string{{"/member.php?action=profile&uid=4", "/user-4.html"}, {"/announcements.php?aid=4", "/announcement-4.html"}}},
		{name: "index", typ: "mybb", groups: [][]string{{"/board/", "/board/index.php"}, {"/board/portal.php"}}},

		{name: "topics", typ: "smf", whole: true, groups: [][]string{
			{"/index.php?topic=7", "/index.php?topic=7.0", "/index.php?PHPSESSID=0f&topic=7.0", "/index.php?topic=7.0;topicseen", "/index.php/topic,7.0.html"},
			{"/index.php?topic=7.20", "/index.php/topic,7.20.html"},
			{"/index.php?topic=7.msg99#msg99", "/index.php/topic,7.msg99.html"},
		}},
		{name: "views of a topic are other pages", typ: "smf", groups: [][]string{{"/index.php?topic=7.0"}, {"/index.php?topic=7.0;all"}, {"/index.php?topic=7.0;prev_next=next"}, {"/index.php?action=printpage;topic=7.0"}}},
		{name: "boards", typ: "smf", whole: true, groups: [][]string{
			{"/index.php?board=2", "/index.php?board=2.0", "/index.php/board,2.0.html"},
			{"/index.php?board=2.20", "/index.php/board,2.20.html"},
		}},
		{name: "other order", typ: "smf", groups: [][]string{{"/index.php?board=2.0"}, {"/index.php?board=2.0;sort=subject"}}},
		{name: "members", typ: "smf", groups: [][]string{{"/index.php?action=profile;u=4", "/index.php?action=profile;area=summary;u=4"}, {"/index.php?action=profile;u=4;sa=showPosts"}}},

		{name: "the title in front of the number", typ: "xenforo", whole: true, groups: [][]string{
			{"/threads/oil-or-wax.8/", "/threads/oil.8/", "/threads/oil-or-wax.8", "/threads/8/", "/threads/oil-or-wax.8/?_xfToken=0f", "/threads/oil-or-wax.8/#post-31"},
			{"/threads/oil-or-wax.8/page-2", "/threads/oil.8/page-2"},
		}},
		{name: "the path in the query", typ: "xenforo", whole: true, groups: [][]string{
			{"/index.php?threads/oil-or-wax.8/", "/index.php?threads/oil.8/", "/index.php?threads/oil.8"},
			{"/index.php?threads/oil-or-wax.8/page-2"},
		}},
		{name: "forums", typ: "xenforo", whole: true, groups: [][]string{
			{"/forums/oils.4/", "/forums/oils.4/?order=last_post_date&direction=desc"},
			{"/forums/oils.4/page-2"},
		}},
		{name: "other order", typ: "xenforo", groups: [][]string{{"/forums/oils.4/"}, {"/forums/oils.4/?order=post_date&direction=asc"}, {"/forums/oils.5/"}}},
		{name: "members, categories, index", typ: "xenforo", groups: [][]string{{"/members/finn.8/", "/members/8/"}, {"/categories/finish.9/"}, {"/", "/index.php"}}},

		{name: "topics", typ: "fluxbb", whole: true, groups: [][]string{
			{"/viewtopic.php?id=7", "/viewtopic.php?id=7&p=1", "/topic/7/dry-stone-walls/", "/topic/7/", "/topic7-dry-stone-walls.html"},
			{"/viewtopic.php?id=7&p=2", "/topic/7/dry-stone-walls/page/2/", "/topic7-dry-stone-walls-p2.html"},
		}},
		{name: "a post's own URL", typ: "fluxbb", groups: [][]string{{"/viewtopic.php?pid=12#p12", "/post/12/#p12", "/post12.html"}, {"/viewtopic.php?id=12"}}},
		{name: "forums", typ: "fluxbb", whole: true, groups: [][]string{
			{"/viewforum.php?id=2", "/forum/2/walls/", "/forum2-walls.html"},
			{"/viewforum.php?id=2&p=3", "/forum/2/walls/page/3/", "/forum2-walls-p3.html"},
		}},
		{name: "members and index", typ: "fluxbb", groups: [][]string{{"/profile.php?id=4", "/user/4/", "/user4.html"}, {"/", "/index.php"}}},
	} {
		t.Run(string(c.typ)+"/"+c.name, func(t *testing.T) {
			rules := base.Type(c.typ).URLs
			pages := map[string]int{}
			objects := map[string]bool{}
			for i, group := range c.groups {
				keys := map[string]bool{}
				for _, s := range group {
					u, err := url.Parse("http://forum.example" + s)
					if err != nil {
						t.Fatal(err)
					}
					keys[rules.Key(u)] = true
					objects[rules.ObjectKey(u)] = true
				}
				if len(keys) != 1 {
					t.Errorf("one page has the keys %v", keys)
				}
				for k := range keys {
					if j, taken := pages[k]; taken {
						t.Errorf("pages %d and %d share the key %s", j, i, k)
					}
					pages[k] = i
				}
			}
			if c.whole && len(objects) != 1 {
				t.Errorf("one object has the keys %v", objects)
			}
			if !c.whole && len(objects) != len(c.groups) {
				t.Errorf("%d objects have the keys %v", len(c.groups), objects)
			}
		})
	}
}
