// Package layers scores pages by their distance from targets: context graphs (Diligenti, Coetzee,
// Lawrence, Giles and Gori, "Focused crawling using context graphs", VLDB 2000).
//
// The pages of an earlier crawl, or of this one, are the examples. Layer 0 are the targets. Layer 1
// are the pages that link to a target, layer 2 the pages that link to layer 1, and so on. A page
// belongs to the lowest of its layers. Pages beyond the last layer are "other".
//
// # Classifier
//
// Each layer has a naive Bayes classifier, as the paper describes it:
//
//   - The dictionary holds the stems of layers 0 and 1.
//   - A page is reduced to its 40 stems with the highest TF-IDF; the examples are the reference corpus.
//   - The layers have equal prior probabilities. Word probabilities are smoothed by Laplace's rule.
//   - A page belongs to the layer with the highest likelihood, or to "other" if that is below the threshold of the layer.
//
// # Order
//
// The paper has one queue for each layer. The crawler takes links from the lowest layer that has
// any, in the order of their pages' likelihoods. So it follows links of a page that is off topic if
// such pages led to targets (tunnelling). Here a score takes the place of the queues: each layer
// has a band of scores, in which the likelihood sets the place.
//
// The paper obtains the graph from a search engine that lists the pages with links to a page. Here
// it comes from a crawl, which also has the pages without a path to a target. The paper leaves the
// choice of targets to the user. Here each example has a worth, and the targets are the upper of
// the two classes into which Otsu's method splits the worths.
package layers
