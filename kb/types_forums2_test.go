package kb_test

import (
	"net/url"
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestForums2URLs checks the URL rules of Discourse, Invision Community,
// Vanilla, NodeBB, UBB and the mailing-list archives, as TestForumURLs does.
func TestForums2URLs(t *testing.T) {
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
		{name: "a topic's words and who shared it", typ: "discourse", whole: true, groups: [][]string{
			{"/t/chain-or-rope/7", "/t/chain/7", "/t/chain/7?u=mira", "/t/7", "/t/chain/7?page=1", "/t/chain/7?source_topic_id=3", "/t/chain/7#post_2"},
			{"/t/chain/7?page=2", "/t/7?page=2"},
			{"/t/chain/7/25", "/t/7/25"},
		}},
		{name: "topics", typ: "discourse", groups: [][]string{{"/t/chain/7"}, {"/t/chain/8"}, {"/t/7/8"}}},
		{name: "lists", typ: "discourse", groups: [][]string{{"/c/anchors/5", "/c/anchors/5?page=0"}, {"/c/anchors/5?page=1", "/c/anchors/5?no_definitions=true&page=1"}}},

		{name: "a topic's words, 4 and 5", typ: "ipb", whole: true, groups: [][]string{
			{"/topic/8-hoses/", "/topic/8-hoses", "/topic/8-tubes/", "/index.php?/topic/8-hoses/", "/topic/8-hoses/?tab=comments", "/topic/8-hoses/?page=1", "/topic/8-hoses/#comment-3"},
			{"/topic/8-hoses/page/2/", "/topic/8-hoses/?page=2", "/index.php?/topic/8-hoses/page/2/", "/topic/8-hoses/page-2"},
		}},
		{name: "a topic's pages, 3", typ: "ipb", whole: true, groups: [][]string{{"/topic/8-hoses/"}, {"/topic/8-hoses/page__st__20", "/index.php?/topic/8-hoses/page__st__20"}}},
		{name: "a topic, 1 and 2", typ: "ipb", whole: true, groups: [][]string{
			{"/index.php?showtopic=5", "/index.php?s=0123&showtopic=5", "/index.php?showtopic=5&st=0", "/index.php?act=ST&f=2&t=5", "/index.php?showtopic=5&hl=keel"},
			{"/index.php?showtopic=5&st=15", "/index.php?act=ST&f=2&t=5&st=15"},
		}},
		{name: "forums and index", typ: "ipb", groups: [][]string{
			{"/index.php?showforum=2", "/index.php?act=SF&f=2"}, {"/forum/2-pumps/", "/index.php?/forum/2-pumps/"}, {"/forum/3-pumps/"}, {"/", "/index.php", "/index.php?act=idx"},
		}},

		{name: "a discussion", typ: "vanilla", whole: true, groups: [][]string{
			{"/discussion/9/primer", "/discussion/9", "/discussion/9/old-name", "/discussion/9/primer/p1", "/discussion/9/primer#latest"}, {"/discussion/9/primer/p2", "/discussion/9/p2"},
		}},
		{name: "discussions", typ: "vanilla", groups: [][]string{{"/discussion/9/primer"}, {"/discussion/10/primer"}, {"/discussion/comment/9"}}},
		{name: "a category", typ: "vanilla", whole: true, groups: [][]string{{"/categories/paint"}, {"/categories/paint/p2"}}},

		{name: "a topic", typ: "nodebb", whole: true, groups: [][]string{
			{"/topic/5/rudder", "/topic/5", "/topic/5/old-name", "/topic/5/rudder?page=1", "/topic/5/rudder?lang=de"}, {"/topic/5/rudder?page=2"}, {"/topic/5/rudder/18"},
		}},
		{name: "categories", typ: "nodebb", groups: [][]string{{"/category/2/hull", "/category/2"}, {"/category/2/hull?page=2", "/category/2?page=2"}, {"/category/3/hull"}}},

		{name: "a topic, 7", typ: "ubb", whole: true, groups: [][]string{
			{"/ubbthreads.php?ubb=showflat&Number=31", "/ubbthreads.php/topics/31/ballast", "/ubbthreads.php/topics/31", "/ubbthreads.php?ubb=showflat&Number=31&page=1"},
			{"/ubbthreads.php?ubb=showflat&Number=31&page=2", "/ubbthreads.php/topics/31/2/ballast"},
		}},
		{name: "a topic, 6", typ: "ubb", whole: true, groups: [][]string{
			{"/showflat.php?Cat=0&Board=rig&Number=21", "/showflat.php?Number=21&page=3&fpart=1", "/showflat.php?Cat=&Number=21&page=0&view=collapsed&sb=5&o=&vc=1"},
			{"/showflat.php?Number=21&page=0&fpart=2"},
		}},
		{name: "a topic, classic", typ: "ubb", whole: true, groups: [][]string{{"/ultimatebb.cgi?ubb=get_topic;f=3;t=000011"}, {"/ultimatebb.cgi?ubb=get_topic;f=3;t=000011;p=2"}}},
		{name: "forums", typ: "ubb", groups: [][]string{{"/ubbthreads.php?ubb=postlist&Board=2", "/ubbthreads.php/forums/2/1/keels"}, {"/ubbthreads.php?ubb=postlist&Board=3"}, {"/", "/ubbthreads.php", "/ubbthreads.php?ubb=cfrm"}}},

		{name: "a thread", typ: "hyperkitty", whole: true, groups: [][]string{{"/list/a@b.c/thread/A1/", "/list/a@b.c/thread/A1/?sort=date"}}},
		{name: "a month", typ: "hyperkitty", whole: true, groups: [][]string{{"/list/a@b.c/2024/5/", "/list/a@b.c/2024/5/?page=1"}, {"/list/a@b.c/2024/5/?page=2"}}},
		{name: "a month", typ: "pipermail", groups: [][]string{{"/pipermail/a/2004-March/thread.html", "/pipermail/a/2004-March/date.html", "/pipermail/a/2004-March/author.html#3"}, {"/pipermail/a/2004-April/thread.html"}, {"/pipermail/a/2004-March/000001.html"}}},
	} {
		t.Run(string(c.typ)+"/"+c.name, func(t *testing.T) {
			rules := base.Type(c.typ).URLs
			keys, objects := map[string]int{}, map[string]bool{}
			for i, group := range c.groups {
				for _, s := range group {
					u, err := url.Parse("http://forum.example" + s)
					if err != nil {
						t.Fatal(err)
					}
					if other, known := keys[rules.Key(u)]; known && other != i {
						t.Errorf("%s is the same page as %v: %s", s, c.groups[other], rules.Key(u))
					}
					keys[rules.Key(u)] = i
					objects[rules.ObjectKey(u)] = true
				}
			}
			if len(keys) != len(c.groups) {
				t.Errorf("%d pages, want %d: %v", len(keys), len(c.groups), keys)
			}
			if c.whole && len(objects) != 1 {
				t.Errorf("pages of %d objects, want one: %v", len(objects), objects)
			}
		})
	}
}
