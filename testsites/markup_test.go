package testsites

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/antchfx/htmlquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// shared is the folder of real pages and mirrors beside the repository; tests that need it are skipped without it.
const shared = "../../shared"

// check says that expressions hold both on a real page and on one of ours.
type check struct {
	cms, template string
	real          string                         // a file below shared/pages, or "MIRROR.warc.xz URL" below shared/sites
	ours          func(*testing.T, *Site) string // URL
	expressions   []string
}

// threadWithPages is the first page of a thread of several; threadsForum the list that it stands in.
func threadWithPages(t *testing.T, s *Site) string {
	for o := range s.Objects(host) {
		if o.Class == "sioc:Thread" && len(o.More) > 0 {
			return o.URL
		}
	}
	t.Fatal("no thread of several pages")
	return ""
}

func threadsForum(t *testing.T, s *Site) string {
	forums := map[string]string{}
	for o := range s.Objects(host) {
		if o.Class == "sioc:Forum" {
			forums[o.ID] = o.URL
		} else if o.Class == "sioc:Thread" && len(o.More) > 0 {
			return forums[o.Parent]
		}
	}
	t.Fatal("no thread of several pages")
	return ""
}

func postWithReplies(t *testing.T, s *Site) string {
	posts, found := map[string]string{}, ""
	for o := range s.Objects(host) {
		if o.Class == "sioct:BlogPost" {
			posts[o.ID] = o.URL
		} else if o.Class == "sioct:Comment" && o.ReplyTo != "" && strings.Contains(o.URL, "comment-page") {
			found = posts[o.Parent]
			break
		}
	}
	if found == "" {
		t.Fatal("no post with answered comments over several pages")
	}
	return found
}

func front(*testing.T, *Site) string { return host + "/" }

func checks() []check {
	const tt1 = "wordpress-6.1-twentytwentyone.warc.xz http://127.0.0.1:8081/"
	const tt3 = "wordpress-6.1-twentytwentythree.warc.xz http://127.0.0.1:8081/"
	const p33 = "phpbb-3.3-prosilver.warc.xz http://127.0.0.1:8082/"
	return []check{
		{"phpbb", "prosilver", p33 + "viewtopic.php?t=81", threadWithPages, []string{
			`//body[@id='phpbb'][contains(@class,'section-viewtopic')]`,
			`//h2[@class='topic-title']/a[starts-with(@href,'./viewtopic.php?t=')]`,
			`//div[@class='action-bar bar-top']/div[@class='pagination']/ul/li[@class='arrow next']/a[@rel='next']`,
			`//div[starts-with(@id,'p')][contains(@class,'post ` +
				`has-profile')]/div[@class='inner']/div[@class='postbody']/div/div[@class='content']`,
			`//dl[@class='postprofile'][starts-with(@id,'profile')]/dt/a[contains(@class,'username')]`,
			`//p[@class='author']/span[@class='responsive-hide']/strong/a`, `//p[@class='author']/time[contains(@datetime,'+00:00')]`,
			`//div[@class='content']/blockquote[starts-with(@cite,'./viewtopic.php?p=')]/div/cite`,
			`//ul[@class='post-buttons']/li/a[contains(@href,'mode=quote')]`,
			`//link[@rel='canonical'][contains(@href,'viewtopic.php?t=')]`, `//span[@class='crumb'][@data-forum-id]/a[@itemprop='item']`,
			`//div[starts-with(@id,'sig')][@class='signature']`,
			`//p[@class='footer-row']/span[@class='footer-copyright']/a[contains(.,'phpBB')]`}},
		{"phpbb", "prosilver", p33 + "viewforum.php?f=5", threadsForum, []string{
			`//h2[@class='forum-title']/a`, `//div[@class='forumbg announcement']//ul[@class='topiclist topics']/li[contains(@class,` +
				`'global-announce')]`,
			`//div[@class='forumbg']//li[starts-with(@class,'row bg')]/dl[starts-with(@class,'row-item ` +
				`')]/dt/div[@class='list-inner']/a[@class='topictitle']`,
			`//div[@class='list-inner']/div[@class='pagination']/ul/li/a[@class='button']`, `//div[contains(@class,'topic-poster')]/time`,
			`//dd[@class='lastpost']/span/time`, `//div[@id='jumpbox']//a[@class='jumpbox-sub-link']`, `//dd[@class='posts']/dfn`,
			`//dd[@class='views']`}},
		{"phpbb", "prosilver", p33, front, []string{
			`//div[@class='forabg']/div[@class='inner']/ul[@class='topiclist forums']/li[@class='row']/dl/dt/div/a[@class='forumtitle']`,
			`//ul[@class='topiclist']/li[@class='header']/dl/dt/div/a`, `//a[contains(@class,'subforum')]`,
			`//div[@class='stat-block statistics']/p/strong`,
			`//a[contains(@href,'sid=')]`, `//dd[@class='lastpost']/span/a[@class='lastsubject']`}},
		{"phpbb", "subsilver2", "phpbb/codjumper.com/*.html", threadWithPages, []string{
			`//p[@class='breadcrumbs']/a[starts-with(@href,'./index.php')]`,
			`//h2/a[@class='titles'][starts-with(@href,'./viewtopic.php?f=')]`,
			`//div[@id='pagecontent']/table[@class='tablebg']/tbody/tr/td/a[starts-with(@name,'p')]`, `//td/b[@class='postauthor']`,
			`//td/div[@class='postbody']`,
			`//td[@class='gensmall']/div/b[contains(.,'Posted')]`, `//td[@class='gensmall']/div/b[contains(.,'Post subject')]`,
			`//span[@class='postbody'][contains(.,'_________________')]`,
			`//a[contains(@href,'posting.php?mode=quote&f=')]`, `//a[contains(@href,'sid=')]`,
			`//td[@class='gensmall'][contains(.,'post')]`}},
		{"vbulletin", "3.8", "vbulletin/mirror-klnet/showthread.php-t=7919.html", threadWithPages, []string{
			`//meta[@name='generator'][starts-with(@content,'vBulletin')]`,
			`//div[@id='posts']//table[starts-with(@id,'post')][@class='tborder']`,
			`//div[starts-with(@id,'postmenu_')]/a[@class='bigusername']`,
			`//td[@class='alt1'][starts-with(@id,'td_post_')]/div[starts-with(@id,'post_message_')]`,
			`//div[@class='pagenav']/table/tbody/tr/td[@class='vbmenu_control'][contains(.,'Page 1 of')]`,
			`//div[@class='pagenav']//a[@class='smallfont'][contains(@title,'Show results')]`,
			`//td[@class='thead']/a[starts-with(@name,'post')]/img[@class='inlineimg']`,
			`//div[starts-with(@id,'post_message_')]//td[@class='alt2']/div/strong`,
			`//td[@class='alt2']/div[@class='smallfont']`, `//div[starts-with(@id,'edit')]`}},
		{"vbulletin", "3.8", "vbulletin/forum.doom9.org/*.html", threadWithPages, []string{
			`//style[@id='vbulletin_css']`, `//script[contains(@src,'clientscript/vbulletin_global.js')]`,
			`//span[@class='navbar']/a[starts-with(@href,'forumdisplay.php')]`,
			`//input[@name='vb_login_md5password']`, `//a[starts-with(@href,'showpost.php?')][starts-with(@id,'postcount')]`,
			`//div[@class='vbmenu_popup'][@id='threadtools_menu']//a[contains(@href,'printthread.php')]`,
			`//a[contains(@href,'goto=nextoldest')]`,
			`//td[@class='vbmenu_control']/a[starts-with(@href,'register.php')]`,
			`//a[contains(@href,'s=')][contains(@href,'showthread.php')]`,
			`//select[@name='f']/optgroup/option[starts-with(@class,'fjdpth')]`}},
		{"vbulletin", "3.8", "vbulletin/mirror-klnet/forumdisplay.php-f=11.html", threadsForum, []string{
			`//table[@id='threadslist']/tbody[starts-with(@id,'threadbits_forum_')]/tr/td[starts-with(@id,` +
				`'td_threadtitle_')]/div/a[starts-with(@id,'thread_title_')]`,
			`//td[starts-with(@id,'td_threadstatusicon_')]/img`,
			`//td[@class='alt2'][starts-with(@title,'Replies:')]/div/span[@class='time']`,
			`//form[@id='inlinemodform']`, `//td[@class='tcat']/span[@class='normal']`, `//td[@class='vbmenu_control'][@id='forumtools']`}},
		{"vbulletin", "4.2", "vbulletin/terraforums.com/autopager-62.html", threadWithPages, []string{
			`//html[@id='vbulletin_html']`, `//meta[@name='vb_meta_bburl']`, `//base[@href]`,
			`//script[contains(@src,'vbulletin-core.js')]`,
			`//ol[@id='posts']/li[starts-with(@id,'post_')][contains(@class,'postcontainer')]`,
			`//div[@class='posthead']/span/span[@class='date']/span[@class='time']`,
			`//div[@class='userinfo']/div[@class='username_container']/div/a[contains(@class,'username')]/strong`,
			`//div[@class='content']/div[starts-with(@id,'post_message_')]/blockquote[starts-with(@class,'postcontent')]`,
			`//span[@class='nodecontrols']/a[@class='postcounter']`,
			`//blockquote[@class='signature restore']/div[@class='signaturecontainer']`,
			`//div[@id='pagetitle']/h1/span[@class='threadtitle']/a`,
			`//form[contains(@class,'pagination')]/span/a[contains(@title,'results')]`,
			`//dl[@class='userinfo_extra']/dt`, `//div[@id='breadcrumb']//li[@class='navbit']/a`,
			`//a[@class='newreply'][contains(@href,'newreply.php')]`,
			`//div[@class='navlinks']/a`, `//div[@id='postpagestats_above']`}},
		{"vbulletin", "4.2", "vbulletin/aussiev8.com.au/autopager-195.html", threadsForum, []string{
			`//div[@id='threadlist']//ol[@id='threads']/li[starts-with(@id,'thread_')][starts-with(@class,'threadbit')]`,
			`//h3[@class='threadtitle']/a[@class='title'][starts-with(@id,'thread_title_')]`,
			`//div[@class='author']/span[@class='label']/a[contains(@class,'username')]`,
			`//dl[@class='threadlastpost td']/dd/span[@class='time']`,
			`//ul[contains(@class,'threadstats')]/li/a[contains(@href,'whoposted')]`, `//dl[@class='pagination']/dd/span/a`,
			`//div[@id='pagetitle']/h1/span[@class='forumtitle']`}},
		{"vbulletin", "4.2", "vbulletin/terraforums.com/formasaurus-www.terraforums.com-0.html", front, []string{
			`//ol[@id='forums']/li[starts-with(@id,'cat')]/ol[@class='childforum']/li[starts-with(@id,'forum')]//h2[@class='forumtitle']/a`,
			`//div[@class='forumlastpost td']//p[@class='lastposttitle']/a`,
			`//ul[@class='forumstats td']/li`, `//p[@class='lastpostdate']/span[@class='time']`, `//div[@id='wgo']`}},
		{"wordpress", "twentytwentyone", tt1, front, []string{
			`//body[contains(@class,'home blog')]`,
			`//main[@id='main']/article[starts-with(@id,'post-')]/header/h2[contains(@class,'entry-title')]/a`,
			`//article[contains(@class,'sticky')]`,
			`//time[contains(@class,'entry-date')][@datetime]`, `//a[@class='more-link']`,
			`//nav[@class='navigation pagination']/div/a[@class='next page-numbers']`,
			`//span[@class='cat-links']/a[@rel='category tag']`, `//meta[@name='generator'][starts-with(@content,'WordPress')]`,
			`//section[contains(@class,'widget_archive')]//li/a`}},
		{"wordpress", "twentytwentyone", tt1 + "2024/02/21/small-notebook-big-apple/", postWithReplies, []string{
			`//article[starts-with(@id,'post-')]/header/h1[@class='entry-title']`, `//article/div[@class='entry-content']/p`,
			`//ol[@class='comment-list']/li[starts-with(@id,'comment-')]/article/div[@class='comment-content']/p`,
			`//li[contains(@class,'depth-1')]/ol[@class='children']/li[contains(@class,'depth-2')]`,
			`//footer[@class='comment-meta']/div[contains(@class,'comment-author')]/b[@class='fn']`,
			`//div[@class='comment-metadata']/a/time[@datetime]`,
			`//a[@class='comment-reply-link'][contains(@href,'replytocom=')]`,
			`//nav[@class='navigation comments-pagination']//a[contains(@href,'/comment-page-')]`,
			`//link[@rel='canonical']`, `//link[@rel='shortlink'][contains(@href,'?p=')]`,
			`//nav[@class='navigation post-navigation']//div[@class='nav-previous']/a[@rel='prev']`,
			`//link[@rel='alternate'][@type='application/json+oembed']`,
			`//span[@class='tags-links']/a[@rel='tag']|//span[@class='cat-links']/a`}},
		{"wordpress", "twentytwentythree", tt3, front, []string{
			`//div[@class='wp-site-blocks']/main//ul[contains(@class,'wp-block-post-template')]/li[starts-with(@class,'wp-block-post ')]`,
			`//h2[@class='wp-block-post-title']/a`,
			`//div[@class='wp-block-post-date']/time/a`, `//p[@class='wp-block-post-excerpt__excerpt']`,
			`//nav[contains(@class,'wp-block-query-pagination')]/a[@class='wp-block-query-pagination-next']`,
			`//ul[@class='wp-block-page-list']//a`}},
		{"wordpress", "twentytwentythree", tt3 + "2024/02/21/small-notebook-big-apple/", postWithReplies, []string{
			`//h1[@class='wp-block-post-title']`, `//div[contains(@class,'wp-block-post-content')][contains(@class,'entry-content')]/p`,
			`//div[@class='wp-block-post-date']/time`,
			`//p[@class='wp-block-post-author__name']`,
			`//ol[@class='wp-block-comment-template']/li[starts-with(@id,'comment-')]//div[@class='wp-block-comment-content']/p`,
			`//ol[@class='wp-block-comment-template']/li/ol/li[contains(@class,'depth-2')]`, `//div[@class='wp-block-comment-author-name']`,
			`//div[@class='wp-block-comment-date']/time/a`,
			`//h3[@id='comments'][@class='wp-block-comments-title']`, `//a[@class='comment-reply-link']`,
			`//div[contains(@class,'wp-block-comments-pagination')]//a[contains(@href,'comment-page-')]`}},
		{"wordpress", "twentyten", "wordpress/taximobility.com/autopager-104.html", front, []string{
			`//div[@id='main']/div[@id='container']/div[@id='content'][@role='main']`,
			`//div[@id='nav-below'][@class='navigation']/div[@class='nav-previous']/a`,
			`//div[starts-with(@id,'post-')][contains(@class,'hentry')]`,
			`//h2[@class='entry-title']/a[@rel='bookmark'][starts-with(@title,'Permalink to')]`,
			`//div[@class='entry-utility']/span[@class='cat-links']/a`,
			`//div[@id='primary'][contains(@class,'widget-area')]`, `//link[@rel='pingback']`, `//link[@rel='profile']`,
			`//div[@class='entry-content']`}},
	}
}

func TestMarkupHoldsOnRealPagesAndOnOurs(t *testing.T) {
	for _, c := range checks() {
		t.Run(c.cms+"-"+c.template+" "+filepath.Base(c.real), func(t *testing.T) {
			s := made(t, c.cms, c.template, Options{Seed: 5, Posts: 800})
			u := c.ours(t, s)
			ours := parse(t, newClient(s, false).get(t, u).body)
			for _, x := range c.expressions {
				if htmlquery.FindOne(ours, x) == nil {
					t.Errorf("not on our page %s: %s", u, x)
				}
			}
			real := realPage(t, c.real)
			for _, x := range c.expressions {
				if htmlquery.FindOne(real, x) == nil {
					t.Errorf("not on the real page: %s", x)
				}
			}
		})
	}
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	r, err := charset.NewReader(strings.NewReader(page), "text/html")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(r)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// realPage reads a saved page, or a page out of a mirror.
func realPage(t *testing.T, name string) *html.Node {
	t.Helper()
	mirror, u, ok := strings.Cut(name, " ")
	if ok {
		return parse(t, mirrored(t, filepath.Join(shared, "sites", mirror), u))
	}
	files, err := filepath.Glob(filepath.Join(shared, "pages", name))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no real page %s here: ours alone was checked", name)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

// mirrored finds the answer for a URL in a packed WARC.
func mirrored(t *testing.T, file, u string) string {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		t.Skipf("no mirror %s here: ours alone was checked", file)
	}
	cmd := exec.CommandContext(t.Context(), "xz", "-dc", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("the mirrors need xz: %v", err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was stopped on purpose
	}()
	in := bufio.NewReaderSize(out, 1<<20)
	target, response, length := "", false, 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("%s is not in %s", u, file)
		}
		line = strings.TrimSpace(line)
		switch name, value, _ := strings.Cut(line, ": "); name {
		case "WARC-Target-URI":
			target = strings.Trim(value, "<>")
		case "WARC-Type":
			response = value == "response"
		case "Content-Length":
			length = atoi(t, value)
		case "":
			if length == 0 {
				continue
			}
			body := make([]byte, length)
			if _, err := io.ReadFull(in, body); err != nil {
				t.Fatal(err)
			}
			if response && target == u {
				return httpBody(t, body)
			}
			length = 0
		}
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			t.Fatalf("not a number: %q", s)
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func httpBody(t *testing.T, raw []byte) string {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
