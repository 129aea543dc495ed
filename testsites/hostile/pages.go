package hostile

import (
	"fmt"
	"strings"
	"time"
)

// good answers a good page, or a fault in its place.
func (v *visit) good(name string) {
	name, _, _ = strings.Cut(name, "/")
	if v.fault() {
		return
	}
	title := strings.ReplaceAll(name, "-", " ")
	if !v.page(title, "<p>"+prose(name, 60)+"</p>\n<p>"+prose(name+" 2", 50)+"</p>\n"+`<p><a href="/">Main page</a></p>`) {
		return
	}
	v.site.mu.Lock()
	defer v.site.mu.Unlock()
	v.site.served[v.host.base+v.target]++
}

// fault draws whether this answer to a good page fails, and lets it. Of two requests in a row for a page one succeeds.
func (v *visit) fault() bool {
	s := v.site
	s.mu.Lock()
	kind := -1
	if v.n%2 == 1 && s.random.Float64() < s.o.Faults {
		kind = s.random.IntN(6)
		s.faults++
	}
	s.mu.Unlock()
	switch kind {
	case 0:
		v.reset()
	case 1:
		v.send("500 Internal Server Error", "text/html", "<p>Something went wrong.</p>", false)
	case 2:
		v.send("503 Service Unavailable\r\nRetry-After: 1", "text/html", "<p>Too busy.</p>", false)
	case 3:
		v.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<title>Cut</title>")
		v.reset()
	case 4:
		v.write("HTTP/1.1 200 O")
		v.stall()
	case 5:
		v.pause(300 * time.Millisecond)
		v.write("")
	}
	return kind >= 0
}

func (v *visit) missing() {
	v.send("404 Not Found", "text/html; charset=utf-8", "<!DOCTYPE html><title>Not found</title><p>There is no such page.</p>", true)
}

// page answers a page of HTML and reports whether it was sent.
func (v *visit) page(title, body string) bool {
	return v.send("200 OK", "text/html; charset=utf-8", document(title, body), true)
}

// document is a page.
func document(title, body string) string {
	return "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>" + title + "</title></head>\n<body>\n<h1>" + title + "</h1>\n" + body +
		"\n</body>\n</html>\n"
}

// behind is the markup that leads to the good page behind the misdeed.
func (v *visit) behind() string {
	return `<p>Further: <a href="/good/behind-` + v.m.Name + `">what is behind ` + v.m.Name + "</a></p>"
}

// body is what the page of a misdeed says, with the link.
func (v *visit) body() string {
	return "<p>" + prose("x "+v.m.Name, 30) + "</p>\n" + v.behind()
}

// document is the whole page of a misdeed.
func (v *visit) document() string { return document("Misdeed "+v.m.Name, v.body()) }

// between names the good pages that are linked between the misdeeds of a host.
func (h *host) between() []string {
	var names []string
	if h.name != "" {
		return []string{"on-" + h.name}
	}
	for _, c := range chapters() {
		for i := range 3 {
			names = append(names, fmt.Sprintf("%s-%d", c.name, i+1))
		}
	}
	return names
}

// mainPage links to the chapters, or to the misdeeds of a host that has no chapters.
func (h *host) mainPage() string {
	var b strings.Builder
	b.WriteString("<p>" + prose("main "+h.name, 40) + "</p>\n<ul>\n")
	if h.name == "" {
		for _, c := range chapters() {
			fmt.Fprintf(&b, "<li><a href=\"/list/%s\">Chapter %s</a></li>\n", c.name, c.name)
		}
	}
	if h.name != "" {
		for _, m := range h.misdeeds {
			b.WriteString(m.item())
		}
		for _, name := range h.between() {
			fmt.Fprintf(&b, "<li><a href=\"/good/%s\">A good page on this host</a></li>\n", name)
		}
	}
	if !h.site.o.Until.IsZero() && (h.name == "" || strings.HasPrefix(h.name, "refuses-")) {
		b.WriteString("<li><a href=\"/chain/0\">A chain</a></li>\n")
	}
	return b.String() + "</ul>"
}

// chapterPage links to the misdeeds of a chapter that are on this host, good pages between them.
func (h *host) chapterPage(name string) string {
	var b strings.Builder
	b.WriteString("<p>" + prose("chapter "+name, 40) + "</p>\n<ul>\n")
	good := 0
	link := func() {
		good++
		fmt.Fprintf(&b, "<li><a href=\"/good/%s-%d\">Good page %d of chapter %s</a></li>\n", name, good, good, name)
	}
	for _, c := range chapters() {
		if c.name != name {
			continue
		}
		link()
		for i, m := range h.listed(c.misdeeds) {
			b.WriteString(m.item())
			if i == 3 {
				link()
			}
		}
		for good < 3 {
			link()
		}
	}
	return b.String() + "</ul>"
}

// listed picks the misdeeds that this host serves.
func (h *host) listed(of []Misdeed) (here []*Misdeed) {
	names := map[string]bool{}
	for _, m := range of {
		names[m.Name] = true
	}
	for _, m := range h.misdeeds {
		if names[m.Name] {
			here = append(here, m)
		}
	}
	return here
}

// item is the link to a misdeed on a list.
func (m *Misdeed) item() string {
	links := m.linked
	if links == nil {
		links = []string{"/x/" + m.Name}
	}
	var b strings.Builder
	for _, to := range links {
		fmt.Fprintf(&b, "<li><a href=\"%s\">%s: %s</a></li>\n", to, m.Name, escaper.Replace(m.Does))
	}
	return b.String()
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
