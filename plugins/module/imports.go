package module

import (
	"fmt"
	"strings"
)

// Import is a function that a module takes from its host.
type Import struct {
	Module, Name    string
	Params, Results []byte // value types as the binary format encodes them
	// Stub is set where the function does nothing but return ENOSYS: the rest of
	// WASI for modules whose manifest has wasi_fs_stubs.
	Stub bool
}

const (
	wasiModule   = "wasi_snapshot_preview1"
	refuelModule = "awarc"
	refuelName   = "refuel"
)

// imports is everything that a plugin may import, with the signatures in the
// letters of the opcode table.
var imports = map[string]map[string]string{
	"awarc": {
		"input_len":    ">i",
		"input_read":   "iii>i",
		"output_write": "ii>i",
		"output_reset": ">",
		"error_set":    "ii>",
		"log":          "iii>",
		"log_enabled":  "i>i",
	},
	"env": { // what AssemblyScript compiles a failed assertion to
		"abort": "iiii>",
	},
	wasiModule: { // what the runtimes of Go and C need
		"args_get":            "ii>i",
		"args_sizes_get":      "ii>i",
		"clock_time_get":      "iIi>i",
		"environ_get":         "ii>i",
		"environ_sizes_get":   "ii>i",
		"fd_close":            "i>i",
		"fd_fdstat_get":       "ii>i",
		"fd_fdstat_set_flags": "ii>i",
		"fd_prestat_get":      "ii>i",
		"fd_prestat_dir_name": "iii>i",
		"fd_read":             "iiii>i",
		"fd_seek":             "iIii>i",
		"fd_write":            "iiii>i",
		"poll_oneoff":         "iiii>i",
		"proc_exit":           "i>",
		"random_get":          "ii>i",
		"sched_yield":         ">i",
	},
}

// stubs is the rest of WASI preview 1.
var stubs = map[string]string{
	"clock_res_get":           "ii>i",
	"fd_advise":               "iIIi>i",
	"fd_allocate":             "iII>i",
	"fd_datasync":             "i>i",
	"fd_fdstat_set_rights":    "iII>i",
	"fd_filestat_get":         "ii>i",
	"fd_filestat_set_size":    "iI>i",
	"fd_filestat_set_times":   "iIIi>i",
	"fd_pread":                "iiiIi>i",
	"fd_pwrite":               "iiiIi>i",
	"fd_readdir":              "iiiIi>i",
	"fd_renumber":             "ii>i",
	"fd_sync":                 "i>i",
	"fd_tell":                 "ii>i",
	"path_create_directory":   "iii>i",
	"path_filestat_get":       "iiiii>i",
	"path_filestat_set_times": "iiiiIIi>i",
	"path_link":               "iiiiiii>i",
	"path_open":               "iiiiiIIii>i",
	"path_readlink":           "iiiiii>i",
	"path_remove_directory":   "iii>i",
	"path_rename":             "iiiiii>i",
	"path_symlink":            "iiiii>i",
	"path_unlink_file":        "iii>i",
	"proc_raise":              "i>i",
	"sock_accept":             "iii>i",
	"sock_recv":               "iiiiii>i",
	"sock_send":               "iiiii>i",
	"sock_shutdown":           "ii>i",
}

// checkImport holds an import to what a host gives, and marks it as a stub. It
// returns what is wrong and what to do, or "".
func checkImport(im *Import, fsStubs bool) (what, do string) {
	name := im.Module + "." + im.Name
	if im.Module == refuelModule && im.Name == refuelName {
		return "it imports " + name + ", which the host adds when it meters a module", "build without the import"
	}
	allowed, known := imports[im.Module]
	if !known {
		return fmt.Sprintf("it imports %q", name), "a plugin may import from awarc and " + wasiModule + ", and env.abort, only"
	}
	want, ok := allowed[im.Name]
	if !ok && im.Module == wasiModule {
		if want, im.Stub = stubs[im.Name]; im.Stub && !fsStubs {
			return "it imports " + name + ", and plugins have no files, directories or sockets",
				`remove the code that uses it or, where the code never runs, write "wasi_fs_stubs": true into the manifest`
		}
		ok = im.Stub
	}
	if !ok {
		return fmt.Sprintf("it imports %q, which ABI 1 does not have", name), "see the imports of ABI 1"
	}
	if got := signature(im.Params, im.Results); got != want {
		return fmt.Sprintf("it imports %s as (%s); expected (%s)", name, spell(got), spell(want)), "declare it with that signature"
	}
	return "", ""
}

// signature writes a function type in the letters of the opcode table.
func signature(params, results []byte) string {
	letter := func(types []byte) string {
		s := make([]byte, len(types))
		for i, t := range types {
			switch t {
			case i32:
				s[i] = 'i'
			case i64:
				s[i] = 'I'
			case f32:
				s[i] = 'f'
			case f64:
				s[i] = 'F'
			case v128:
				s[i] = 'v'
			default:
				s[i] = 'r'
			}
		}
		return string(s)
	}
	return letter(params) + ">" + letter(results)
}

var spelling = strings.NewReplacer("i", "i32 ", "I", "i64 ", "f", "f32 ", "F", "f64 ", "v", "v128 ", "r", "ref ", ">", "-> ")

func spell(signature string) string { return strings.TrimRight(spelling.Replace(signature), " ") }
