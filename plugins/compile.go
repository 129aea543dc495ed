package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/awarc/awarc/plugins/module"
)

// The environment of a process that compiles.
const (
	envCompile = "AWARC_COMPILE_PLUGIN" // the folder of the compiled code
	envBytes   = "AWARC_COMPILE_BYTES"  // memory it may take
	envTime    = "AWARC_COMPILE_TIME"   // time it may take
)

// compiler knows whether this program can start itself to compile; it compiles
// one file at a time.
var compiler struct {
	sync.Mutex
	child bool
}

// CompileInChild makes plugins of this program be compiled by a process of their
// own: the same program, started again with limits of time and memory, which leaves
// the code in the cache. A program calls it first thing in main; in the process that
// compiles it does not return. Without it plugins are compiled in this process,
// where one that the compiler cannot cope with takes all down.
func CompileInChild() {
	if dir := os.Getenv(envCompile); dir != "" {
		os.Exit(compileMain(dir, os.Stdin, os.Stderr))
	}
	compiler.child = true
}

// compileMain compiles the module on in into the cache, and ends the process when
// that takes too much.
func compileMain(dir string, in io.Reader, report io.Writer) int {
	most, err := strconv.ParseUint(os.Getenv(envBytes), 10, 64)
	if err != nil {
		fmt.Fprintln(report, err)
		return 2
	}
	limit, err := time.ParseDuration(os.Getenv(envTime))
	if err != nil {
		fmt.Fprintln(report, err)
		return 2
	}
	// Where the kernel has to end a process, it should be this one.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	debug.SetMemoryLimit(int64(most / 2))
	go watch(most, time.Now().Add(limit), report)

	file, err := io.ReadAll(in)
	if err != nil {
		fmt.Fprintln(report, err)
		return 1
	}
	if err := compileTo(dir, file); err != nil {
		fmt.Fprintln(report, err)
		return 1
	}
	return 0
}

// watch ends the process when it takes more memory or time than it may, even when the
// process that started it is gone.
func watch(most uint64, end time.Time, report io.Writer) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for ; time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		metrics.Read(samples)
		if used := samples[0].Value.Uint64() - samples[1].Value.Uint64(); used > most {
			fmt.Fprintf(report, "compiling takes more than %d bytes\n", most)
			os.Exit(1)
		}
	}
	fmt.Fprintln(report, "compiling takes too long")
	os.Exit(1)
}

// engineConfig is that of every runtime: what WebAssembly 2.0 has, and no check of
// contexts in loops, because fuel does that at a fraction of its price.
func engineConfig(e Engine, cache wazero.CompilationCache) wazero.RuntimeConfig {
	config := wazero.NewRuntimeConfig()
	if e == Interpreted {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	return config.WithCoreFeatures(api.CoreFeaturesV2).WithCompilationCache(cache)
}

// compileTo compiles a metered module into the cache in dir.
func compileTo(dir string, metered []byte) error {
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return err
	}
	defer func() { _ = cache.Close(ctx) }() // in memory only
	r := wazero.NewRuntimeWithConfig(ctx, engineConfig(Metered, cache))
	_, err = r.CompileModule(ctx, metered)
	return errors.Join(err, r.Close(ctx))
}

// precompile sees to it that the code of a metered module is in dir, so that this
// process only has to read it. A process of its own is started even where the
// code is there already: whether it fits this engine and this processor is the engine's
// secret, and one that does not would be compiled here.
func precompile(ctx context.Context, dir string, metered []byte, l Limits) error {
	compiler.Lock()
	defer compiler.Unlock()
	if !compiler.child {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("compiling a plugin: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, l.CompileTime)
	defer cancel()
	var report bytes.Buffer
	c := exec.CommandContext(ctx, self)
	c.Stdin, c.Stderr = bytes.NewReader(metered), &report
	c.Env = append(os.Environ(), envCompile+"="+dir, envBytes+"="+strconv.Itoa(l.CompileBytes), envTime+"="+l.CompileTime.String())
	c.WaitDelay = time.Second
	if err := c.Run(); err != nil {
		message, _, _ := strings.Cut(strings.TrimSpace(report.String()), "\n")
		if ctx.Err() != nil {
			message = fmt.Sprintf("compiling takes longer than %v", l.CompileTime)
		}
		return fmt.Errorf("compiling a plugin in a process of its own: %w: %s", err, printable(message, 1<<10))
	}
	return nil
}

// cacheDir is the folder of one module's code: whatever goes wrong with it concerns
// no other.
func cacheDir(root string, m *module.Module) string {
	return filepath.Join(root, fmt.Sprintf("%x-meter%d", m.Hash, module.MeterVersion))
}

// openCacheRoot makes the folder of compiled code, or checks the one that is there.
func openCacheRoot(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "awarc-plugins-")
	}
	return dir, OpenCache(dir)
}

// Memory creates memories of other modules in the same way as memories of plugins: outside the Go heap if possible, and of at most
// limit bytes each.
func Memory(limit uint64) experimental.MemoryAllocator { return allocator(limit) }

// OpenCache creates a folder of compiled code, or checks an existing one: code in it is executed, so no other user may be able to
// write to it.
func OpenCache(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("folder of compiled plugins: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("folder of compiled plugins: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 || !ownedByUs(info) {
		return fmt.Errorf("folder of compiled plugins %s (%v) is accessible to other users, and its code is executed: chmod it to "+
			"0700 or use another folder", dir, info.Mode())
	}
	return nil
}
