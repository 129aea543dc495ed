// Package adapt mends what a page's template broke: section 6 of Faheem &
// Senellart (2013).
package adapt
