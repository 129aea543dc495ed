package diff

import (
	"bytes"
	"html/template"
	"io"
	"strings"

	"github.com/awarc/awarc/engine/onepage"
	"github.com/awarc/awarc/engine/quads"
)

var pages = template.Must(template.New("").Parse(`
{{define "counts"}}<table><tr><th></th>
{{range .Kinds}}<th class="n">{{.}}</th>{{end}}<th class="n">same</th></tr>
{{range .Counts}}<tr><td>{{.Class}}</td><td class="n">{{.Appeared}}</td><td class="n">{{.Changed}}</td><td class="n">{{.Vanished}}</td>
<td class="n">{{.Unseen}}</td><td class="n">{{.Same}}</td></tr>
{{end}}</table>
{{end}}{{define "section"}}<h2>{{.Kind}}{{if lt .Shown .All}} (the first {{.Shown}} of {{.All}}){{end}}</h2>
{{end}}{{define "change"}}<article class="{{.Class}}">
<h3>{{.Row.Title}} <span class="small">{{index .Row.Class 0}}</span></h3>
<p class="small">{{.About}} <a href="{{.Row.ID}}">{{.Row.ID}}</a>
{{- with .Reason}}<br>{{.}}{{end}}{{with .Page}}: <a href="{{.}}">{{.}}</a>{{end}}</p>
{{with .Text}}<p>{{.}}</p>{{end}}
{{range .Fields}}<p><b>{{.Name}}</b> {{range .Pieces}}{{if lt .Sign 0}}<del>{{.Text}}</del>{{else if gt .Sign 0}}<ins>{{.Text}}</ins>
{{- else}}{{.Text}}{{end}}{{end}}</p>
{{end}}</article>
{{end}}`))

// kinds are the sections of a page.
var kinds = []Kind{Appeared, Changed, Vanished, Unseen}

// A Page collects changes for one file of HTML.
type Page struct {
	most     int
	sections map[Kind]*section
}

type section struct {
	Kind       Kind
	Shown, All int
	text       bytes.Buffer
}

// NewPage makes a page that shows at most so many changes of each kind.
func NewPage(most int) *Page {
	p := &Page{most, map[Kind]*section{}}
	for _, k := range kinds {
		p.sections[k] = &section{Kind: k}
	}
	return p
}

// Add adds a change.
func (p *Page) Add(c *Change) error {
	s := p.sections[c.Kind]
	if s.All++; s.All > p.most {
		return nil
	}
	s.Shown++
	type compared struct {
		Name   string
		Pieces []Piece
	}
	row := c.Row()
	shown := struct {
		*Change
		Row                *quads.Row
		Class, About, Text string
		Fields             []compared
	}{Change: c, Row: row, Class: strings.Fields(string(c.Kind))[0], About: About(row)}
	for _, f := range c.Fields {
		shown.Fields = append(shown.Fields, compared{f.Name, Around(Words(f.Before, f.After))})
	}
	if c.Kind != Changed {
		shown.Text = ellipsis(row.Content, 1000)
	}
	return pages.ExecuteTemplate(&s.text, "change", shown)
}

// About says in a line who wrote an object, when, and in which thread.
func About(row *quads.Row) string {
	var about []string
	if len(row.Creator) > 0 {
		about = append(about, "by "+strings.Join(row.Creator, ", "))
	}
	if row.Created != "" {
		about = append(about, row.Created)
	}
	if row.Thread != "" && row.ThreadURL != row.ID {
		about = append(about, "in “"+row.Thread+"”")
	}
	return strings.Join(about, ", ")
}

// Write writes the page.
func (p *Page) Write(w io.Writer, title, about string, counts []Counts) error {
	if err := onepage.Begin(w, title, about); err != nil {
		return err
	}
	if err := pages.ExecuteTemplate(w, "counts", struct {
		Kinds  []Kind
		Counts []Counts
	}{kinds, counts}); err != nil {
		return err
	}
	for _, k := range kinds {
		s := p.sections[k]
		if s.All == 0 {
			continue
		}
		if err := pages.ExecuteTemplate(w, "section", s); err != nil {
			return err
		}
		if _, err := s.text.WriteTo(w); err != nil {
			return err
		}
	}
	return onepage.End(w)
}
