package graph_test

import (
	"fmt"
	"strings"

	"github.com/awarc/awarc/engine/graph"
)

// A comment of a blog: the account is named by the site, as the page links to no profile.
func ExampleEncode() {
	quads, err := graph.Encode(graph.Capture{
		ID:  "urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02",
		URL: "https://b.example/1",
	}, []graph.Object{{
		Class:  "sioct:Comment",
		ID:     "#c7",
		Parent: "https://b.example/1",
		Fields: []graph.Field{{Name: "creator", Values: []string{"Jo"}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(quads)) {
		fmt.Println(line[:strings.LastIndex(line, " <")]) // without the graph
	}
	// Output:
	// <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/prov#Entity>
	// <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> <http://purl.org/dc/terms/source> <https://b.example/1>
	// <https://b.example/1#c7> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/types#Comment>
	// <https://b.example/1#c7> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Comment>
	// <https://b.example/1#c7> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/ns#Post>
	// <https://b.example/1#c7> <http://rdfs.org/sioc/ns#reply_of> <https://b.example/1>
	// <https://b.example/1> <http://rdfs.org/sioc/ns#has_reply> <https://b.example/1#c7>
	// <https://b.example/1#c7> <http://rdfs.org/sioc/ns#has_creator> <https://b.example/.well-known/genid/acct-Jo>
	// <https://b.example/1#c7> <http://purl.org/dc/elements/1.1/creator> "Jo"
	// <https://b.example/.well-known/genid/acct-Jo> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/ns#UserAccount>
	// <https://b.example/.well-known/genid/acct-Jo> <http://xmlns.com/foaf/0.1/accountName> "Jo"
}
