package corpora

import (
	"cmp"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// fromGo are made of what is in a Go tree: its sources, its history of interfaces and a book. Where the tree is
// not there, as with a binary that was copied, there are none.
func fromGo() []Corpus {
	root := build.Default.GOROOT
	if _, err := os.Stat(filepath.Join(root, "src/testdata/Isaac.Newton-Opticks.txt")); err != nil {
		return nil
	}
	return []Corpus{
		{"source code", 1000, func(pages int) *site { return source(filepath.Join(root, "src"), pages) }},
		{"book by page", 550, func(pages int) *site {
			return book(filepath.Join(root, "src/testdata/Isaac.Newton-Opticks.txt"), pages)
		}},
		{"interfaces by version", 1800, func(pages int) *site { return interfaces(filepath.Join(root, "api"), pages) }},
	}
}

// mustRead reads a file that was there a moment ago.
func mustRead(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func source(dir string, pages int) *site {
	s := &site{
		name:   "go.git/src",
		layout: "terminal",
		intro:  pre("Index of /src"),
		words:  labels{next: "next file", up: "tree", home: "[root]"},
		index:  index{at: func(int) string { return "/tree/" }, form: bullets},
	}
	var files []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "cmd"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || filepath.Dir(name) == dir:
			return nil
		}
		files = append(files, name)
		return nil
	})
	if err != nil {
		panic(err)
	}
	slices.SortFunc(files, func(a, b string) int { // folder by folder
		return cmp.Or(cmp.Compare(filepath.Dir(a), filepath.Dir(b)), cmp.Compare(a, b))
	})
	var folders []string
	for _, name := range files[:min(len(files), pages)] {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			panic(err) // it was found below
		}
		rel = filepath.ToSlash(rel)
		folders = append(folders, path.Dir(rel)+"/")
		s.add("/blob/"+rel+"?h=master", rel, func() string {
			lines := strings.SplitAfter(mustRead(name), "\n")
			return pre(strings.Join(lines[:min(len(lines), 120)], ""))
		})
	}
	s.index.shelf = func(i int) (string, string) { return "/tree/" + folders[i] + "?h=master", folders[i] }
	return s
}

// book is a printed book on screen, twenty lines a page.
func book(file string, pages int) *site {
	s := &site{
		name:   "Opticks: or, a Treatise",
		layout: "docs",
		intro:  para("By Sir Isaac Newton. The fourth edition, 1730."),
		back:   true,
		words:  labels{next: "Next page", prev: "Previous page", up: "Contents"},
		index:  index{at: func(int) string { return "/opticks" }, form: bareNumbers},
		absent: open,
		step:   1,
	}
	lines := strings.SplitAfter(mustRead(file), "\n")
	for i := range min(pages, len(lines)/15) {
		s.add(
			fmt.Sprintf("/opticks?page=%d", i+1),
			fmt.Sprintf("Page %d", i+1),
			func() string { return pre(strings.Join(lines[i*15:(i+1)*15], "")) },
		)
	}
	return s
}

// interfaces lists functions and constants that came with a version, a few on each page.
func interfaces(dir string, pages int) *site {
	s := &site{
		name:   "API history",
		layout: "docs",
		intro:  para("Ten declarations a page."),
		words:  labels{next: "More", up: "Versions"},
		index:  index{at: func(int) string { return "/api/" }, form: inline},
	}
	files, err := filepath.Glob(filepath.Join(dir, "go1.*.txt"))
	if err != nil {
		panic(err) // only of a wrong pattern
	}
	var versions []string
	for _, file := range files {
		version := strings.TrimSuffix(filepath.Base(file), ".txt")
		for chunk := range slices.Chunk(strings.Split(strings.TrimSpace(mustRead(file)), "\n"), 10) {
			if n := len(s.items); n < pages {
				versions = append(versions, version)
				s.add(
					fmt.Sprintf("/api/%s?n=%d", version, n),
					fmt.Sprintf("%s/%d", version, n),
					func() string { return pre(strings.Join(chunk, "\n")) },
				)
			}
		}
	}
	s.index.shelf = func(i int) (string, string) { return "/api/" + versions[i], versions[i] }
	return s
}
