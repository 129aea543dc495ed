package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/api"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/kb"
)

type apiCmd struct {
	Run   apiRunCmd   `cmd:"" help:"Run a campaign: query JSON APIs until all results are fetched."`
	Serve apiServeCmd `cmd:"" help:"Run campaigns that HTTP clients start, pause and stop."`
	List  apiListCmd  `cmd:"" help:"List the known services and their operations."`
}

// campaignFlags are those of all campaigns that one command runs.
type campaignFlags struct {
	kbFlags
	politeFlags
	fetchFlags
	outputFlags
	TimeLimit wait `placeholder:"D" help:"Stop after this time, such as 90s, 20m or 2h (default: no limit)."`
	SizeLimit size `placeholder:"SIZE" help:"Stop after receiving this many bytes, such as 500M or 2G (default: no limit)."`
	MinSpace  size `default:"100M" placeholder:"SIZE" help:"Stop when the disk has less free space than this."`

	Workers  int    `short:"w" default:"8" help:"Send N requests at a time; at most one for each host and IP address."`
	APIToken string `json:"-" name:"api-token" placeholder:"S" env:"AWARC_API_TOKEN" help:"Require this token from clients of the API."`
}

// open begins a campaign, or goes on with the one in the folder.
func (f *campaignFlags) open(dir string, campaign *api.Campaign, addr string, s streams, p *crawl.Pool) (*session, error) {
	if _, err := os.Stat(filepath.Join(dir, crawl.SettingsFile)); err == nil {
		return resume(dir, s, crawl.ResumeOptions{Pool: p})
	}
	flags := crawlFlags{politeFlags: f.politeFlags, fetchFlags: f.fetchFlags, outputFlags: f.outputFlags, Workers: f.Workers, API: addr}
	flags.limitFlags = limitFlags{TimeLimit: f.TimeLimit, SizeLimit: f.SizeLimit, MinSpace: f.MinSpace}
	flags.kbFlags, flags.ScopeType, flags.MaxHops, flags.NoAdapt = f.kbFlags, "host", -1, true
	o := flags.options()
	x := newSession(s, f.APIToken)
	o.Campaign, o.Pool, o.Events = campaign, p, x.events()
	var err error
	if x.crawl, err = crawl.New(dir, o); err != nil {
		return nil, inFlags(err)
	}
	return x, nil
}

type apiRunCmd struct {
	campaignFlags
	API    string `name:"api" placeholder:"ADDR" help:"Serve the HTTP API of this campaign at this address, such as 127.0.0.1:8080."`
	Out    string `placeholder:"DIR" help:"Folder of the campaign; an existing campaign continues (default: api-NAME-TIME)."`
	Format string `enum:"text,json" default:"text" help:"Output format."`
	File   string `arg:"" name:"CAMPAIGN.yaml" help:"Campaign file: services, queries and limits; see docs/apis.md."`
}

// Run begins a campaign, or goes on with the one in the folder.
func (c *apiRunCmd) Run(ctx context.Context, s streams) error {
	if c.API != "" {
		if err := checkAPI(c.API, c.APIToken); err != nil {
			return err
		}
	}
	campaign, err := readCampaign(c.File)
	if err != nil {
		return usageError("%v", err)
	}
	if c.Out == "" {
		c.Out = fmt.Sprintf("api-%s-%s", cmp.Or(fileName(campaign.Name), "campaign"), time.Now().UTC().Format("20060102150405"))
	}
	return runSessions(ctx, s, c.Format, func() ([]*session, error) { return lone(c.open(c.Out, campaign, c.API, s, nil)) })
}

// fileName is a name as that of a folder.
func fileName(name string) string { return strings.Trim(notInNames.ReplaceAllString(name, "-"), "-") }

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// readCampaign reads a campaign; files in it are relative to it.
func readCampaign(file string) (*api.Campaign, error) {
	data, err := infile.Read(file, maxConfig)
	if err != nil {
		return nil, err
	}
	campaign, err := parseCampaign(file, data)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	for i := range campaign.Sources {
		if l := campaign.Sources[i].Auth; l != nil && l.Secret.File != "" && !filepath.IsAbs(l.Secret.File) {
			l.Secret.File = filepath.Join(dir, l.Secret.File)
		}
	}
	return campaign, err
}

func parseCampaign(name string, data []byte) (*api.Campaign, error) {
	if err := score.RefuseHostile(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return api.ReadCampaign(name, data)
}

type apiListCmd struct {
	kbFlags
	Format string `enum:"text,json" default:"text" help:"Output format."`
}

type operationJSON struct {
	Service   kb.ServiceID  `json:"service"`
	Name      string        `json:"name"`
	Base      string        `json:"base"`
	Of        []kb.TypeID   `json:"of,omitempty"`
	Auth      []kb.AuthKind `json:"auth,omitempty"`
	Operation string        `json:"operation"`
	Needs     []string      `json:"needs"`
	Takes     []string      `json:"takes"`
}

// Run lists the operations of services.
func (c *apiListCmd) Run(s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	for _, service := range base.Services {
		auth := []kb.AuthKind{}
		for _, a := range service.Auth {
			auth = append(auth, a.Kind)
		}
		for _, o := range service.Operations {
			j := operationJSON{service.ID(), service.Type.Name, service.Base, service.Of, auth, o.ID, o.Needs(), o.Args()}
			if c.Format == "json" {
				if err := writeJSON(s.out, j); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(s.out, "%-20s %-16s %s\n", j.Service, j.Operation, strings.Join(j.Takes, " "))
		}
	}
	return nil
}
