package testsites

// pager is the list of page links under a list; URLs are escaped.
type pager struct {
	Page, Pages int
	Total, Per  int
	link        func(page int) string
	numbers     func(page, pages int) []int
}

// pageLink is one entry of a pager; N is 0 for the gap that is left out.
type pageLink struct {
	N       int
	URL     string
	Current bool
}

// Links lists the entries.
func (p pager) Links() []pageLink {
	var out []pageLink
	for _, n := range p.numbers(p.Page, p.Pages) {
		l := pageLink{N: n, Current: n == p.Page}
		if n > 0 {
			l.URL = p.link(n)
		}
		out = append(out, l)
	}
	return out
}

// Prev, Next, First and End return the URLs of other pages; "" if there is none.
func (p pager) Prev() string {
	if p.Page <= 1 {
		return ""
	}
	return p.link(p.Page - 1)
}

func (p pager) Next() string {
	if p.Page >= p.Pages {
		return ""
	}
	return p.link(p.Page + 1)
}

func (p pager) First() string { return p.link(1) }
func (p pager) End() string   { return p.link(p.Pages) }

// From and To return the numbers of the first and last entry of the page; FromOf and ToOf return
// them for another page.
func (p pager) From() int           { return p.FromOf(p.Page) }
func (p pager) To() int             { return p.ToOf(p.Page) }
func (p pager) FromOf(n int) int    { return (n-1)*p.Per + 1 }
func (p pager) ToOf(n int) int      { return min(n*p.Per, p.Total) }
func (p pager) Plus(a, b int) int   { return a + b }
func (p pager) InWindow(n int) bool { return n >= 1 && n <= p.Pages }

// phpbbNumbers are the pages that phpBB offers: the first, two on each side of the current one, the
// last.
func phpbbNumbers(page, pages int) []int {
	if pages <= 5 {
		return upTo(1, pages)
	}
	from := min(max(1, page-2), pages-4)
	to := max(min(pages, page+2), 5)
	return gapped(from, to, pages)
}

// tailNumbers are the pages behind a topic's title in a phpBB list: the first and the last five.
func tailNumbers(pages int) []int {
	if pages <= 6 {
		return upTo(1, pages)
	}
	return gapped(pages-4, pages, pages)
}

// gapped is 1, from..to, pages with 0 where numbers are left out.
func gapped(from, to, pages int) []int {
	var out []int
	if from > 1 {
		out = append(out, 1)
	}
	if from > 2 {
		out = append(out, 0)
	}
	out = append(out, upTo(from, to)...)
	if to < pages-1 {
		out = append(out, 0)
	}
	if to < pages {
		out = append(out, pages)
	}
	return out
}

func upTo(from, to int) []int {
	var out []int
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}
