// Package api asks services that answer in JSON, as the knowledge base describes them: which requests a campaign begins with, what an
// answer holds, and which requests follow from it. It makes none itself, but for tokens: a request is a URL of the crawl like others.
//
// # Answers as pages
//
// An answer becomes a tree, by [Tree], over which run the same expressions, objects and fields as over pages: what the API of a site says
// of a post is the object that the page of the post gives.
//
// # Terminology
//
// A service is an API with its description, an operation one kind of request to it. A source is a service as a campaign uses it: at one
// site, with its secret. A query is an operation with arguments, and starts a round; a campaign with an interval repeats its
// rounds.
//
// # Secrets
//
// A secret is read from the environment or a file when it is sent. It is in no address here: package fetch adds it to what crosses the
// wire. What servers repeat in their answers is beyond this.
package api
