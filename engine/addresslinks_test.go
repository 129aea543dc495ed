package engine_test

import (
	"slices"
	"strings"
	"testing"
)

// board is a phpBB in a template that no pattern of a level knows.
func board(pages map[string][]string) site {
	s := site{}
	for at, to := range pages {
		s[at] = links(to...) + `<span class="copyright"><a href="http://www.phpbb.com/">phpBB</a></span>`
	}
	return s
}

// TestAddressesLeadThroughAnUnknownTemplate: of pages whose level nobody knows those links are
// followed whose addresses tell a list or a topic. The seed gives all; what else is there
// leads nowhere.
func TestAddressesLeadThroughAnUnknownTemplate(t *testing.T) {
	base := serve(t, board(map[string][]string{
		"/": {"/viewforum.php?f=1", "/viewforum.php?f=2", "/viewforum.php?f=3", "/search.php", "/memberlist.php",
			"/viewtopic.php?p=9#p9", "/viewtopic.php?p=8"},
		"/viewforum.php?f=1": {"/viewtopic.php?t=1", "/viewtopic.php?t=2", "/viewforum.php?f=1&start=25", "/search.php?fid=1",
			"/memberlist.php?mode=viewprofile&u=7"},
		"/viewforum.php?f=1&start=25": {"/viewtopic.php?t=3", "/viewforum.php?f=1"},
		"/viewforum.php?f=2":          {"/ucp.php?mode=login"},
		"/viewforum.php?f=3":          {"/viewtopic.php?p=12"},
		"/viewtopic.php?t=1":          {"/viewtopic.php?t=1&start=10", "/posting.php?t=1"},
		"/viewtopic.php?t=1&start=10": {"/viewtopic.php?t=1"},
		"/viewtopic.php?t=2":          nil,
		"/viewtopic.php?t=3":          nil,
		"/viewtopic.php?p=8":          nil,
		"/viewtopic.php?p=9":          nil,
		"/search.php":                 {"/search.php?by=7", "/viewtopic.php?t=4", "/ucp.php?mode=login"},
		"/viewtopic.php?t=4":          nil,
		"/memberlist.php": {"/memberlist.php?start=50", "/memberlist.php?mode=viewprofile&u=7",
			"/memberlist.php?mode=viewprofile&u=8"},
		"/search.php?by=7":         nil,
		"/search.php?fid=1":        nil,
		"/ucp.php?mode=login":      nil,
		"/memberlist.php?start=50": nil,
		"/posting.php?t=1":         nil,
		"/viewtopic.php?p=12":      nil,
	}))
	w := newWorld(t)
	w.crawl(base + "/")
	var asked []string
	for _, line := range w.asked() {
		asked = append(asked, strings.TrimPrefix(line, "200 "))
	}
	slices.Sort(asked)
	want := []string{"/", "/memberlist.php", "/search.php", "/viewforum.php?f=1", "/viewforum.php?f=1&start=25", "/viewforum.php?f=2",
		"/viewforum.php?f=3",
		"/viewtopic.php?p=8", "/viewtopic.php?p=9", "/viewtopic.php?t=1", "/viewtopic.php?t=1&start=10", "/viewtopic.php?t=2",
		"/viewtopic.php?t=3", "/viewtopic.php?t=4", "404 /robots.txt"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for\n%s\nwant\n%s", strings.Join(asked, "\n"), strings.Join(want, "\n"))
	}
}

// TestOtherAddressesAreFollowed: where a site's addresses are not those that the knowledge
// base knows, pages of unknown level give all their links.
func TestOtherAddressesAreFollowed(t *testing.T) {
	base := serve(t, board(map[string][]string{"/": {"/news", "/talk", "/viewforum.php?f=1"}, "/news": {"/news/1"}, "/news/1": {"/news/2"},
		"/talk": nil, "/news/2": nil, "/viewforum.php?f=1": {"/a"}, "/a": nil}))
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "200 /news", "200 /talk", "200 /viewforum.php?f=1", "200 /news/1", "200 /a", "200 /news/2")
}

// TestListsAloneTellNoSite: blogs have lists of months at the same addresses everywhere, and
// their posts where they like.
func TestListsAloneTellNoSite(t *testing.T) {
	months := []string{"/2019/01/", "/2019/02/", "/2019/03/", "/2019/04/", "/2019/05/"}
	s := site{"/": links(append(months, "/about-us")...), "/about-us": links("/masts"), "/masts": ""}
	for _, m := range months {
		s[m] = links("/sails")
	}
	s["/sails"] = ""
	for at := range s {
		s[at] = `<meta name="generator" content="WordPress 6.1"><body class="x">` + s[at]
	}
	w := newWorld(t)
	w.crawl(serve(t, s) + "/")
	if asked := strings.Join(w.asked(), "\n"); !strings.Contains(asked, "200 /masts") || !strings.Contains(asked, "200 /sails") {
		t.Errorf("asked for\n%s", asked)
	}
}

// TestListInAnUnknownTemplateLeadsOn: a list that an action led to and whose template nobody
// knows is no dead end where addresses tell what it lists; where they tell nothing it is.
func TestListInAnUnknownTemplateLeadsOn(t *testing.T) {
	s := board(map[string][]string{
		"/viewforum.php?f=1":          {"/viewtopic.php?t=1", "/search.php", "/viewforum.php?f=1&start=25"},
		"/viewforum.php?f=1&start=25": {"/viewtopic.php?t=2"},
		"/viewtopic.php?t=1":          nil, "/viewtopic.php?t=2": nil, "/search.php": nil,
	})
	s["/"] = `<a href="/viewforum.php?f=1" class="forumlink">talk</a>` + board(map[string][]string{"": {"/search.php"}})[""]
	w := newWorld(t)
	w.crawl(serve(t, s) + "/")
	w.want("404 /robots.txt", "200 /", "200 /viewforum.php?f=1", "200 /viewtopic.php?t=1", "200 /viewforum.php?f=1&start=25",
		"200 /viewtopic.php?t=2")
}
