package quads

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// On a disk that is full neither a new index nor one that grows is lost, and the error says what it is.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("awarc", disk, "tmpfs", 0, "size=400k"); err != nil {
		t.Skipf("a small disk needs the right to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	random := rand.New(rand.NewPCG(17, 18))
	few, many := world(random, 200), world(random, 30_000)
	dir, index := t.TempDir(), filepath.Join(disk, "index.db")
	file := filepath.Join(dir, "a.nq")
	write(t, file, few)
	build(t, index, Options{}, dir)
	write(t, file, many)
	for _, o := range []Options{{}, {Rebuild: true}} {
		_, err := Build(t.Context(), index, []string{file}, o)
		if err == nil || !strings.Contains(err.Error(), "full") && !strings.Contains(err.Error(), "no space") {
			t.Errorf("%+v: %v", o, err)
		}
		r := open(t, index)
		if got, want := r.scan(t, Quad{}, Union), matching(few, statement{}, Union); !slices.Equal(got, want) {
			t.Errorf("%+v: got %d, want %d", o, len(got), len(want))
		}
		must(t, r.Close())
		if left, _ := filepath.Glob(filepath.Join(disk, ".tmp-*")); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	}
	if err := syscall.Mount("awarc", disk, "tmpfs", syscall.MS_REMOUNT, "size=40m"); err != nil {
		t.Fatal(err)
	}
	build(t, index, Options{}, dir)
	if got, want := open(t, index).scan(t, Quad{}, Union), matching(append(few, many...), statement{}, Union); !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", len(got), len(want))
	}
}

// TestKilledBuild is a process of its own that another test kills.
func TestKilledBuild(t *testing.T) {
	dir := os.Getenv("AWARC_KILLED_BUILD")
	if dir == "" {
		t.Skip("run by TestKills")
	}
	files, err := Files(dir)
	must(t, err)
	_, err = Build(context.Background(), filepath.Join(dir, "index.db"), files, Options{})
	must(t, err)
}

// Whenever a process that builds is killed, the index is as it was before, or as it is after.
func TestKills(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 20))
	dir := t.TempDir()
	index, all := filepath.Join(dir, "index.db"), world(random, 3000)
	write(t, filepath.Join(dir, "a.nq.gz"), all)
	build(t, index, Options{}, dir)
	killed := 0
	for i := range 12 {
		more := world(random, 4000)
		write(t, filepath.Join(dir, "a.nq.gz"), more)
		c := exec.Command(os.Args[0], "-test.run", "^TestKilledBuild$")
		c.Env = append(os.Environ(), "AWARC_KILLED_BUILD="+dir)
		must(t, c.Start())
		time.Sleep(time.Duration(i*i) * 3 * time.Millisecond)
		_ = c.Process.Kill()
		if c.Wait() != nil {
			killed++
		}
		r := open(t, index)
		got := r.scan(t, Quad{}, Union)
		before, after := matching(all, statement{}, Union), matching(append(all, more...), statement{}, Union)
		if !slices.Equal(got, before) && !slices.Equal(got, after) {
			t.Fatalf("got %d, before there were %d, afterwards are %d", len(got), len(before), len(after))
		}
		must(t, r.Close())
		all = append(all, more...)
		if result := build(t, index, Options{}, dir); result.Rebuilt != "" {
			t.Errorf("%+v", result)
		}
		r = open(t, index)
		if got := r.scan(t, Quad{}, Union); !slices.Equal(got, after) {
			t.Fatalf("got %d, want %d", len(got), len(after))
		}
		must(t, r.Close())
	}
	if killed == 0 {
		t.Error("none was killed")
	}
}
