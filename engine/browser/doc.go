// Package browser runs the scripts of pages in a Chromium that has no network of its own: each
// request of a page goes to a function of the caller, which fetches, archives or refuses it. WebSockets,
// requests of workers, popups and downloads do not leave the browser; they are counted.
package browser
