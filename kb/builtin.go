package kb

import (
	"embed"
	"path"
)

// Version is the version of the built-in knowledge base: it changes when what
// the built-in files say changes in a way that matters to an archive.
const Version = "1"

//go:embed builtin/*.xml services/*.xml
var builtin embed.FS

// The pages of the examples, so that `awarc kb test` can tell what an edit that
// extends a built-in type breaks.
//
//go:embed testdata/*.html testdata/services/*
var examples embed.FS

// Schema is the XML Schema of knowledge bases, for editors.
//
//go:embed awarc-kb.xsd
var Schema []byte

// Builtin gives the sources of the knowledge base that awarc carries.
func Builtin() []Source {
	var sources []Source
	for _, dir := range []string{"builtin", "services"} {
		entries, err := builtin.ReadDir(dir)
		if err != nil {
			panic(err) // the files are part of the program
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			data, err := builtin.ReadFile(name)
			if err != nil {
				panic(err)
			}
			sources = append(sources, Source{Name: name, Data: data, Pages: examples})
		}
	}
	return sources
}
