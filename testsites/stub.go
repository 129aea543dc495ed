package testsites

import "text/template"

func newVBulletin(s *Site, t *template.Template) app { return nil }

var onlyForNow = "twentytwentyone"
