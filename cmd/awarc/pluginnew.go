package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/examples"
	"github.com/awarc/awarc/plugins/sdk"
)

type pluginNewCmd struct {
	Lang string `enum:"go,rust,c,assemblyscript" required:"" help:"Language of the project."`
	Kind string `enum:"scorer,extractor" default:"scorer" help:"Kind of plugin."`
	Name string `arg:"" help:"Name of the plugin and of its new folder."`
	Dir  string `placeholder:"DIR" help:"Create this folder (default: the name)."`
}

// projectName is a label of a plugin's name that is a file name and part of an import path.
var projectName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,62}$`)

// Run makes the project: the example of the language under another name, with a copy of
// the SDK, so that it needs nothing but the toolchain.
func (c *pluginNewCmd) Run(s streams) error {
	if !projectName.MatchString(c.Name) {
		return usageError("invalid name %q; expected lower-case letters, digits, '-' and '_', a letter first", c.Name)
	}
	dir := c.Dir
	if dir == "" {
		dir = c.Name
	}
	if _, err := os.Lstat(dir); err == nil {
		return usageError("%s exists already; use another name or --dir", dir)
	}
	if c.Name == "awarc" {
		return usageError("the name awarc is reserved for the SDK; use another name")
	}
	files, err := project(c.Lang, c.Kind, c.Name)
	if err != nil {
		return err
	}
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.out, "%s: %s %s in %s. Build and test it: make -C %s test\n", dir,
		map[string]string{"scorer": "a", "extractor": "an"}[c.Kind], c.Kind, c.Lang, dir)
	return err
}

// sdkFiles are the SDKs that are one file.
var sdkFiles = map[string]string{"c": "c/awarc.h", "rust": "rust/awarc.rs", "assemblyscript": "assemblyscript/awarc.ts"}

// examplesOf are the examples of each kind, behind the language, with their vectors.
var examplesOf = map[string][2]string{"scorer": {"-keywords", "vectors.json"}, "extractor": {"-mentions", "mentions.json"}}

// project returns the files of a new project by their paths in it.
func project(lang, kind, name string) (map[string]string, error) {
	short := strings.Replace(lang, "assemblyscript", "as", 1)
	example := short + examplesOf[kind][0]
	rename := strings.NewReplacer("org.awarc.examples."+example, "org.example."+name, example, name,
		sdkImport, modulePath+name+"/awarc/")
	files := map[string]string{}
	add := func(from fs.FS, dir, to string) error {
		return fs.WalkDir(from, dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(file, "_test.go") {
				return err
			}
			b, err := fs.ReadFile(from, file)
			rest := strings.TrimPrefix(strings.TrimPrefix(file, dir), "/")
			files[path.Join(to, rename.Replace(rest))] = rename.Replace(string(b))
			return err
		})
	}
	if err := add(examples.Files, example, ""); err != nil {
		return nil, err
	}
	scorer := short + examplesOf["scorer"][0]
	build, err := examples.Files.ReadFile(scorer + "/Makefile") // one for both kinds
	if err != nil {
		return nil, err
	}
	files["Makefile"] = strings.ReplaceAll(string(build), scorer, name)
	vectors, err := examples.Files.ReadFile("testdata/" + examplesOf[kind][1])
	if err != nil {
		return nil, err
	}
	files["testdata/vectors.json"] = string(vectors)
	files["plugin.json"] = strings.Replace(files["plugin.json"], `"version": "1.0.0"`, `"version": "0.1.0"`, 1)
	if file, one := sdkFiles[lang]; one {
		b, err := sdk.Files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		files[path.Base(file)] = string(b)
		return files, nil
	}
	files["go.mod"] = "module " + modulePath + name + "\n\ngo 1.24\n"
	if err := add(abi.Files, ".", "awarc/abi"); err != nil {
		return nil, err
	}
	if err := add(sdk.Files, ".", "awarc/sdk"); err != nil {
		return nil, err
	}
	for other, file := range sdkFiles {
		delete(files, path.Join("awarc/sdk", other, path.Base(file)))
	}
	return files, nil
}

// modulePath begins the import path of a project in Go, so that no package of the standard library has its name.
const modulePath = "example.org/"

// sdkImport is how Go packages of the SDK begin; a project has copies of them.
const sdkImport = "github.com/awarc/awarc/plugins/"
