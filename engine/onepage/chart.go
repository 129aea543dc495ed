package onepage

import (
	"html/template"
	"io"
)

// A Bar is a number of a chart, of which a part may be shown apart: what is saved of what there is.
type Bar struct {
	Label string
	N     int
	Part  int    // of N; N where nothing is shown apart
	Text  string // the number as people read it; N where it is empty
	Link  string // of the label; may be empty
}

var charts = template.Must(template.New("").Parse(`
{{define "bars"}}<table class="chart"><caption>{{.Caption}}</caption>
<thead><tr><th scope="col">{{.Of}}</th><th scope="col" class="n">{{.Unit}}</th><td></td></tr></thead>
<tbody>{{range .Bars}}<tr><th scope="row">{{if .Link}}<a href="{{.Link}}">{{.Label}}</a>{{else}}{{.Label}}{{end}}</th><td class="n">
{{- if .Text}}{{.Text}}{{else}}{{.N}}{{end}}</td><td class="bar"><svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
{{- "" -}}
<rect class="rest" width="{{.Whole}}" height="10"/><rect width="{{.Share}}" height="10"/></svg></td></tr>
{{end}}</tbody></table>
{{end}}{{define "columns"}}<figure><figcaption>{{.Caption}}</figcaption>
<svg class="columns" role="img" aria-label="{{.Caption}}: the table below has the numbers" viewBox="0 0 {{.Width}} 100"
 preserveAspectRatio="none">
{{- range .Columns}}<rect x="{{.X}}" y="{{.Y}}" width="9" height="{{.Height}}"><title>{{.Label}}: {{.N}}</title></rect>{{end}}</svg>
{{with .Columns}}<p class="axis" aria-hidden="true"><span>{{(index . 0).Label}}</span>
<span>{{$.Unit}}, at most {{$.Highest}}</span><span>{{(index . $.Last).Label}}</span></p>{{end}}
<details><summary>Numbers</summary><table><thead><tr><th scope="col">{{.Of}}</th><th scope="col" class="n">{{.Unit}}</th></tr></thead>
<tbody>{{range .Columns}}<tr><th scope="row">{{.Label}}</th><td class="n">{{.N}}</td></tr>
{{end}}</tbody></table></details></figure>
{{end}}`))

// Bars writes a table of numbers with a bar beside each, the longest for the highest number. of says what the labels are, unit what is
// counted.
func Bars(w io.Writer, caption, of, unit string, bars []Bar) error {
	type shown struct {
		Bar
		Whole, Share float64
	}
	highest := 1
	for _, b := range bars {
		highest = max(highest, b.N)
	}
	var all []shown
	for _, b := range bars {
		all = append(all, shown{b, 100 * float64(b.N) / float64(highest), 100 * float64(b.Part) / float64(highest)})
	}
	return charts.ExecuteTemplate(w, "bars", map[string]any{"Caption": caption, "Of": of, "Unit": unit, "Bars": all})
}

// Columns writes a chart of numbers that follow each other, as over time, with a table of them.
func Columns(w io.Writer, caption, of, unit string, columns []Bar) error {
	type shown struct {
		Bar
		X, Y, Height float64
	}
	highest := 1
	for _, c := range columns {
		highest = max(highest, c.N)
	}
	var all []shown
	for i, c := range columns {
		h := 100 * float64(c.N) / float64(highest)
		all = append(all, shown{c, float64(10 * i), 100 - h, h})
	}
	return charts.ExecuteTemplate(w, "columns", map[string]any{"Caption": caption, "Of": of, "Unit": unit, "Columns": all,
		"Width": 10 * max(1, len(columns)), "Highest": highest, "Last": len(all) - 1})
}
