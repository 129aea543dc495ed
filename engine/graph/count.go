package graph

import "strconv"

// Count is what a page says of how many things there are, in an object of its own or behind a link: "120 posts", "page 1 of 12",
// "March 2024 (12)".
type Count struct {
	Of     string // the class of the things, or Pages
	Object string // the IRI of what they are in
	N      int
	Label  string // the text of the link to what they are in; may be empty
	// Linked are the IRIs of the things that the page links to, if it is one of the pages of Object.
	Linked []string
}

// Pages is what a count is of that says on how many pages an object is.
const Pages = "page"

// CountProperty is the property that says how many things of a class there are: sioc:num_threads of threads and questions,
// sioc:num_replies of comments and answers, awarc:num_pages of pages, and sioc:num_items of all else.
func CountProperty(of string) string {
	switch of {
	case Pages:
		return NS + "num_pages"
	case "sioc:Thread", "sioct:Question":
		return sioc + "num_threads"
	case "sioct:Comment", "sioct:Answer":
		return sioc + "num_replies"
	}
	return sioc + "num_items"
}

// heldBy is the property of a list for the things of a class in it: threads are containers themselves.
func heldBy(class string) string {
	if class == "sioc:Thread" {
		return sioc + "parent_of"
	}
	return sioc + "container_of"
}

// LabelProperty is the property of the text of a link to what is counted.
const LabelProperty = NS + "label"

// counts says how many things the page says that there are.
func (e *encoder) counts() {
	for _, c := range e.capture.Counts {
		id := e.iri(c.Object)
		e.add(id, CountProperty(c.Of), number(strconv.Itoa(c.N)))
		e.add(id, LabelProperty, text(c.Label))
		for _, thing := range c.Linked {
			e.add(id, heldBy(c.Of), e.iri(thing))
		}
	}
}
