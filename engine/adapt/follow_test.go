package adapt

import "testing"

// TestServicesAreNoList: an empty list of topics has nothing but the menu of the
// site, which must not be taken for its topics.
func TestServicesAreNoList(t *testing.T) {
	for _, c := range []struct {
		urls []string
		want bool
	}{
		{[]string{"http://a.example/search.php?search_id=newposts", "http://a.example/search.php?search_id=unanswered", "http://a.example/search.php?search_id=active_topics"}, true},
		{[]string{"http://a.example/viewtopic.php?t=1", "http://a.example/viewtopic.php?t=2"}, false},
		{[]string{"http://a.example/topic.php?id=masts", "http://a.example/other.php?id=sails"}, false},
		{[]string{"http://a.example/threads/masts.1/", "http://a.example/threads/sails.2/"}, false},
		{[]string{"http://a.example/masts/", "http://a.example/sails/"}, false},
	} {
		if got := services(c.urls); got != c.want {
			t.Errorf("%v: %v, want %v", c.urls, got, c.want)
		}
	}
}
