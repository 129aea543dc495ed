package graph_test

import (
	"fmt"

	"github.com/awarc/awarc/engine/graph"
)

// A comment of a blog: the account is named by the site, as the page links to no profile.
func ExampleEncode() {
	quads, err := graph.Encode(graph.Capture{
		ID:  "urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02",
		URL: "https://blog.example/2026/11/hello",
	}, []graph.Object{{
		Class:  "sioct:Comment",
		ID:     "#comment-7",
		Parent: "https://blog.example/2026/11/hello",
		Fields: []graph.Field{{Name: "creator", Values: []string{"Zoë"}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(quads))
	// Output:
	// <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/prov#Entity> <urn:awarc:meta> .
	// <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> <http://purl.org/dc/terms/source> <https://blog.example/2026/11/hello> <urn:awarc:meta> .
	// <https://blog.example/2026/11/hello#comment-7> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/types#Comment> <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> .
	// <https://blog.example/2026/11/hello#comment-7> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Comment> <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> .
	// <https://blog.example/2026/11/hello#comment-7> <http://rdfs.org/sioc/ns#reply_of> <https://blog.example/2026/11/hello> <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> .
	// <https://blog.example/2026/11/hello> <http://rdfs.org/sioc/ns#has_reply> <https://blog.example/2026/11/hello#comment-7> <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> .
	// <https://blog.example/2026/11/hello#comment-7> <http://rdfs.org/sioc/ns#has_creator> <https://blog.example/#acct-Zo%C3%AB> <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> .
	// <https://blog.example/2026/11/hello#comment-7> <http://purl.org/dc/elements/1.1/creator> "Zoë" <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> .
	// <https://blog.example/#acct-Zo%C3%AB> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://rdfs.org/sioc/ns#UserAccount> <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> .
	// <https://blog.example/#acct-Zo%C3%AB> <http://xmlns.com/foaf/0.1/accountName> "Zoë" <urn:uuid:5b6cbb6e-3d0e-4b64-9a0e-9d7d2a1c7b02> .
}
