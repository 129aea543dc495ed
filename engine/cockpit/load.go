package cockpit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/plugins/conformance"
	"github.com/awarc/awarc/plugins/module"
)

// Bounds of loading a plugin.
const (
	loadTime  = 3 * time.Minute // of the checks
	loadCalls = 400             // in the search for leaks: the least that the checks take
)

// loadedPlugin is a plugin that new crawls may be given.
type loadedPlugin struct {
	File     string
	Manifest *module.Manifest
	Fault    string // why a crawl would refuse it
}

// loadView is the page of plugins to load and those that are there.
type loadView struct {
	Loaded []loadedPlugin
	Fault  string
	Name   string              // of the file that was sent
	Report *conformance.Report // of it
	Kept   bool
}

// shelf shows the plugins that new crawls may be given.
func (c *Cockpit) shelf(w http.ResponseWriter, r *http.Request) {
	c.showShelf(w, r, http.StatusOK, loadView{})
}

func (c *Cockpit) showShelf(w http.ResponseWriter, r *http.Request, status int, v loadView) {
	for _, file := range c.Crawls.Files("plugin") {
		p := loadedPlugin{File: filepath.Base(file)}
		data, err := os.ReadFile(file)
		if err == nil {
			var m *module.Module
			if m, err = module.Verify(data, module.DefaultLimits()); err == nil {
				p.Manifest = &m.Manifest
			}
		}
		if err != nil {
			p.Fault = err.Error()
		}
		v.Loaded = append(v.Loaded, p)
	}
	c.showStatus(w, r, status, "shelf", v)
}

var pluginFile = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*\.wasm$`)

// load puts a plugin that a browser sends in its place if it passes the checks of "awarc plugin test". A crawl that uses the file has the
// new version within seconds, as of any file that changes; what a plugin may only with consent, it still may not.
func (c *Cockpit) load(w http.ResponseWriter, r *http.Request) {
	if c.Plugins == "" {
		c.fail(w, r, http.StatusForbidden, textBeginsNone)
		return
	}
	var v loadView
	status := http.StatusOK
	name, data, err := sentPlugin(r)
	if v.Name = name; err == nil {
		v.Report, err = c.keepPlugin(r.Context(), name, data, r.PostFormValue("replace") != "")
	}
	if v.Kept = err == nil; err != nil {
		v.Fault, status = err.Error(), http.StatusUnprocessableEntity
	}
	c.showShelf(w, r, status, v)
}

// sentPlugin is the file of a form.
func sentPlugin(r *http.Request) (name string, data []byte, err error) {
	f, header, err := r.FormFile("file")
	if err != nil {
		return "", nil, errors.New(textNoPluginFile)
	}
	defer f.Close()
	if name = header.Filename; !pluginFile.MatchString(name) {
		return name, nil, fmt.Errorf("%q: %s", name, textPluginName)
	}
	most := int64(module.DefaultLimits().FileBytes)
	if data, err = io.ReadAll(io.LimitReader(f, most+1)); err == nil && int64(len(data)) > most {
		err = fmt.Errorf(textPluginLarge, most>>20)
	}
	return name, data, err
}

// keepPlugin checks a plugin under a name of its own, then renames it: nobody sees half of it, or one that was not checked.
func (c *Cockpit) keepPlugin(ctx context.Context, name string, data []byte, replace bool) (*conformance.Report, error) {
	select {
	case c.loads <- struct{}{}: // checks take a processor for a while
		defer func() { <-c.loads }()
	default:
		return nil, errors.New(textLoadsOne)
	}
	target := filepath.Join(c.Plugins, name)
	if _, err := os.Lstat(target); err == nil && !replace {
		return nil, fmt.Errorf("%s: %s", name, textPluginThere)
	}
	if err := os.MkdirAll(c.Plugins, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "awarc-plugin-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	ctx, late := context.WithTimeout(ctx, loadTime)
	defer late()
	report, err := conformance.Run(ctx, file, conformance.Options{Calls: loadCalls})
	switch {
	case err != nil:
		return nil, err
	case !report.OK:
		return report, fmt.Errorf("%s: %s", name, textPluginFails)
	}
	return report, durable.WriteFile(target, 0o644, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
}
