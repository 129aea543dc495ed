package testsites

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBoardChangesAsItSays: a page of a topic differs before and after each change that Changes lists, and at no other
// time.
func TestBoardChangesAsItSays(t *testing.T) {
	now := boardEpoch
	site, err := New("phpbb", "prosilver", Options{Seed: 3, Posts: 3000, Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	content := regexp.MustCompile(`(?s)<div id="p\d+"|<div class="(?:content|notice)">.*?</div>`)
	body := func(url string, at time.Time) string {
		now = at
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", url, nil)
		r.Header.Set("Cookie", site.app.(*phpbb).cookie+"_sid=x")
		site.ServeHTTP(w, r)
		return fmt.Sprint(w.Code, " ", content.FindAllString(w.Body.String(), -1))
	}
	changes := site.Changes("http://board.example", boardEpoch.AddDate(7, 0, 0))
	empty := map[bool]int{}
	for _, c := range changes {
		empty[c.Empty]++
	}
	if len(changes) < 400 || empty[true] == 0 {
		t.Fatalf("%d changes, %d of them leave a page without posts", len(changes), empty[true])
	}
	last := map[string]time.Time{}
	for i, c := range changes {
		if i%29 != 0 && !c.Empty {
			last[c.URL] = c.Time
			continue
		}
		before, after := body(c.URL, c.Time.Add(-time.Second)), body(c.URL, c.Time)
		if before == after || c.Empty != strings.HasPrefix(after, "404") {
			t.Errorf("%+v: before %.60q, after %.60q", c, before, after)
		}
		if at, seen := last[c.URL]; seen && body(c.URL, at) != before {
			t.Errorf("%s changed between %v and %v", c.URL, at, c.Time)
		}
		last[c.URL] = c.Time
	}
	if !slices.IsSortedFunc(changes, func(a, b Change) int { return a.Time.Compare(b.Time) }) {
		t.Error("the changes are not in their order")
	}
}
