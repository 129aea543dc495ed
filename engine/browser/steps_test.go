package browser

import (
	"slices"
	"strings"
	"testing"
)

// TestSteps: what steps show is in the document, also what a later step took away, and steps that
// show nothing new end.
func TestSteps(t *testing.T) {
	t.Parallel()
	b := start(t, Options{})
	const list = `<ul id=list><li>item 1</li></ul>`
	for name, c := range map[string]struct {
		html  string
		steps []Step
		want  string   // in the document
		log   []string // of the steps
	}{
		"load more": {list + `<button onclick="const n = list.children.length + 1
			if (n < 4) list.insertAdjacentHTML('beforeend', '<li>item ' + n)">`,
			[]Step{{Do: "repeat", Most: 50, Steps: []Step{{Do: "click", XPath: ".//button"}}}},
			"<li>item 1</li><li>item 2</li><li>item 3</li></ul>",
			[]string{"click .//button: 1", "click .//button: 1", "click .//button: 1", "repeat: 2"}},
		"next page replaces": {list +
			`<a onclick="list.n = Math.min((list.n ?? 1) + 1, 3); list.innerHTML = '<li>item ' + list.n">next</a>`,
			[]Step{{Do: "repeat", Most: 50, Steps: []Step{{Do: "click", XPath: ".//a"}}}},
			"<li>item 3</li><li>item 1</li><li>item 2</li></ul>",
			[]string{"click .//a: 1", "click .//a: 1", "click .//a: 1", "repeat: 2"}},
		"search for each value": {list + `<input id=q oninput="document.getElementById('list').innerHTML += '<li>found ' + q.value">`,
			[]Step{{Do: "fill", XPath: ".//input", Values: []string{"oars", "sails"}},
				{Do: "wait", XPath: ".//li[2]", Most: 9}},
			"<li>found oars</li><li>found sails</li>",
			[]string{"fill .//input: 1", "wait .//li[2]: 1", "fill .//input: 1", "wait .//li[2]: 1"}},
		"each option": {list + `<select onchange="list.insertAdjacentHTML('beforeend', '<li>of ' + value)"><option>2024
			<option value=x>2025</select>`,
			[]Step{{Do: "select", XPath: ".//select"}}, "<li>of 2024</li><li>of x</li>",
			[]string{"select .//select: 1", "select .//select: 1"}},
		"hover": {list + `<p onmouseover="list.innerHTML += '<li>shown'">over`, []Step{{Do: "hover", XPath: ".//p"}}, "<li>shown</li>",
			[]string{"hover .//p: 1"}},
		"post": {`<form method=post action=/search><input name=q><button>Go</button></form>`,
			[]Step{{Do: "fill", XPath: ".//input", Values: []string{"oars"}}, {Do: "submit", XPath: ".//button"},
				{Do: "scroll"}},
			"results for POST q=oars", []string{"fill .//input: 1", "submit .//button: 1", "scroll: 1"}},
		"get": {`<form action=/search>still here<input name=q><button>Go</button></form>`,
			[]Step{{Do: "submit", XPath: ".//form"}}, "still here", []string{"submit .//form: 1"}},
	} {
		a := &asked{texts: map[string]string{"/search": "<!doctype html><p>results for "}}
		visit := Visit{URL: "http://app.test/", Document: document("<!doctype html><body>" + c.html), Network: a.echo,
			Plan: func(html string) Plan {
				if !strings.Contains(html, "<body>") {
					t.Errorf("%s: %s", name, html)
				}
				return Plan{Steps: c.steps}
			}}
		p, err := b.Render(t.Context(), visit)
		if err != nil || p.Unsettled || !strings.Contains(p.HTML, c.want) || !slices.Equal(p.Steps, c.log) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		if got := strings.Join(p.Left, " "); (got == "http://app.test/search?q=") != (name == "get") {
			t.Errorf("%s: left for %q", name, got)
		}
	}
}
