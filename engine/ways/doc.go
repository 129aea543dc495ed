// Package ways learns which links of a site lead to what a crawl looks for: new text, a topic, or
// files and records of a kind.
//
// ACEBot (Faheem and Senellart, "Adaptive Web Crawling through Structure-Based Link
// Classification", ICADL 2015) reads a sample of a site, finds the paths from the root of a page to
// links that lead to new text, and follows these links. iRobot (Cai, Yang, Lai, Wang and Zhang, WWW
// 2008) does the same with clusters of pages and the shapes of addresses. Both learn once, before
// they crawl, and never fetch the rest. This package learns during the crawl, and its estimates
// decide about the order alone.
//
// # Terminology
//
// A link pattern (way in the code) is the place of a link and the shape of its address. The place
// is the path of elements from the root, with their classes. The shape is the address without
// numbers and titles. The text of a page is counted in runs of ten words within a block; text that
// the site had before is not new.
//
// # Value
//
// The value of a page is its own reward and the rewards of the pages that it leads to, for each
// request that this takes. So the value of a link pattern is the highest rate of reward over a page
// of it and the part of the pages behind it that keeps the rate up. This is the index of a
// branching bandit (Weiss, "Branching bandit processes", 1988), here for a fixed row of rates, the
// levels. At each level, the surplus over the rate is the page's own and all positive ones of the
// patterns of its new links.
//
// A pattern with few pages is taken to be like all patterns of its shape, these like all of their
// outline (script or folder), these like all that differ in titles alone, and these like the site.
// A name that stands in a folder beside many others is a title: so /tag/boats/feed and
// /tag/wood/feed are alike, and /wiki/feed and /forum/feed are not.
//
// A pattern is unproductive if a page of it was read, and enough pages like it, with almost no
// reward; or if many patterns like it were tried, each with almost no reward.
//
// # Reward
//
// The learner takes any [Reward] of an answer: new text, a new target of the user, or a score by a
// topic, its entities or plugins. Order and stopping are the same for all of them.
//
// Old pages count less and less. So a pattern that repeats the text of others is found out when
// these were followed.
package ways
