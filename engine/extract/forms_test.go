package extract

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
)

// What an address in a page is.
const (
	page      = "a link to a page: always followed"
	requisite = "what a browser loads: followed with --requisites"
	guess     = "what looks like an address: followed with --speculative"
	nothing   = "not looked at"
)

// forms are the ways in which a page can hold the address /x.
var forms = []struct{ class, markup string }{
	{page, `<a href=/x>`}, {page, `<map><area href=/x></map>`}, {page, `<svg><a xlink:href=/x></a></svg>`},
	{page, `<iframe src=/x></iframe>`}, {page, `<frameset><frame src=/x></frameset>`}, {page, `<layer src=/x></layer>`},
	{page, `<portal src=/x></portal>`},
	{page, `<iframe srcdoc="<a href=/x>"></iframe>`}, {page, `<noscript><a href=/x></a></noscript>`},
	{page, `<noframes><a href=/x></a></noframes>`},
	{page, `<template><a href=/x></a></template>`}, {page, `<!--[if IE]><a href=/x><![endif]-->`},
	{page, `<blockquote cite=/x></blockquote>`}, {page, `<q cite=/x></q>`}, {page, `<ins cite=/x></ins>`}, {page, `<del cite=/x></del>`},
	{page, `<img longdesc=/x>`},
	{page, `<link rel=next href=/x>`}, {page, `<link rel=alternate href=/x>`}, {page, `<link rel=canonical href=/x>`},
	{page, `<link rel=help href=/x>`},
	{page, `<meta http-equiv=refresh content="3; url=/x">`},
	{page, "Link: </x>; rel=next"}, {page, "Refresh: 0,/x"}, {page, "Content-Location: /x"},

	{requisite, `<img src=/x>`}, {requisite, `<img srcset="/x 2x">`}, {requisite, `<img lowsrc=/x>`}, {requisite, `<img dynsrc=/x>`},
	{requisite, `<img data-src=/x>`},
	{requisite, `<picture><source srcset="/x 100w"></picture>`}, {requisite, `<input type=image src=/x>`},
	{requisite, `<body background=/x>`}, {requisite, `<table background=/x></table>`}, {requisite, `<table><td background=/x></table>`},
	{requisite, `<audio src=/x></audio>`}, {requisite, `<audio><source src=/x></audio>`}, {requisite, `<video src=/x></video>`},
	{requisite, `<video poster=/x></video>`},
	{requisite, `<video><track src=/x></video>`}, {requisite, `<bgsound src=/x>`}, {requisite, `<embed src=/x>`},
	{requisite, `<object data=/x></object>`}, {requisite, `<object archive=/x></object>`},
	{requisite, `<object codebase=/ data=x></object>`},
	{requisite, `<object><param name=movie value=/x></object>`}, {requisite, `<applet archive=/x></applet>`},
	{requisite, `<applet codebase=/ archive=x></applet>`},
	{requisite, `<script src=/x></script>`}, {requisite, `<svg><image xlink:href=/x></image></svg>`},
	{requisite, `<svg><use href="/x#a"></use></svg>`}, {requisite, `<svg><script xlink:href=/x></script></svg>`},
	{requisite, `<link rel=stylesheet href=/x>`}, {requisite, `<link rel=icon href=/x>`}, {requisite, `<link rel=manifest href=/x>`},
	{requisite, `<link rel=preload href=/x>`},
	{requisite, `<link rel=prefetch href=/x>`}, {requisite, `<link rel=preload imagesrcset="/x 1x">`}, {requisite, `<html manifest=/x>`},
	{requisite, `<meta name=msapplication-config content=/x>`}, {requisite, `<import implementation=/x></import>`},
	{requisite, `<style>b{background:url(/x)}</style>`}, {requisite, `<style>@import "/x"</style>`},
	{requisite, `<style>@font-face{src:url('/x')}</style>`}, {requisite, `<p style="background:url(/x)">`},
	{requisite, `<iframe srcdoc="<img src=/x>"></iframe>`}, {requisite, `<!--[if IE]><script src=/x></script><![endif]-->`},
	{requisite, "Link: </x>; rel=preload"},

	{guess, `<a ping=/x>`}, {guess, `<map><area ping=/x></map>`}, {guess, `<form action=/x></form>`},
	{guess, `<form method=post action=/x><input name=a></form>`}, {guess, `<button formaction=/x>`},
	{guess, `<isindex action=/x>`}, {guess, `<base href=/x>`}, {guess, `<object codebase=/x></object>`},
	{guess, `<applet codebase=/x></applet>`},
	{guess, `<meta http-equiv=content-security-policy content="report-uri /x">`}, {guess, `<meta name=copyright content="<img src='/x'>">`},
	{guess, `<script>load("/x")</script>`}, {guess, `<p onclick="location='/x'">`}, {guess, `<p data-href=/x>`},
	{guess, `<a href="javascript:go('/x')">`},
	{guess, `see /x or not`}, {guess, `<!-- /x -->`}, {nothing, "X-Other: /x"}, {guess, `<link rel=pingback href=/x>`},

	{nothing, `<!DOCTYPE html SYSTEM "/x">`}, {nothing, `<img src="data:image/svg+xml,<image xlink:hr%65f='%2fx'></image>">`},
}

// TestForms has one page for each form and reports which class finds it. A form of a
// class is of no class before it.
func TestForms(t *testing.T) {
	shares := map[string]int{}
	for _, f := range forms {
		shares[f.class]++
		header := http.Header{}
		markup := f.markup
		if name, value, ok := strings.Cut(markup, ": "); ok && !strings.Contains(markup, "<p") && !strings.Contains(markup, "<meta") {
			header.Set(name, value)
			markup = ""
		}
		root, err := html.ParseWithOptions(strings.NewReader(markup), html.ParseOptionEnableScripting(false))
		if err != nil {
			t.Fatal(err)
		}
		p := Page{Doc: yfilter.Document(root, yfilter.Meta{Header: header}), URL: &url.URL{Scheme: "http", Host: "h.example", Path: "/f/"}}
		got := nothing
		for _, by := range []struct {
			class string
			find  func(Page) []Link
		}{{page, AllLinks}, {requisite, Requisites}, {guess, Guesses}} {
			for _, l := range by.find(p) {
				if l.URL == "http://h.example/x" && got == nothing {
					got = by.class
				}
			}
		}
		if got != f.class {
			t.Errorf("%s is %s, want %s", f.markup, got, f.class)
		}
	}
	t.Logf("of %d forms %d are found always, %d more with --requisites, %d more with --speculative", len(forms), shares[page],
		shares[requisite], shares[guess])
}
