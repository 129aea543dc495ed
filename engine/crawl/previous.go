package crawl

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/awarc/awarc/engine/archive"
)

// Generations lists the folder of an earlier crawl and of the crawls that it, in turn, was compared with: its archive may
// refer to theirs. Empty gives none.
func Generations(previous string) []string {
	var dirs []string
	for previous != "" && !slices.Contains(dirs, previous) {
		dirs = append(dirs, previous)
		s, err := ReadSettings(previous)
		if err != nil {
			break // it is gone, or no crawl
		}
		previous = s.Flags.Previous
	}
	return dirs
}

// checkEarlier complains about what other archives are not.
func (o Options) checkEarlier() error {
	if o.NoDedupe && len(o.Dedupe) > 0 {
		return complain("%s and %s cannot be used together", option("NoDedupe"), option("Dedupe"))
	}
	if o.Previous != "" {
		if _, err := os.Stat(filepath.Join(o.Previous, "archive", "index.cdxj")); err != nil {
			return complain("%s: %v; expected the folder of a finished crawl; for a WACZ file use %s", option("Previous"), err,
				option("Dedupe"))
		}
	}
	for _, name := range o.Dedupe {
		if err := archive.CheckIndex(name); err != nil {
			return complain("%s: %v", option("Dedupe"), err)
		}
	}
	return nil
}

// conditional reports whether servers are asked if what the earlier crawl archived is still so. They are not where either crawl went as
// somebody: by a cookie or a password many applications show another page under the same date of modification.
func (c *Crawl) conditional() bool {
	dir := c.settings.Flags.Previous
	if dir == "" || c.settings.Flags.NoDedupe {
		return false
	}
	earlier, err := ReadSettings(dir)
	return err == nil && !c.settings.somebody(c.dir) && !earlier.somebody(dir)
}

// noteEarlier tells what of earlier crawls is not used as it could be.
func (c *Crawl) noteEarlier() {
	flags := c.settings.Flags
	if flags.Previous == "" || flags.NoDedupe {
		return
	}
	if !c.conditional() {
		c.note("this crawl or the earlier one has cookies or a password: no conditional requests are sent")
	}
	for _, dir := range Generations(flags.Previous)[1:] {
		if _, err := os.Stat(filepath.Join(dir, "archive")); err != nil {
			c.note("%s, to which the earlier crawl refers, is missing; its pages are archived again. If it was moved, name its folder "+
				"with %s", dir, option("Dedupe"))
		}
	}
}

// somebody reports whether the crawl in a folder named itself to servers.
func (s *Settings) somebody(dir string) bool {
	of, err := readLogins(dir)
	return s.Flags.Cookies != "" || s.Flags.Login != "" || err != nil || len(of.Seeds) > 0
}
