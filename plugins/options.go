package plugins

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// Options say what plugins work for and how far they may go. The zero value is
// useful.
type Options struct {
	Topic   abi.Topic
	Config  map[string]string // a plugin's own configuration, by its name
	CrawlID string
	Seed    uint64 // of everything random that a plugin sees

	// Deterministic makes an answer depend on page, topic, configuration and seed
	// only: each page has a fresh instance, the budget is fuel, and the deadline is a
	// safety net of sixty times its length that marks the run as tainted. There is no
	// circuit breaker, and files are not watched.
	Deterministic bool

	Engine Engine // how code is run; crawls leave it

	// CacheDir keeps compiled code between runs. It is made with mode 0700, and
	// refused when others can write to it: it holds code that is executed. Nothing in
	// it is removed; it may be emptied at any time. Empty is a temporary folder that
	// Close removes.
	CacheDir string

	// Instances is how many instances of one plugin work at the same time; 0 is
	// GOMAXPROCS, at most 4. Each may take the plugin's memory limit and, while a
	// plugin overflows its stack, about 200 MiB more for a moment.
	Instances int

	// Poll is how often the files are looked at for a new version; 0 is two seconds, a
	// negative value never.
	Poll time.Duration

	Limits Limits
	Events Events
}

// Engine is how the code of plugins is run. Tests and benchmarks compare them.
type Engine int

// Engines.
const (
	Metered     Engine = iota // compiled, paying fuel for what it does
	Interpreted               // paying fuel, and some fifty times slower
	Unmetered                 // compiled as it is: neither fuel nor a deadline ends a call; for files that are trusted
)

// Limits bound what plugins may take. A field that is zero is its default.
type Limits struct {
	Module module.Limits // what a file may declare

	Setup   Budget // instantiating and configuring: 2 s, 5 G units; at most 10 s
	Score   Budget // one page: 250 ms, 1 G units; at most 5 s
	Extract Budget // one page: 1 s, 5 G units; at most 30 s

	InputBytes  int // of a request: 8 MiB, at most 32 MiB
	OutputBytes int // of a response: 4 MiB, at most 16 MiB
	ErrorBytes  int // of an error message: 4 KiB
	LogLines    int // of one call: 50; the rest is counted and dropped
	LogBytes    int // of one line: 1 KiB

	CompileTime  time.Duration // of one file: 30 s
	CompileBytes int           // memory of the process that compiles: 1 GiB

	Calls int           // after which an instance is replaced: 10,000
	Idle  time.Duration // after which an instance is closed: 10 min
}

// Budget is what one call may use: time on the wall clock, and units of fuel, which
// are about instructions. A unit takes 0.1 to 0.3 ns.
type Budget struct {
	Time time.Duration
	Fuel int64
}

// Events are called when something happens; nil ones are not. They may be called
// from several goroutines at once.
type Events struct {
	Loaded  func(Identity)                              // a file is in use, at the start or after it changed
	Refused func(file string, err error)                // a changed file was refused; the one before stays in use
	Failed  func(*Error)                                // a call gave no answer for a reason that the plugin is to blame for
	Breaker func(Identity, time.Duration)               // calls stop for the time; 0: until the file changes
	Log     func(p Identity, level Level, line string)  // a line that a plugin logged, printable
	Warning func(p Identity, unknownManifestKey string) // a key of the manifest that this version does not know
}

// Level is the level of a log line of a plugin.
type Level int

// Levels of log lines.
const (
	LevelDebug Level = iota
	LevelInfo
	LevelWarn
	LevelError
)

func (l Level) String() string {
	if l < LevelDebug || l > LevelError {
		return "error"
	}
	return [...]string{"debug", "info", "warn", "error"}[l]
}

// taintFactor is how much longer than its deadline a call may take in deterministic
// mode.
const taintFactor = 60

// complete fills in defaults and refuses what is over the maximum, all complaints
// together.
func (o *Options) complete() error {
	var complaints []error
	l := &o.Limits
	if l.Module == (module.Limits{}) {
		l.Module = module.DefaultLimits()
	}
	budget := func(name string, b *Budget, def Budget, most time.Duration) {
		if b.Time == 0 {
			b.Time = def.Time
		}
		if b.Fuel == 0 {
			b.Fuel = def.Fuel
		}
		if b.Time < 0 || b.Time > most || b.Fuel < 0 {
			complaints = append(complaints, fmt.Errorf("plugin limit %s is %v and %d units; set it between 0 and %v", name, b.Time, b.Fuel,
				most))
		}
	}
	budget("Setup", &l.Setup, Budget{2 * time.Second, 5e9}, 10*time.Second)
	budget("Score", &l.Score, Budget{250 * time.Millisecond, 1e9}, 5*time.Second)
	budget("Extract", &l.Extract, Budget{time.Second, 5e9}, 30*time.Second)
	number := func(name string, v *int, def, most int) {
		if *v == 0 {
			*v = def
		}
		if *v < 0 || *v > most {
			complaints = append(complaints, fmt.Errorf("plugin limit %s is %d; set it between 1 and %d", name, *v, most))
		}
	}
	number("InputBytes", &l.InputBytes, 8<<20, 32<<20)
	number("OutputBytes", &l.OutputBytes, 4<<20, 16<<20)
	number("ErrorBytes", &l.ErrorBytes, 4<<10, 64<<10)
	number("LogLines", &l.LogLines, 50, 10_000)
	number("LogBytes", &l.LogBytes, 1<<10, 64<<10)
	number("CompileBytes", &l.CompileBytes, 1<<30, 1<<36)
	number("Calls", &l.Calls, 10_000, 1<<30)
	number("Instances", &o.Instances, min(runtime.GOMAXPROCS(0), 4), 256)
	duration := func(name string, v *time.Duration, def time.Duration) {
		if *v == 0 {
			*v = def
		}
		if *v < 0 {
			complaints = append(complaints, fmt.Errorf("plugin limit %s is %v", name, *v))
		}
	}
	duration("CompileTime", &l.CompileTime, 30*time.Second)
	duration("Idle", &l.Idle, 10*time.Minute)
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	return errors.Join(complaints...)
}
