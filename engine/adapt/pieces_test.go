package adapt

import (
	"fmt"
	"strings"
	"testing"
)

// rowsBoard writes a topic as phpBB 2 does, a post in three rows of one table, with names
// that no knowledge base knows. Some posts begin with a quotation, which stands between two
// pieces of their text; each ends with a signature.
// more is what else stands beside an author.
func rowsBoard(more string) string {
	body := topicOf(func(i int, name, text string) string {
		quotation := ""
		if i%3 == 1 {
			quotation = fmt.Sprintf(`</span><table><tr><td class="qq">%d is what nobody asked for.</td></tr></table><span class="pb">`,
				70+i)
		}
		return fmt.Sprintf(`<tr><td class="r1"><span class="nn"><a name="%d"></a><b>%s</b></span></td><td class="r1">`+
			`<span class="dd">Posted: %d May 2019, 10:0%d</span></td></tr>
<tr><td class="r2" valign="top"><span class="dd">Joined: %d March 2011<br>Posts: %d<br>Location: berth %[6]d%[10]s</span></td>
<td class="r2" valign="top"><table><tr><td>`+
			`<span class="pb">%[7]s Or so the chandler of %[8]d told us when the fleet came in, and he has sold rope for longer than any`+
			` of us has sailed.%[9]s He said.<br>_________________<br>Fair winds to you.</span></td></tr></table></td></tr>
<tr><td>Up</td><td><a href="profile.php?mode=viewprofile&u=%[5]d"><img src="p.gif"></a></td></tr>`,
			600+i, name, i+1, i, 10+i, 40+7*i, text, 1950+11*i, quotation, fmt.Sprintf(more, i))
	})
	return strings.NewReplacer("</h2>", "</h2><table>", "</body>", "</table></body>").Replace(body)
}

func TestContentThatAQuotationParts(t *testing.T) {
	for _, more := range []string{"%.0d", ", yard %d0"} {
		_, contents := readBoard(t, rowsBoard(more))
		for i, c := range contents {
			if !strings.HasPrefix(c, fmt.Sprintf("Number %d says", i)) || !strings.HasSuffix(c, "He said.") || i%3 == 1 &&
				!strings.Contains(c, "nobody asked") {
				t.Errorf("post %d is %q", i, c)
			}
		}
	}
}
