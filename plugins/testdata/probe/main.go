// Command probe is a guest that looks around in the sandbox: the title of a page says
// what it should do, the reason of the answer tells what it found.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/awarc/awarc/plugins/sdk"
	"github.com/awarc/awarc/plugins/sdk/extract"
	"github.com/awarc/awarc/plugins/sdk/score"
)

var (
	config score.Config
	kept   [][]byte
)

func init() {
	score.OnConfigure(func(c *score.Config) error {
		if c.Raw == "refuse" {
			return errors.New("no such configuration")
		}
		config = *c
		return nil
	})
	score.OnPage(func(p *score.Page, out *score.Result) (err error) {
		out.Reason, err = probe(p)
		return err
	})
	extract.OnPage(func(p *extract.Page, out *extract.Result) error {
		out.Object("schema:WebPage", p.URL).Time("now", time.Now().UTC().Format(time.RFC3339)).Text("html", p.HTML, "")
		return nil
	})
}

func probe(p *score.Page) (string, error) {
	switch p.Title {
	case "config":
		return fmt.Sprintf("%s|%s|%d terms|%s|%d|%v", config.Raw, config.Topic.Name, len(config.Topic.Terms), config.CrawlID, config.Seed,
			config.Deterministic), nil
	case "clock":
		start := time.Now()
		sum := 0
		for i := range 100_000 {
			sum += i
		}
		return fmt.Sprint(start.Unix(), time.Since(start), sum > 0), nil
	case "sleep":
		start := time.Now()
		time.Sleep(time.Minute)
		return fmt.Sprint(time.Since(start) >= time.Minute), nil
	case "random":
		var b [16]byte
		if _, err := rand.Read(b[:]); err != nil {
			return "", err
		}
		return hex.EncodeToString(b[:]), nil
	case "surroundings":
		_, file := os.ReadFile("/etc/passwd")
		_, dir := os.ReadDir("/")
		return fmt.Sprintf("args %q env %q file %v dir %v", os.Args, os.Environ(), file != nil, dir != nil), nil
	case "log":
		sdk.Log(sdk.Warn, "a ", "warning")
		fmt.Println("to standard output")
		fmt.Fprint(os.Stderr, "to standard error\nwithout end")
		return "", nil
	case "garbage":
		var v any
		text := `{"a": [` + strings.Repeat(`{"b": "some text", "c": 1.5}, `, 50) + `null]}`
		return "", json.Unmarshal([]byte(text), &v)
	case "memory":
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "panic":
		panic("in the guest")
	case "exit":
		fmt.Fprintln(os.Stderr, "last words")
		os.Exit(3)
	}
	return "", nil
}

func main() {}
