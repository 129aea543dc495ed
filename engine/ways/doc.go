// Package ways learns which links of a site lead to what a crawl looks for: new text, a topic, or files and records of a kind.
//
// ACEBot (Faheem and Senellart, "Adaptive Web Crawling through Structure-Based Link Classification", ICADL 2015) looks at a sample of a
// site, finds which paths from the root of a page to a link lead to what says something new, and follows those. iRobot (Cai, Yang, Lai,
// Wang and Zhang, WWW 2008) does the same with clusters of pages and the shapes of addresses. Both learn once, before they crawl, and
// what they do not choose they never fetch. Here it is learned while the site is crawled, and decides about the order alone.
//
// # Terminology
//
// A way is what is known of a link before its page is: its place, which is the path of elements from the root to it with their classes,
// and the shape of its address, in which what varies is left out. The text of a page is counted in runs of ten words within a block;
// what the site said before is no new text.
//
// # Value
//
// What a page is worth is what it says itself and what the pages that it leads to say, for each request that this takes. So the value of
// a way is the highest rate at which text comes when a page of it is fetched, and of what its pages newly lead to the part that keeps the
// rate up. That is the index of a branching bandit (Weiss, "Branching bandit processes", 1988), here for a fixed row of rates, the
// levels: at each, the surplus over the rate is the page's own and all positive ones of the ways of its new links. A way of which little
// is known is taken to be like all that have its shape, these to be like all that have its script or folder, those to be like all
// that differ in titles alone, and these like the site. What stands in a folder beside many others is a title: so /tag/boats/feed and
// /tag/wood/feed are alike, and /wiki/feed and /forum/feed are not.
//
// A way is unproductive where a page of it was read, and enough of what it is like, and they say next to nothing; or where so many others
// that are like the same were tried, and none says more.
//
// # Reward
//
// The learner takes any [Reward] of an answer: new text, a target of the user that is new, or a score by a topic, its entities or plugins.
// Order and stopping are the same for all of them.
//
// What was seen long ago counts less and less, since a way that repeats what others say is found out when these were followed.
package ways
