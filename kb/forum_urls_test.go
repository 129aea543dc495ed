package kb_test

import (
	"net/url"
	"testing"

	"github.com/awarc/awarc/kb"
)

// TestForumURLs checks each URL rule of the built-in forums: URLs of one group
// are one page, those of different groups are not; whole lists the pages of
// one object.
func TestForumURLs(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	const host = "http://forum.example"
	for _, c := range []struct {
		name   string
		typ    kb.TypeID
		groups [][]string // pages, each with its URLs
		whole  bool       // all groups are pages of one object
	}{
		{name: "sessions and marks", typ: "phpbb", whole: true, groups: [][]string{
			{"/viewtopic.php?t=7", "/viewtopic.php?t=7&sid=0123456789abcdef", "/viewtopic.php?sid=0123&t=7&hilit=boat", "/viewtopic.php?t=7&highlight=boat", "/viewtopic.php?t=7&e=1", "/viewtopic.php?t=7#p12"},
		}},
		{name: "f beside t or p repeats the forum", typ: "phpbb", whole: true, groups: [][]string{{"/viewtopic.php?t=7", "/viewtopic.php?f=2&t=7", "/viewtopic.php?t=7&f=3"}}},
		{name: "a post's own URL", typ: "phpbb", groups: [][]string{{"/viewtopic.php?p=12", "/viewtopic.php?f=2&p=12#p12"}, {"/viewtopic.php?t=7"}}},
		{name: "f names a forum", typ: "phpbb", groups: [][]string{{"/viewforum.php?f=2"}, {"/viewforum.php?f=3"}}},
		{name: "start", typ: "phpbb", whole: true, groups: [][]string{
			{"/viewtopic.php?t=7", "/viewtopic.php?t=7&start=0", "/viewtopic.php?t=7&start="},
			{"/viewtopic.php?t=7&start=10", "/viewtopic.php?start=10&t=7"},
		}},
		{name: "default order, phpBB 2", typ: "phpbb", whole: true, groups: [][]string{
			{"/viewtopic.php?t=7", "/viewtopic.php?t=7&start=0&postdays=0&postorder=asc&highlight="},
			{"/viewtopic.php?t=7&start=15", "/viewtopic.php?t=7&postdays=0&postorder=asc&start=15"},
		}},
		{name: "other order, phpBB 2", typ: "phpbb", groups: [][]string{{"/viewtopic.php?t=7"}, {"/viewtopic.php?t=7&postorder=desc"}, {"/viewtopic.php?t=7&postdays=7"}}},
		{name: "default order of topics", typ: "phpbb", whole: true, groups: [][]string{
			{"/viewforum.php?f=2", "/viewforum.php?f=2&st=0&sk=t&sd=d", "/viewforum.php?f=2&topicdays=0&start=0"},
			{"/viewforum.php?f=2&start=50", "/viewforum.php?f=2&topicdays=0&start=50"},
		}},
		{name: "newest first differs by script", typ: "phpbb", groups: [][]string{
			{"/viewtopic.php?t=7", "/viewtopic.php?t=7&st=0&sk=t&sd=a"}, {"/viewtopic.php?t=7&sd=d"},
			{"/viewforum.php?f=2"}, {"/viewforum.php?f=2&sd=a"},
		}},
		{name: "views of a topic are other pages", typ: "phpbb", groups: [][]string{{"/viewtopic.php?t=7"}, {"/viewtopic.php?t=7&view=print"}, {"/viewtopic.php?t=7&view=next"}}},
		{name: "index", typ: "phpbb", groups: [][]string{{"/board/", "/board/index.php", "/board/index.php?sid=0123"}, {"/board/index.php?c=2"}, {"/"}}},

		{name: "sessions and marks", typ: "vbulletin", whole: true, groups: [][]string{
			{"/showthread.php?t=7", "/showthread.php?s=&t=7", "/showthread.php?s=0123&t=7", "/showthread.php?t=7&highlight=boat", "/showthread.php?t=7&goto=newpost", "/showthread.php?t=7&mode=hybrid",
				"/showthread.php?t=7&nojs=1", "/showthread.php?t=7&viewfull=1", "/showthread.php?t=7&styleid=3", "/showthread.php?t=7&langid=2", "/showthread.php?t=7&posted=1"},
		}},
		{name: "p beside t only scrolls", typ: "vbulletin", whole: true, groups: [][]string{{"/showthread.php?t=7", "/showthread.php?t=7&p=12#post12"}}},
		{name: "a post's own URL", typ: "vbulletin", groups: [][]string{{"/showthread.php?p=12"}, {"/showthread.php?t=7"}}},
		{name: "page", typ: "vbulletin", whole: true, groups: [][]string{
			{"/showthread.php?t=7", "/showthread.php?t=7&page=1", "/showthread.php?t=7&page="},
			{"/showthread.php?t=7&page=2", "/showthread.php?page=2&t=7"},
		}},
		{name: "forms with titles", typ: "vbulletin", whole: true, groups: [][]string{
			{"/showthread.php?t=7", "/showthread.php?7-Old-boats", "/showthread.php?7", "/showthread.php/7-Old-boats", "/threads/7-Old-boats", "/showthread.php?7-New-title&p=12"},
			{"/showthread.php?t=7&page=2", "/showthread.php?7-Old-boats/page2", "/showthread.php/7-Old-boats/page2", "/threads/7-Old-boats/page2"},
		}},
		{name: "forms of forums", typ: "vbulletin", whole: true, groups: [][]string{
			{"/forumdisplay.php?f=2", "/forumdisplay.php?2-Boats", "/forumdisplay.php?2", "/forumdisplay.php/2-Boats", "/forums/2-Boats"},
			{"/forumdisplay.php?f=2&page=3", "/forumdisplay.php?2-Boats/page3", "/forumdisplay.php/2-Boats/page3", "/forums/2-Boats/page3"},
		}},
		{name: "default order of threads", typ: "vbulletin", whole: true, groups: [][]string{
			{"/forumdisplay.php?f=2", "/forumdisplay.php?f=2&daysprune=-1&order=desc&sort=lastpost&prefixid=", "/forumdisplay.php?f=2&daysprune="},
			{"/forumdisplay.php?f=2&page=2", "/forumdisplay.php?f=2&order=desc&page=2", "/forumdisplay.php?f=2&sort=lastpost&order=desc&daysprune=-1&page=2", "/forumdisplay.php?f=2&prefixid=&page=2&daysprune="},
		}},
		{name: "other order of threads", typ: "vbulletin", groups: [][]string{{"/forumdisplay.php?f=2"}, {"/forumdisplay.php?f=2&order=asc"}, {"/forumdisplay.php?f=2&sort=views"}}},
		{name: "members", typ: "vbulletin", groups: [][]string{{"/member.php?u=5", "/member.php?5-Anna", "/member.php/5-Anna", "/members/5-Anna", "/member.php?s=&action=getinfo&userid=5"}, {"/member.php?u=6"}}},
		{name: "vBulletin 2", typ: "vbulletin", whole: true, groups: [][]string{
			{"/showthread.php?t=7", "/showthread.php?s=&threadid=7", "/showthread.php?threadid=7"},
			{"/showthread.php?t=7&page=2", "/showthread.php?s=&threadid=7&pagenumber=2", "/showthread.php?s=&threadid=7&perpage=20&pagenumber=2"},
		}},
		{name: "vBulletin 2 forums", typ: "vbulletin", groups: [][]string{{"/forumdisplay.php?f=2", "/forumdisplay.php?forumid=2"}, {"/forumdisplay.php?forumid=3"}}},
		{name: "vBulletin 5", typ: "vbulletin", whole: true, groups: [][]string{{"/forum/boats/7-old-boats", "/forum/boats/7-old-boats#post12"}, {"/forum/boats/7-old-boats/page2"}}},
		{name: "index", typ: "vbulletin", groups: [][]string{{"/vb/", "/vb/index.php", "/vb/index.php?s=0123"}, {"/"}}},
		{name: "announcements", typ: "vbulletin", groups: [][]string{{"/announcement.php?a=3", "/announcement.php?f=2&a=3"}, {"/announcement.php?f=2"}}},
		{name: "threads apart", typ: "vbulletin", groups: [][]string{{"/threads/7-Old-boats"}, {"/threads/70-Old-boats"}, {"/forums/7-Old-boats"}}},
	} {
		t.Run(string(c.typ)+"/"+c.name, func(t *testing.T) {
			rules := &base.Type(c.typ).URLs
			pages, objects := map[string]int{}, map[string]bool{}
			for i, group := range c.groups {
				for _, raw := range group {
					u, err := url.Parse(host + raw)
					if err != nil {
						t.Fatal(err)
					}
					key := rules.Key(u)
					if first, known := pages[key]; known && first != i {
						t.Errorf("%s has the key %s of %s", raw, key, c.groups[first][0])
					}
					if _, known := pages[key]; !known && raw != group[0] {
						t.Errorf("%s has the key %s, not that of %s", raw, key, group[0])
					}
					pages[key] = i
					objects[rules.ObjectKey(u)] = true
				}
			}
			switch {
			case c.whole && len(objects) != 1:
				t.Errorf("object keys %v; want one object", objects)
			case !c.whole && len(objects) != len(c.groups):
				t.Errorf("object keys %v; want %d objects", objects, len(c.groups))
			}
		})
	}
}
