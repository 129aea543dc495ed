package kb

import (
	"net/url"
	"testing"
)

// Addresses of real software that change something are never followed, and pages about the same words are.
func TestNever(t *testing.T) {
	for address, want := range map[string]string{
		"/ucp.php?mode=logout&sid=0":                         "logs out",
		"/login.php?do=logout&logouthash=1":                  "logs out",
		"/index.php?action=logout;sesc=12":                   "logs out",
		"/member.php?action=logout&logoutkey=1":              "logs out",
		"/wp-login.php?action=logout&_wpnonce=2":             "logs out",
		"/user/logout":                                       "logs out",
		"/logout/?t=1":                                       "logs out",
		"/w/index.php?title=Special:UserLogout":              "logs out",
		"/wiki/Special:Logout":                               "logs out",
		"/posting.php?mode=delete&f=2&p=7":                   "deletes",
		"/index.php?action=deletemsg;topic=1":                "deletes",
		"/comments/12/delete":                                "deletes",
		"/vote?id=7&how=up&auth=x":                           "votes",
		"/posts/12/like":                                     "votes",
		"/report.php?p=4":                                    "reports",
		"/app.php/post/12/report":                            "reports",
		"/subscription.php?do=addsubscription&t=3":           "subscribes",
		"/viewtopic.php?f=2&t=3&watch=topic&hash=1":          "subscribes",
		"/shop/?add-to-cart=99":                              "buys",
		"/viewforum.php?f=2&mark=topics":                     "marks as read",
		"/2024/05/how-to-log-out/":                           "",
		"/tag/vote/":                                         "",
		"/logout-of-everything.html":                         "",
		"/wiki/Help:Logout":                                  "",
		"/viewtopic.php?t=3&p=12":                            "",
		"/showthread.php?t=9&mode=hybrid":                    "",
		"/report/":                                           "",
		"/products/12/":                                      "",
		"/search?q=delete+post":                              "",
		"/index.php?topic=12.0":                              "",
		"/forum/subscribe-to-our-newsletter-and-vote.12/":    "",
		"/2024/05/12/thanks/":                                "",
		"/2024/report":                                       "",
		"/blog/2024/05/sign-off/":                            "",
		"/images/logout.gif":                                 "",
		"/posts/2014/delete":                                 "deletes",
		"/comments/12/delete.php":                            "deletes",
		"/2019/delete-facebook/":                             "",
		"/index.php?option=com_content&task=view&id=5":       "",
		"/node/12/revisions":                                 "",
		"/index.php?action=profile;u=3;area=showposts;view=": "",
	} {
		u, err := url.Parse("http://a.example" + address)
		if err != nil {
			t.Fatal(err)
		}
		if got := Never(u); got != want {
			t.Errorf("%s %q, want %q", address, got, want)
		}
	}
}
