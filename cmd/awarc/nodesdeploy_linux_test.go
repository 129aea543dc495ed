package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/redis/go-redis/v9"
)

// container is what the manifests say of a container, or of a service of the compose file.
type container struct {
	Image       string   `yaml:"image"`
	Args        []string `yaml:"args"`
	Command     any      `yaml:"command"`
	Env         []envVar `yaml:"env"`
	Environment any      `yaml:"environment"`
}

type envVar struct {
	Name string `yaml:"name"`
}

// TestDeployedNodesAndServersStart: each command line of the compose file and of the manifest is one that awarc and Redis take.
func TestDeployedNodesAndServersStart(t *testing.T) {
	t.Setenv(tokenVariable, "of the secret")
	var compose struct {
		Services map[string]container `yaml:"services"`
	}
	readYAML(t, "compose.yaml", &compose)
	var node []string
	for _, arg := range compose.Services["node"].Command.([]any) {
		node = append(node, arg.(string))
	}
	awarc(t, "", append(node, "--dry-run", "--out", filepath.Join(t.TempDir(), "node"))...).want(t, exitDone)
	server, _ := compose.Services["redis-0"].Command.(string)
	commands := map[string][]string{"compose.yaml": strings.Fields(strings.ReplaceAll(server, `""`, ""))}
	if compose.Services["node"].Environment == nil || compose.Services["redis-5"].Command != compose.Services["redis-0"].Command {
		t.Errorf("the compose file has %+v", compose.Services)
	}

	nodes := 0
	data, err := os.ReadFile("../../deploy/nodes/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Split(string(data), "\n---\n") {
		var object struct {
			Kind string
			Spec struct {
				Template struct {
					Spec struct{ Containers []container }
				}
				VolumeClaimTemplates []any `yaml:"volumeClaimTemplates"`
			}
		}
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, c := range object.Spec.Template.Spec.Containers {
			if object.Kind != "StatefulSet" || len(object.Spec.VolumeClaimTemplates) == 0 {
				t.Errorf("%s is a %s without a volume", c.Image, object.Kind)
			}
			if c.Image == "awarc" {
				nodes++
				if len(c.Env) != 1 || c.Env[0].Name != tokenVariable {
					t.Errorf("the node has the variables %v", c.Env)
				}
				awarc(t, "", append(c.Args, "--dry-run")...).want(t, exitDone)
				continue
			}
			commands["kubernetes.yaml"] = c.Args
		}
	}
	if nodes != 1 || len(commands) != 2 {
		t.Fatalf("%d kinds of nodes, %d of servers", nodes, len(commands))
	}
	for file, command := range commands {
		t.Run(file, func(t *testing.T) { startsRedis(t, command) })
	}
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../deploy/nodes", name))
	if err == nil {
		err = yaml.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// startsRedis starts a server as it is deployed, but for its port and folder, and checks that it keeps what it is told.
func startsRedis(t *testing.T, command []string) {
	name, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed, which make tools does")
	}
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	var args []string
	for _, arg := range command[1:] {
		args = append(args, strings.NewReplacer("$(POD_IP)", "127.0.0.1", "/data", dir).Replace(arg))
	}
	c := exec.Command(name, append(args, "--port", port, "--cluster-port", "0", "--dir", dir, "--bind", "127.0.0.1")...)
	out := new(lockedBuffer)
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	defer func() { _, _ = c.Process.Kill(), <-ended }() // it only listens
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port})
	defer client.Close()
	until(t, "the server", func() bool {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("redis-server %v: %v\n%s", args, err, out.String())
		default:
		}
		return client.Ping(t.Context()).Err() == nil
	})
	for name, want := range map[string]string{"cluster-enabled": "yes", "appendonly": "yes", "appendfsync": "everysec", "save": "",
		"maxmemory-policy": "noeviction", "cluster-node-timeout": "5000"} {
		if got := client.ConfigGet(t.Context(), name).Val()[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// exported are the metrics of redis_exporter that the dashboard shows.
var exported = []string{"redis_memory_used_bytes", "redis_cpu_user_seconds_total", "redis_cpu_sys_seconds_total",
	"redis_master_repl_offset", "redis_connected_slave_offset_bytes"}

// TestDashboardShowsMetricsThatAreThere: each metric and label of the dashboard is one that a node tells.
func TestDashboardShowsMetricsThatAreThere(t *testing.T) {
	var dashboard struct {
		Title  string `json:"title"`
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	data, err := os.ReadFile("../../deploy/nodes/grafana.json")
	if err == nil {
		err = json.Unmarshal(data, &dashboard)
	}
	if err != nil || len(dashboard.Panels) < 5 {
		t.Fatalf("%d panels: %v", len(dashboard.Panels), err)
	}
	var prometheus struct {
		Scrapes []struct {
			Job string `yaml:"job_name"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, "prometheus.yaml", &prometheus)

	c := startAPICrawl(t, "--max-tries", "1", "http://127.0.0.1:1/")
	told := ""
	until(t, "an error and a page", func() bool {
		status, text := c.call("GET", "/metrics", "")
		told = text
		return status == http.StatusOK && strings.Contains(text, "awarc_errors_total{") && !strings.Contains(text, "awarc_pages_total 0")
	})
	c.call("POST", "/api/v1/stop", "")
	<-c.ended
	c.ended <- 0
	metric, by := regexp.MustCompile(`\b(?:awarc|redis)_\w+`), regexp.MustCompile(`by \((\w+)\) \((?:rate\()?(awarc_\w+)`)
	job := regexp.MustCompile(`up\{job="(\w+)"\}`)
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			names := metric.FindAllString(target.Expr, -1)
			for _, name := range names {
				if !slices.Contains(exported, name) && !strings.Contains(told, "\n"+name+" ") && !strings.Contains(told, "\n"+name+"{") {
					t.Errorf("%s: nobody tells %s", p.Title, name)
				}
			}
			for _, m := range by.FindAllStringSubmatch(target.Expr, -1) {
				if !strings.Contains(told, "\n"+m[2]+"{"+m[1]+"=") {
					t.Errorf("%s: %s has no label %s", p.Title, m[2], m[1])
				}
			}
			jobs := job.FindStringSubmatch(target.Expr)
			if jobs != nil && jobs[1] != prometheus.Scrapes[0].Job || jobs == nil && len(names) == 0 {
				t.Errorf("%s: %s is of no job and no metric", p.Title, target.Expr)
			}
		}
	}
}
