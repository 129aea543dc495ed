package crawl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/kb"
)

// seedsNamed is how many seeds the warcinfo record of each file names.
const seedsNamed = 20

// archiveOptions are those of the archive.
func (o Options) archiveOptions() archive.Options {
	return archive.Options{Prefix: o.WARCPrefix, MaxSize: o.WARCSize, MinSpace: o.MinSpace, NoRevisits: o.NoDedupe,
		Earlier: Generations(o.Previous), Dedupe: o.Dedupe}
}

// archiveInfo is what each file of the archive says that it was made with.
func (c *Crawl) archiveInfo() map[string]string {
	o := c.settings.Flags
	host, _ := os.Hostname() // left out when unknown
	robots := "obey (RFC 9309)"
	if o.IgnoreRobots {
		robots = "ignore"
	}
	seeds := strings.Join(c.settings.Seeds[:min(len(c.settings.Seeds), seedsNamed)], " ")
	if more := len(c.settings.Seeds) - seedsNamed; more > 0 {
		seeds += fmt.Sprintf(" and %d more", more)
	}
	var plugins []string
	if c.plugins != nil {
		for _, p := range c.plugins.Plugins() {
			plugins = append(plugins, fmt.Sprintf("%s@%s sha256:%s", p.Name, p.Version, p.Hash))
		}
	}
	knowledge := ""
	if !o.Blind {
		knowledge = kb.Version + " " + c.rules.get().Hash
	}
	info := map[string]string{
		"software": o.software(), "hostname": host, "robots": robots, "http-header-user-agent": c.fetcher.UserAgent(),
		"operator": o.Contact, "isPartOf": c.settings.CrawlID, "description": "seeds: " + seeds, "awarc-kb": knowledge,
		"awarc-plugins": strings.Join(plugins, ", "), "awarc-settings": string(c.settings.public().brief()),
	}
	for name, value := range info {
		if value == "" {
			delete(info, name)
		}
	}
	return info
}

// public are the settings without what may be secret: passwords of proxies, and what plugins are configured with.
func (s Settings) public() Settings {
	withheld := s.Flags.Withheld
	new(secrets).take(&s.Flags)
	s.Flags.Withheld = withheld
	return s
}

// brief are the flags that say something, as JSON in a line.
func (s Settings) brief() []byte {
	flags := map[string]any{}
	data, err := json.Marshal(s.Flags)
	if err == nil {
		err = json.Unmarshal(data, &flags)
	}
	for name, value := range flags {
		switch v := value.(type) {
		case nil:
			delete(flags, name)
		case bool, string, float64:
			if v == false || v == "" || v == "0" || v == 0.0 {
				delete(flags, name)
			}
		}
	}
	if err == nil {
		data, err = json.Marshal(flags)
	}
	if err != nil {
		return nil // strings and numbers
	}
	return data
}

// What the archive says of itself, in resource records.
const (
	resourceRoot     = "urn:awarc:"
	resourceSettings = resourceRoot + "settings.json"
	resourceKB       = resourceRoot + "kb/"
	resourceLog      = resourceRoot + "log/"
)

// described are the settings as the archive has them.
type described struct {
	Settings
	KB string `json:",omitempty"` // hash of the knowledge base
}

// describe puts what the archive was made with into it: settings, knowledge base with what was learned, topic, rules of scope, and logs, so
// that who has the archive alone can repeat what was made of it.
func (c *Crawl) describe() error {
	settings := described{Settings: c.settings.public()}
	var resources []archive.Resource
	if !settings.Flags.Blind {
		sources, err := c.store().Sources()
		if err != nil {
			return err
		}
		settings.KB = kb.Hash(sources...)
		for name, data := range kb.FileNames(sources) {
			resources = append(resources, inMemory(resourceKB+name, "application/xml", data))
		}
	}
	data, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return err
	}
	resources = append([]archive.Resource{inMemory(resourceSettings, "application/json", data)}, resources...)
	if len(c.scopeData) > 0 {
		resources = append(resources, inMemory(resourceRoot+"scope.yaml", "application/yaml", c.scopeData))
	}
	for _, of := range []struct{ file, uri, mime string }{
		{topicFile, resourceRoot + "topic.json", "application/json"},
		{"log/crawl.jsonl", resourceLog + "crawl.jsonl", "application/x-ndjson"},
		{"log/adaptation.jsonl", resourceLog + "adaptation.jsonl", "application/x-ndjson"},
		{"log/plugins.1.jsonl", resourceLog + "plugins.1.jsonl", "application/x-ndjson"},
		{"log/plugins.jsonl", resourceLog + "plugins.jsonl", "application/x-ndjson"},
	} {
		f, err := os.Open(filepath.Join(c.dir, of.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it is read
		info, err := f.Stat()
		if err != nil {
			return err
		}
		resources = append(resources, archive.Resource{URI: of.uri, MIME: of.mime, Data: f, Size: info.Size()})
	}
	return c.archive.Describe(resources)
}

func inMemory(uri, mime string, data []byte) archive.Resource {
	return archive.Resource{URI: uri, MIME: mime, Data: bytes.NewReader(data), Size: int64(len(data))}
}

// longestResource bounds what is read of a resource record, in bytes.
const longestResource = 64 << 20

// Archived reads from WARC files what a crawl put there of itself: its settings, and the files of its knowledge base with what it learned.
// Several crawls must have had the same; the settings of the last are returned.
func Archived(files []string) (s Settings, sources []kb.Source, err error) {
	hash := ""
	for _, file := range files {
		if !strings.HasSuffix(file, archive.MetaSuffix) {
			continue
		}
		d, theirs, err := archivedIn(file)
		if err != nil {
			return s, nil, fmt.Errorf("%s: %w", file, err)
		}
		theirHash := kb.Hash(theirs...)
		switch {
		case d.KB != "" && d.KB != theirHash:
			return s, nil, fmt.Errorf("%s: files of the knowledge base are missing: restore the archive file from a copy", file)
		case hash != "" && hash != theirHash:
			return s, nil, fmt.Errorf("%s belongs to another crawl with another knowledge base: name the archive of one crawl", file)
		}
		s, sources, hash = d.Settings, theirs, theirHash
	}
	if hash == "" {
		return s, nil, fmt.Errorf("no file *%s with the knowledge base; awarc writes it at the end of a crawl",
			archive.MetaSuffix)
	}
	return s, sources, nil
}

// archivedIn reads one file.
func archivedIn(file string) (d described, sources []kb.Source, err error) {
	found := false
	wanted := func(uri string) bool { return uri == resourceSettings || strings.HasPrefix(uri, resourceKB) }
	err = archive.Resources(file, longestResource, wanted, func(uri string, data []byte) error {
		if uri != resourceSettings {
			sources = append(sources, kb.Source{Name: strings.TrimPrefix(uri, resourceRoot), Data: data})
			return nil
		}
		found = true
		return json.Unmarshal(data, &d)
	})
	if err == nil && !found {
		err = errors.New("its settings are missing: restore the file from a copy")
	}
	return d, sources, err
}
