package yfilter

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Path returns the place of a node in a virtual document, for people: html/body/div[2]/a,
// or http/header[@name='link']; with an attribute's name, .../a/@href. An
// element is counted where its parent has several of its name.
func Path(n *html.Node, attr string) string {
	var steps []string
	if attr != "" {
		steps = append(steps, "@"+attr)
	}
	for ; n != nil && n.Type != html.DocumentNode && !(n.Data == "page" && isRoot(n)); n = n.Parent {
		steps = append(steps, step(n))
	}
	for i, j := 0, len(steps)-1; i < j; i, j = i+1, j-1 {
		steps[i], steps[j] = steps[j], steps[i]
	}
	return strings.Join(steps, "/")
}

func isRoot(n *html.Node) bool { return n.Parent == nil || n.Parent.Type == html.DocumentNode }

func step(n *html.Node) string {
	if n.Type == html.TextNode {
		return "text()"
	}
	if up := n.Parent; up != nil && (up.Data == "http" || up.Data == "url") && up.Parent != nil && isRoot(up.Parent) {
		for _, a := range n.Attr {
			if a.Key == "name" {
				return n.Data + "[@name='" + a.Val + "']"
			}
		}
	}
	at, of := 1, 1
	for s := n.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == n.Type && s.Data == n.Data {
			at++
			of++
		}
	}
	for s := n.NextSibling; s != nil && of == 1; s = s.NextSibling {
		if s.Type == n.Type && s.Data == n.Data {
			of++
		}
	}
	if of == 1 {
		return n.Data
	}
	return n.Data + "[" + strconv.Itoa(at) + "]"
}
