package kb_test

import "testing"

// TestForumURLs checks the URL rules of forums and of the archives of mailing
// lists.
func TestForumURLs(t *testing.T) {
	checkURLs(t, []urlCase{
		{name: "sessions and marks", typ: "phpbb", whole: true, groups: [][]string{
			{"/viewtopic.php?t=7", "/viewtopic.php?t=7&sid=0123456789abcdef", "/viewtopic.php?sid=0123&t=7&hilit=boat",
				"/viewtopic.php?t=7&highlight=boat", "/viewtopic.php?t=7&e=1", "/viewtopic.php?t=7#p12"},
		}},
		{name: "f beside t or p repeats the forum", typ: "phpbb", whole: true,
			groups: [][]string{{"/viewtopic.php?t=7", "/viewtopic.php?f=2&t=7", "/viewtopic.php?t=7&f=3"}}},
		{name: "a post's own URL", typ: "phpbb", groups: [][]string{{"/viewtopic.php?p=12", "/viewtopic.php?f=2&p=12#p12"},
			{"/viewtopic.php?t=7"}}},
		{name: "f names a forum", typ: "phpbb", groups: [][]string{{"/viewforum.php?f=2"}, {"/viewforum.php?f=3"}}},
		{name: "start", typ: "phpbb", whole: true, groups: [][]string{
			{"/viewtopic.php?t=7", "/viewtopic.php?t=7&start=0", "/viewtopic.php?t=7&start="},
			{"/viewtopic.php?t=7&start=10", "/viewtopic.php?start=10&t=7"},
		}},
		{name: "default order, phpBB 2", typ: "phpbb", whole: true, groups: [][]string{
			{"/viewtopic.php?t=7", "/viewtopic.php?t=7&start=0&postdays=0&postorder=asc&highlight="},
			{"/viewtopic.php?t=7&start=15", "/viewtopic.php?t=7&postdays=0&postorder=asc&start=15"},
		}},
		{name: "other order, phpBB 2", typ: "phpbb",
			groups: [][]string{{"/viewtopic.php?t=7"}, {"/viewtopic.php?t=7&postorder=desc"}, {"/viewtopic.php?t=7&postdays=7"}}},
		{name: "default order of topics", typ: "phpbb", whole: true, groups: [][]string{
			{"/viewforum.php?f=2", "/viewforum.php?f=2&st=0&sk=t&sd=d", "/viewforum.php?f=2&topicdays=0&start=0"},
			{"/viewforum.php?f=2&start=50", "/viewforum.php?f=2&topicdays=0&start=50"},
		}},
		{name: "newest first differs by script", typ: "phpbb", groups: [][]string{
			{"/viewtopic.php?t=7", "/viewtopic.php?t=7&st=0&sk=t&sd=a"}, {"/viewtopic.php?t=7&sd=d"},
			{"/viewforum.php?f=2"}, {"/viewforum.php?f=2&sd=a"},
		}},
		{name: "views of a topic are other pages", typ: "phpbb",
			groups: [][]string{{"/viewtopic.php?t=7"}, {"/viewtopic.php?t=7&view=print"}, {"/viewtopic.php?t=7&view=next"}}},
		{name: "index", typ: "phpbb", groups: [][]string{{"/board/", "/board/index.php", "/board/index.php?sid=0123"},
			{"/board/index.php?c=2"}, {"/"}}},

		{name: "sessions and marks", typ: "vbulletin", whole: true, groups: [][]string{
			{"/showthread.php?t=7", "/showthread.php?s=&t=7", "/showthread.php?s=0123&t=7", "/showthread.php?t=7&highlight=boat",
				"/showthread.php?t=7&goto=newpost", "/showthread.php?t=7&mode=hybrid",
				"/showthread.php?t=7&nojs=1", "/showthread.php?t=7&viewfull=1", "/showthread.php?t=7&styleid=3",
				"/showthread.php?t=7&langid=2", "/showthread.php?t=7&posted=1"},
		}},
		{name: "p beside t only scrolls", typ: "vbulletin", whole: true,
			groups: [][]string{{"/showthread.php?t=7", "/showthread.php?t=7&p=12#post12"}}},
		{name: "a post's own URL", typ: "vbulletin", groups: [][]string{{"/showthread.php?p=12"}, {"/showthread.php?t=7"}}},
		{name: "page", typ: "vbulletin", whole: true, groups: [][]string{
			{"/showthread.php?t=7", "/showthread.php?t=7&page=1", "/showthread.php?t=7&page="},
			{"/showthread.php?t=7&page=2", "/showthread.php?page=2&t=7"},
		}},
		{name: "forms with titles", typ: "vbulletin", whole: true, groups: [][]string{
			{"/showthread.php?t=7", "/showthread.php?7-Old-boats", "/showthread.php?7", "/showthread.php/7-Old-boats",
				"/threads/7-Old-boats", "/showthread.php?7-New-title&p=12"},
			{"/showthread.php?t=7&page=2", "/showthread.php?7-Old-boats/page2", "/showthread.php/7-Old-boats/page2",
				"/threads/7-Old-boats/page2"},
		}},
		{name: "forms of forums", typ: "vbulletin", whole: true, groups: [][]string{
			{"/forumdisplay.php?f=2", "/forumdisplay.php?2-Boats", "/forumdisplay.php?2", "/forumdisplay.php/2-Boats", "/forums/2-Boats"},
			{"/forumdisplay.php?f=2&page=3", "/forumdisplay.php?2-Boats/page3", "/forumdisplay.php/2-Boats/page3", "/forums/2-Boats/page3"},
		}},
		{name: "default order of threads", typ: "vbulletin", whole: true, groups: [][]string{
			{"/forumdisplay.php?f=2", "/forumdisplay.php?f=2&daysprune=-1&order=desc&sort=lastpost&prefixid=",
				"/forumdisplay.php?f=2&daysprune="},
			{"/forumdisplay.php?f=2&page=2", "/forumdisplay.php?f=2&order=desc&page=2",
				"/forumdisplay.php?f=2&sort=lastpost&order=desc&daysprune=-1&page=2", "/forumdisplay.php?f=2&prefixid=&page=2&daysprune="},
		}},
		{name: "other order of threads", typ: "vbulletin",
			groups: [][]string{{"/forumdisplay.php?f=2"}, {"/forumdisplay.php?f=2&order=asc"}, {"/forumdisplay.php?f=2&sort=views"}}},
		{name: "members", typ: "vbulletin", groups: [][]string{{"/member.php?u=5", "/member.php?5-Anna", "/member.php/5-Anna",
			"/members/5-Anna", "/member.php?s=&action=getinfo&userid=5"}, {"/member.php?u=6"}}},
		{name: "vBulletin 2", typ: "vbulletin", whole: true, groups: [][]string{
			{"/showthread.php?t=7", "/showthread.php?s=&threadid=7", "/showthread.php?threadid=7"},
			{"/showthread.php?t=7&page=2", "/showthread.php?s=&threadid=7&pagenumber=2",
				"/showthread.php?s=&threadid=7&perpage=20&pagenumber=2"},
		}},
		{name: "vBulletin 2 forums", typ: "vbulletin",
			groups: [][]string{{"/forumdisplay.php?f=2", "/forumdisplay.php?forumid=2"}, {"/forumdisplay.php?forumid=3"}}},
		{name: "vBulletin 5", typ: "vbulletin", whole: true,
			groups: [][]string{{"/forum/boats/7-old-boats", "/forum/boats/7-old-boats#post12"}, {"/forum/boats/7-old-boats/page2"}}},
		{name: "index", typ: "vbulletin", groups: [][]string{{"/vb/", "/vb/index.php", "/vb/index.php?s=0123"}, {"/"}}},
		{name: "announcements", typ: "vbulletin", groups: [][]string{{"/announcement.php?a=3", "/announcement.php?f=2&a=3"},
			{"/announcement.php?f=2"}}},
		{name: "threads apart", typ: "vbulletin", groups: [][]string{{"/threads/7-Old-boats"}, {"/threads/70-Old-boats"},
			{"/forums/7-Old-boats"}}},

		{name: "threads", typ: "mybb", whole: true, groups: [][]string{
			{"/showthread.php?tid=7", "/showthread.php?tid=7&page=1", "/showthread.php?tid=7&highlight=boat",
				"/showthread.php?tid=7&mode=linear", "/showthread.php?tid=7&pid=12#pid12", "/thread-7.html",
				"/thread-7-post-12.html#pid12"},
			{"/showthread.php?tid=7&page=2", "/thread-7-page-2.html"},
		}},
		{name: "a post's own URL", typ: "mybb", groups: [][]string{{"/showthread.php?pid=12#pid12", "/post-12.html"},
			{"/showthread.php?tid=12"}}},
		{name: "forums", typ: "mybb", whole: true, groups: [][]string{
			{"/forumdisplay.php?fid=2", "/forum-2.html", "/forumdisplay.php?fid=2&datecut=9999&prefix=0&sortby=lastpost&order=desc"},
			{"/forumdisplay.php?fid=2&page=3", "/forum-2-page-3.html"},
		}},
		{name: "other order", typ: "mybb", groups: [][]string{{"/forumdisplay.php?fid=2"},
			{"/forumdisplay.php?fid=2&sortby=subject&order=asc"}}},
		{name: "members and announcements", typ: "mybb",
			groups: [][]string{{"/member.php?action=profile&uid=4", "/user-4.html"}, {"/announcements.php?aid=4", "/announcement-4.html"}}},
		{name: "index", typ: "mybb", groups: [][]string{{"/board/", "/board/index.php"}, {"/board/portal.php"}}},

		{name: "topics", typ: "smf", whole: true, groups: [][]string{
			{"/index.php?topic=7", "/index.php?topic=7.0", "/index.php?PHPSESSID=0f&topic=7.0", "/index.php?topic=7.0;topicseen",
				"/index.php/topic,7.0.html"},
			{"/index.php?topic=7.20", "/index.php/topic,7.20.html"},
			{"/index.php?topic=7.msg99#msg99", "/index.php/topic,7.msg99.html"},
		}},
		{name: "views of a topic are other pages", typ: "smf",
			groups: [][]string{{"/index.php?topic=7.0"}, {"/index.php?topic=7.0;all"}, {"/index.php?topic=7.0;prev_next=next"},
				{"/index.php?action=printpage;topic=7.0"}}},
		{name: "boards", typ: "smf", whole: true, groups: [][]string{
			{"/index.php?board=2", "/index.php?board=2.0", "/index.php/board,2.0.html"},
			{"/index.php?board=2.20", "/index.php/board,2.20.html"},
		}},
		{name: "other order", typ: "smf", groups: [][]string{{"/index.php?board=2.0"}, {"/index.php?board=2.0;sort=subject"}}},
		{name: "members", typ: "smf", groups: [][]string{{"/index.php?action=profile;u=4", "/index.php?action=profile;area=summary;u=4"},
			{"/index.php?action=profile;u=4;sa=showPosts"}}},

		{name: "the title in front of the number", typ: "xenforo", whole: true, groups: [][]string{
			{"/threads/oil-or-wax.8/", "/threads/oil.8/", "/threads/oil-or-wax.8", "/threads/8/", "/threads/oil-or-wax.8/?_xfToken=0f",
				"/threads/oil-or-wax.8/#post-31"},
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
		{name: "other order", typ: "xenforo", groups: [][]string{{"/forums/oils.4/"}, {"/forums/oils.4/?order=post_date&direction=asc"},
			{"/forums/oils.5/"}}},
		{name: "members, categories, index", typ: "xenforo",
			groups: [][]string{{"/members/finn.8/", "/members/8/"}, {"/categories/finish.9/"}, {"/", "/index.php"}}},

		{name: "topics", typ: "fluxbb", whole: true, groups: [][]string{
			{"/viewtopic.php?id=7", "/viewtopic.php?id=7&p=1", "/topic/7/dry-stone-walls/", "/topic/7/", "/topic7-dry-stone-walls.html"},
			{"/viewtopic.php?id=7&p=2", "/topic/7/dry-stone-walls/page/2/", "/topic7-dry-stone-walls-p2.html"},
		}},
		{name: "a post's own URL", typ: "fluxbb", groups: [][]string{{"/viewtopic.php?pid=12#p12", "/post/12/#p12", "/post12.html"},
			{"/viewtopic.php?id=12"}}},
		{name: "forums", typ: "fluxbb", whole: true, groups: [][]string{
			{"/viewforum.php?id=2", "/forum/2/walls/", "/forum2-walls.html"},
			{"/viewforum.php?id=2&p=3", "/forum/2/walls/page/3/", "/forum2-walls-p3.html"},
		}},
		{name: "members and index", typ: "fluxbb",
			groups: [][]string{{"/profile.php?id=4", "/user/4/", "/user4.html"}, {"/", "/index.php"}}},

		{name: "a topic's words and who shared it", typ: "discourse", whole: true, groups: [][]string{
			{"/t/chain-or-rope/7", "/t/chain/7", "/t/chain/7?u=mira", "/t/7", "/t/chain/7?page=1", "/t/chain/7?source_topic_id=3",
				"/t/chain/7#post_2"},
			{"/t/chain/7?page=2", "/t/7?page=2"},
			{"/t/chain/7/25", "/t/7/25"},
		}},
		{name: "topics", typ: "discourse", objects: 2, groups: [][]string{{"/t/chain/7"}, {"/t/chain/8"}, {"/t/7/8"}}},
		{name: "lists", typ: "discourse", whole: true,
			groups: [][]string{{"/c/anchors/5", "/c/anchors/5?page=0"},
				{"/c/anchors/5?page=1", "/c/anchors/5?no_definitions=true&page=1"}}},

		{name: "a topic's words, 4 and 5", typ: "ipb", whole: true, groups: [][]string{
			{"/topic/8-hoses/", "/topic/8-hoses", "/topic/8-tubes/", "/index.php?/topic/8-hoses/", "/topic/8-hoses/?tab=comments",
				"/topic/8-hoses/?page=1", "/topic/8-hoses/#comment-3"},
			{"/topic/8-hoses/page/2/", "/topic/8-hoses/?page=2", "/index.php?/topic/8-hoses/page/2/", "/topic/8-hoses/page-2"},
		}},
		{name: "a topic's pages, 3", typ: "ipb", whole: true,
			groups: [][]string{{"/topic/8-hoses/"}, {"/topic/8-hoses/page__st__20", "/index.php?/topic/8-hoses/page__st__20"}}},
		{name: "a topic, 1 and 2", typ: "ipb", whole: true, groups: [][]string{
			{"/index.php?showtopic=5", "/index.php?s=0123&showtopic=5", "/index.php?showtopic=5&st=0", "/index.php?act=ST&f=2&t=5",
				"/index.php?showtopic=5&hl=keel"},
			{"/index.php?showtopic=5&st=15", "/index.php?act=ST&f=2&t=5&st=15"},
		}},
		{name: "forums and index", typ: "ipb", groups: [][]string{
			{"/index.php?showforum=2", "/index.php?act=SF&f=2"}, {"/forum/2-pumps/", "/index.php?/forum/2-pumps/"}, {"/forum/3-pumps/"},
			{"/", "/index.php", "/index.php?act=idx"},
		}},

		{name: "a discussion", typ: "vanilla", whole: true, groups: [][]string{
			{"/discussion/9/primer", "/discussion/9", "/discussion/9/old-name", "/discussion/9/primer/p1", "/discussion/9/primer#latest"},
			{"/discussion/9/primer/p2", "/discussion/9/p2"},
		}},
		{name: "discussions", typ: "vanilla", groups: [][]string{{"/discussion/9/primer"}, {"/discussion/10/primer"},
			{"/discussion/comment/9"}}},
		{name: "a category", typ: "vanilla", whole: true, groups: [][]string{{"/categories/paint"}, {"/categories/paint/p2"}}},

		{name: "a topic", typ: "nodebb", whole: true, groups: [][]string{
			{"/topic/5/rudder", "/topic/5", "/topic/5/old-name", "/topic/5/rudder?page=1", "/topic/5/rudder?lang=de"},
			{"/topic/5/rudder?page=2"}, {"/topic/5/rudder/18"},
		}},
		{name: "categories", typ: "nodebb", objects: 2,
			groups: [][]string{{"/category/2/hull", "/category/2"}, {"/category/2/hull?page=2", "/category/2?page=2"},
				{"/category/3/hull"}}},

		{name: "a topic, 7", typ: "ubb", whole: true, groups: [][]string{
			{"/ubbthreads.php?ubb=showflat&Number=31", "/ubbthreads.php/topics/31/ballast", "/ubbthreads.php/topics/31",
				"/ubbthreads.php?ubb=showflat&Number=31&page=1"},
			{"/ubbthreads.php?ubb=showflat&Number=31&page=2", "/ubbthreads.php/topics/31/2/ballast"},
		}},
		{name: "a topic, 6", typ: "ubb", whole: true, groups: [][]string{
			{"/showflat.php?Cat=0&Board=rig&Number=21", "/showflat.php?Number=21&page=3&fpart=1",
				"/showflat.php?Cat=&Number=21&page=0&view=collapsed&sb=5&o=&vc=1"},
			{"/showflat.php?Number=21&page=0&fpart=2"},
		}},
		{name: "a topic, classic", typ: "ubb", whole: true,
			groups: [][]string{{"/ultimatebb.cgi?ubb=get_topic;f=3;t=000011"}, {"/ultimatebb.cgi?ubb=get_topic;f=3;t=000011;p=2"}}},
		{name: "forums", typ: "ubb", groups: [][]string{{"/ubbthreads.php?ubb=postlist&Board=2", "/ubbthreads.php/forums/2/1/keels"},
			{"/ubbthreads.php?ubb=postlist&Board=3"}, {"/", "/ubbthreads.php", "/ubbthreads.php?ubb=cfrm"}}},

		{name: "a thread", typ: "discuz", whole: true, groups: [][]string{
			{"/forum.php?mod=viewthread&tid=31", "/forum.php?mod=viewthread&tid=31&extra=page%3D1", "/thread-31-1-1.html",
				"/thread-31-1-2.html", "/forum.php?mod=viewthread&tid=31&page=1#pid103",
				"/forum.php?extra=&mod=viewthread&tid=31&mobile=no&fromuid=4"},
			{"/forum.php?mod=viewthread&tid=31&extra=page%3D2&page=2", "/thread-31-2-1.html"},
		}},
		{name: "forums, members", typ: "discuz", groups: [][]string{
			{"/forum.php?mod=forumdisplay&fid=40", "/forum-40-1.html", "/forum.php?mod=forumdisplay&fid=40&page=1"}, {"/forum-41-1.html"},
			{"/forum.php?mod=forumdisplay&fid=40&filter=digest&digest=1"}, {"/forum.php"}, {"/forum.php?gid=1"},
			{"/space-uid-11.html", "/home.php?mod=space&uid=11", "/home.php?mod=space&uid=11&do=profile"},
		}},

		{name: "a thread", typ: "woltlab", whole: true, groups: [][]string{
			{"/forum/thread/12-wax/", "/forum/thread/12-wax/?pageNo=1", "/forum/thread/12/", "/forum/thread/12-bees-wax/?action=firstNew"},
			{"/forum/thread/12-wax/?pageNo=2", "/forum/thread/12/?pageNo=2"},
		}},
		{name: "a thread without rewritten addresses", typ: "woltlab", whole: true, groups: [][]string{
			{"/index.php?thread/12-wax/", "/index.php?thread/12/", "/index.php?thread/12-w/&action=firstNew#post101"},
			{"/index.php?thread/12-wax/&pageNo=2", "/index.php?thread/12/&pageNo=2"},
		}},
		{name: "forums, members", typ: "woltlab", groups: [][]string{{"/board/3-sails/", "/board/3-sail/"}, {"/board/4-masts/"},
			{"/index.php?board/3-sails/"}, {"/user/7-ada/", "/user/7/"}, {"/board-list/"}, {"/"}}},
		{name: "a discussion", typ: "flarum", whole: true, groups: [][]string{
			{"/d/7-lamps", "/d/7", "/d/7-lamps-and-oil", "/d/7-lamps/15", "/d/7-lamps?page=1"}, {"/d/7-lamps?page=2", "/d/7?page=2"}}},
		{name: "lists", typ: "flarum", objects: 3, groups: [][]string{{"/", "/?page=1"}, {"/?page=2"}, {"/t/light"}, {"/tags"}}},

		{name: "a thread", typ: "hyperkitty", whole: true,
			groups: [][]string{{"/list/a@b.c/thread/A1/", "/list/a@b.c/thread/A1/?sort=date"}}},
		{name: "a month", typ: "hyperkitty", whole: true,
			groups: [][]string{{"/list/a@b.c/2024/5/", "/list/a@b.c/2024/5/?page=1"}, {"/list/a@b.c/2024/5/?page=2"}}},
		{name: "a month", typ: "pipermail", groups: [][]string{{"/pipermail/a/2004-March/thread.html", "/pipermail/a/2004-March/date.html",
			"/pipermail/a/2004-March/author.html#3"}, {"/pipermail/a/2004-April/thread.html"}, {"/pipermail/a/2004-March/000001.html"}}},

		{name: "a topic", typ: "bbpress", whole: true, groups: [][]string{
			{"/forums/topic/paint/", "/forums/topic/paint/page/1/", "/forums/topic/paint/?bbp_reply_to=12&_wpnonce=0a1b"},
			{"/forums/topic/paint/page/2/"}}},
		{name: "a topic without rewritten addresses", typ: "bbpress", whole: true,
			groups: [][]string{{"/?topic=paint", "/?topic=paint&paged=1"}, {"/?topic=paint&paged=2"}}},
		{name: "lists", typ: "bbpress", groups: [][]string{{"/forums/"}, {"/forums/forum/boats/"}, {"/forums/forum/boats/oars/"}, {"/"}}},

		{name: "an update", typ: "buddypress", whole: true,
			groups: [][]string{{"/activity/p/150/", "/members/ada/activity/150/", "/activity/p/150/?ac=12"}}},
		{name: "lists", typ: "buddypress", objects: 3, groups: [][]string{{"/activity/", "/activity/?acpage=1"}, {"/activity/?acpage=2"},
			{"/members/", "/members/?upage=1"}, {"/groups/"}}},

		{name: "a topic", typ: "flaskbb", whole: true, groups: [][]string{
			{"/topic/2-boats", "/topic/2", "/topic/2-ships?page=1"}, {"/topic/2-boats?page=2", "/topic/2-ships?page=2"}}},

		{name: "a topic", typ: "phorum", whole: true, groups: [][]string{
			{"/read.php?2,48", "/read.php?2,48,page=1"}, {"/read.php?2,48,page=2"}}},
		{name: "lists and members", typ: "phorum", objects: 4, groups: [][]string{{"/list.php?2", "/list.php?2,page=1"},
			{"/list.php?2,page=2"}, {"/list.php?1"}, {"/profile.php?0,5", "/profile.php?2,5"}, {"/index.php"}}},

		{name: "a ticket", typ: "trac", groups: [][]string{{"/ticket/4", "/ticket/4?replyto=2"}, {"/ticket/5"}}},
		{name: "the start", typ: "trac", groups: [][]string{{"/wiki", "/wiki/WikiStart"}, {"/wiki/Seals"}}},
		{name: "the query", typ: "trac", objects: 3, groups: [][]string{
			{"/query", "/query?status=!closed&order=priority"}, {"/query?page=2", "/query?page=2&status=!closed&order=priority"},
			{"/query?milestone=m1"}, {"/report/1", "/report/1?USER=anonymous&asc=1&sort=ticket"}}},
		{name: "lists", typ: "moinmoin", objects: 4, groups: [][]string{{"/+index", "/+index/"},
			{"/+history", "/+history?page_num=1"}, {"/+history?page_num=2"}, {"/Boats/Hatch"}, {"/Boats/Seal"}}},
		{name: "a question", typ: "question2answer", whole: true, groups: [][]string{
			{"/26", "/26/how-to", "/26/how-to?show=27#c27", "/26/how-to?start=0"}, {"/26/how-to?start=10", "/26?start=10"},
			{"/26/how-to?state=showcomments-29&show=29"}}},
		{name: "without rewriting", typ: "question2answer", whole: true, groups: [][]string{
			{"/?qa=26", "/?qa=26/how-to", "/?qa=26&qa_1=how-to"}, {"/?qa=26/how-to&start=10", "/?qa=26&qa_1=how-to&start=10"}}},
		{name: "index.php", typ: "question2answer", groups: [][]string{{"/index.php/26", "/index.php/26/how-to"},
			{"/index.php?qa=27", "/index.php?qa=27&qa_1=how-to"}, {"/?qa=questions&qa_1=boats"}}},
		{name: "lists", typ: "question2answer", groups: [][]string{
			{"/questions", "/questions?sort=hot"}, {"/questions/boats"}, {"/tag/2020"}}},
	})
}
