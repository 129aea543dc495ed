package kb

import (
	_ "embed"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
)

// neverText is the list of addresses that no crawl follows, with what its notation means.
//
//go:embed never.txt
var neverText string

// neverList is the list by its words, with what the addresses do; the names of parameters that say what to do are apart.
var neverList = sync.OnceValues(func() (does map[string]string, parameters map[string]bool) {
	does, parameters = map[string]string{}, map[string]bool{}
	for line := range strings.Lines(neverText) {
		kind, words, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(kind, "#") {
			continue
		}
		for _, word := range strings.Fields(words) {
			if kind == "parameters" {
				parameters[word] = true
			} else {
				does[plainWord(word)] = kind
			}
		}
	}
	return does, parameters
})

var plainWord = func() func(string) string {
	without := strings.NewReplacer("-", "", "_", "", ".", "", ":", "")
	return func(word string) string { return without.Replace(strings.ToLower(word)) }
}()

var (
	// Permanent addresses of blogs: what follows is a title.
	dated = regexp.MustCompile(`^/(19|20)\d\d/|/(19|20)\d\d/\d\d?/(\d\d?/)?$`)
	// Pictures and such that are named after what a button does are no scripts.
	script = regexp.MustCompile(`(?i)\.(php\d?|aspx?|jsp|do|cgi|pl|cfm|s?html?)$`)
)

// LogsOut is what Never says of addresses that end a session.
const LogsOut = "logs out"

// Never returns what a request of a URL would change on its site, such as "logs out", by the list in never.txt, which is for all
// software; "" for a URL that may be followed.
func Never(u *url.URL) string {
	does, parameters := neverList()
	head, last := path.Split(strings.TrimSuffix(u.EscapedPath(), "/"))
	var words [5]string
	if !dated.MatchString(head) {
		before := path.Base(head)
		name := script.ReplaceAllString(last, "")
		words = [5]string{"/" + last, "/" + name, "/" + before + "/" + last}
		if before != "" && strings.Trim(before, "0123456789") == "" {
			words[3] = name
		}
	}
	for _, word := range words {
		if kind := does[plainWord(word)]; kind != "" {
			return kind
		}
	}
	for pair := range strings.FieldsFuncSeq(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		words = [5]string{name + "=" + value, name + "="}
		if parameters[strings.ToLower(name)] {
			words[2] = value
		}
		if strings.EqualFold(name, "title") {
			words[3] = "/" + value
		}
		for _, word := range words {
			if kind := does[plainWord(word)]; kind != "" {
				return kind
			}
		}
	}
	return ""
}
