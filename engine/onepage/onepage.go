// Package onepage writes pages of HTML that are one file, open from disk, and ask for nothing from the network: a policy in them forbids
// it. Results of awarc that are looked at in a browser all have its style.
package onepage

import (
	_ "embed"
	"html/template"
	"io"
)

// Style is the style of the pages, which uses no variables but its own.
//
//go:embed onepage.css
var Style string

var frame = template.Must(template.New("").Parse(`{{define "begin"}}<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<style>{{.Style}}</style></head><body><main>
<h1>{{.Title}}</h1>
<p class="about">{{.About}}</p>
{{end}}{{define "end"}}</main></body></html>
{{end}}`))

// Begin writes the beginning of a page, with its title and what it is about.
func Begin(w io.Writer, title, about string) error {
	return frame.ExecuteTemplate(w, "begin", struct {
		Title, About string
		Style        template.CSS
	}{title, about, template.CSS(Style)})
}

// End writes its end.
func End(w io.Writer) error { return frame.ExecuteTemplate(w, "end", nil) }
