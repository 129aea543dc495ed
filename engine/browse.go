package engine

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/form"
	"github.com/awarc/awarc/kb"
)

// browseOf returns the steps that a browser takes on the page of a URL, from the first variant of its
// level that has some.
func browseOf(f *detect.Finding, at *url.URL) []*kb.Step {
	for _, v := range f.Levels {
		steps := slices.DeleteFunc(slices.Clone(v.Browse), func(s *kb.Step) bool { return !s.AppliesTo(at) })
		if len(steps) > 0 {
			return steps
		}
	}
	return nil
}

// browserSteps gives steps as the browser takes them.
func browserSteps(steps []*kb.Step, keywords []string) (all []browser.Step) {
	for _, s := range steps {
		b := browser.Step{Do: string(s.Do), Values: valuesOf(s, keywords), Most: s.Most, Steps: browserSteps(s.Steps, keywords)}
		if s.At != nil {
			b.XPath = s.At.XPath()
		}
		all = append(all, b)
	}
	return all
}

func valuesOf(s *kb.Step, keywords []string) []string {
	if !s.Keywords {
		return s.Values
	}
	return append(s.Values[:len(s.Values):len(s.Values)], keywords...)
}

// mostForms bounds the addresses that the steps of a page make of its forms.
const mostForms = 1000

// formLinks returns the addresses to which steps submit a form with GET. ok is false if they do
// something else, so that a browser is needed.
func formLinks(text fetch.Text, at *url.URL, steps []*kb.Step, keywords []string) (links []extract.Link, ok bool) {
	if !kb.OnlyForm(steps) {
		return nil, false
	}
	s := submission{page: form.Read(text.HTML, text.Charset, at), keywords: keywords}
	ok = s.submit(steps)
	return s.links, ok && len(s.links) > 0
}

type submission struct {
	page     *form.Page
	keywords []string
	links    []extract.Link
}

func (s *submission) submit(steps []*kb.Step) bool {
	step := steps[0]
	found := step.At.Select(s.page.Doc(), nil)
	if len(found) == 0 {
		return false
	}
	f, c := s.page.At(found[0].Node)
	switch {
	case f == nil, c == nil && step.Do != kb.Submit:
		return false
	case step.Do == kb.Submit:
		if c != nil && c.Kind != "submit" && c.Kind != "image" {
			c = nil
		}
		r, err := f.Submit(c)
		if err != nil || r.Method != http.MethodGet {
			return false
		}
		if len(s.links) < mostForms {
			s.links = append(s.links, extract.Link{URL: r.URL})
		}
		return true
	}
	values := valuesOf(step, s.keywords)
	if len(values) == 0 {
		values = c.Options()
	}
	for _, v := range values {
		f.Fill(c.Name, v)
		if !s.submit(steps[1:]) {
			return false
		}
	}
	return true
}
