package cockpit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/fetch"
)

// field is a field of the form of a new crawl, and the flag of awarc crawl that it becomes.
type field struct {
	Flag, Label, Help string
	Kind              string   // of an input, or "lines", "choice", "choices" or "check"
	Choices           []choice // of a choice; the first is the flag's default
	Value             string   // what a new form has
}

type choice struct{ Value, Label string }

// group is some fields that belong together.
type group struct {
	Title  string
	Open   bool // shown from the start
	Fields []field
}

// filled is the form as somebody filled it in.
type filled struct {
	Groups  []group
	Values  url.Values
	Fault   string
	Hidden  bool // the seeds had passwords, which are not shown
	Command string
	Looks   []crawl.SeedLook // at the seeds
}

// Has reports whether a field has a value.
func (f filled) Has(flag, value string) bool { return slices.Contains(f.Values[flag], value) }

// formOf is the form with values, which are those of a new one where there are none.
func (c *Cockpit) formOf(values url.Values) filled {
	groups := c.groups()
	f := filled{Groups: groups, Values: values}
	if values == nil {
		f.Values = url.Values{}
		for _, g := range groups {
			for _, x := range g.Fields {
				f.Values.Set(x.Flag, x.Value)
			}
		}
	}
	f.Command = commandOf(f.Groups, f.Values)
	return f
}

// shown is the form as it is sent back: without the passwords of seeds.
func (f filled) shown() filled {
	seeds := strings.Fields(f.Values.Get("seeds"))
	for i, s := range seeds {
		var had bool
		seeds[i], had = fetch.WithoutPassword(s)
		f.Hidden = f.Hidden || had
	}
	if f.Hidden {
		f.Values.Set("seeds", strings.Join(seeds, "\n"))
	}
	return f
}

// groups are the fields of a new crawl, with the topics and plugins that there are.
func (c *Cockpit) groups() []group {
	what := group{Title: groupTopic}
	for _, x := range []field{fieldTopic, fieldPlugin} {
		for _, name := range c.Crawls.Files(x.Flag) {
			x.Choices = append(slices.Clip(x.Choices), choice{name, filepath.Base(name)})
		}
		what.Fields = append(what.Fields, x)
	}
	return append(slices.Clone(formGroups), what)
}

func (c *Cockpit) newForm(w http.ResponseWriter, r *http.Request) {
	c.show(w, r, "new", c.formOf(nil))
}

// command answers with the command line that does the same as a form.
func (c *Cockpit) command(w http.ResponseWriter, r *http.Request) {
	groups := c.groups()
	values := formValues(r, groups)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, commandOf(groups, values))
}

// begin begins the crawl of a form.
func (c *Cockpit) begin(w http.ResponseWriter, r *http.Request) {
	f := c.formOf(formValues(r, c.groups()))
	name := nameFor(f.Values)
	switch {
	case !c.Begins:
		c.fail(w, r, http.StatusForbidden, textBeginsNone)
		return
	case len(seedsOf(f.Values)) == 0:
		f.Fault = textNoSeeds
	case r.PostFormValue("do") == "check":
		var err error
		if f.Looks, err = c.Crawls.Check(r.Context(), argsOf(f.Groups, f.Values)); err == nil {
			c.show(w, r, "new", f.shown())
			return
		}
		f.Fault = err.Error()
	default:
		if err := c.beginAt(name, f.Values.Get("start"), argsOf(f.Groups, f.Values)); err != nil {
			f.Fault = err.Error()
		}
	}
	if f.Fault != "" {
		c.showStatus(w, r, http.StatusUnprocessableEntity, "new", f.shown())
		return
	}
	http.Redirect(w, r, address(name, ""), http.StatusSeeOther)
}

// localForm is how a time by the clock of the server is shown, and startForm how a form sends it.
const (
	localForm = "2006-01-02 15:04 MST"
	startForm = "2006-01-02T15:04"
)

// beginAt begins a crawl at the time of a form, at once where there is none.
func (c *Cockpit) beginAt(name, start string, args []string) error {
	if start == "" {
		return c.Crawls.Begin(name, args)
	}
	at, err := time.ParseInLocation(startForm, start, time.Local)
	switch {
	case err != nil:
		return fmt.Errorf(textNoTime, start)
	case at.Before(time.Now()):
		return errors.New(textPast)
	}
	return c.Crawls.Schedule(name, at, args)
}

// commandOf is the command line that does what a form does, given to at(1) where it is to be done later.
func commandOf(groups []group, values url.Values) string {
	line := commandLine(nameFor(values), argsOf(groups, values))
	if at, err := time.ParseInLocation(startForm, values.Get("start"), time.Local); err == nil {
		return at.Format("at -t 200601021504 <<'END'\n") + line + "\nEND"
	}
	return line
}

// formValues are those of the form's own fields.
func formValues(r *http.Request, groups []group) url.Values {
	_ = r.ParseForm() // what cannot be read is missing, which is said
	values := url.Values{}
	for _, flag := range append([]string{"name", "seeds", "start"}, flagsOf(groups)...) {
		for _, v := range r.PostForm[flag] {
			if v = strings.TrimSpace(strings.ReplaceAll(v, "\r\n", "\n")); v != "" {
				values.Add(flag, v)
			}
		}
	}
	return values
}

func flagsOf(groups []group) (flags []string) {
	for _, g := range groups {
		for _, x := range g.Fields {
			flags = append(flags, x.Flag)
		}
	}
	return flags
}

// seedsOf are the seeds of a form: addresses apart by space, of which those without a scheme are taken to be of https.
func seedsOf(values url.Values) (seeds []string) {
	for _, s := range strings.Fields(values.Get("seeds")) {
		if !strings.Contains(s, "://") {
			s = "https://" + s
		}
		seeds = append(seeds, s)
	}
	return seeds
}

// argsOf are the arguments of awarc crawl that say what a form says. None of them can become another flag, whatever is in the form.
func argsOf(groups []group, values url.Values) (args []string) {
	for _, g := range groups {
		for _, x := range g.Fields {
			v := values.Get(x.Flag)
			switch {
			case v == "":
			case x.Kind == "choice", x.Kind == "choices": // nothing else can be named
				for _, name := range values[x.Flag] {
					at := slices.IndexFunc(x.Choices, func(o choice) bool { return o.Value == name })
					if at > 0 || at == 0 && x.Kind == "choices" { // the first choice is the default
						args = append(args, "--"+x.Flag+"="+name)
					}
				}
			case x.Kind == "check":
				args = append(args, "--"+x.Flag)
			case x.Kind == "lines":
				for line := range strings.Lines(v) {
					if line = strings.TrimSpace(line); line != "" {
						args = append(args, "--"+x.Flag+"="+line)
					}
				}
			default:
				args = append(args, "--"+x.Flag+"="+v)
			}
		}
	}
	return append(append(args, "--"), seedsOf(values)...)
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// nameFor is the name of a form's crawl: that which it gives, or one after the first seed.
func nameFor(values url.Values) string {
	if name := values.Get("name"); name != "" {
		return name
	}
	host := "crawl"
	if seeds := seedsOf(values); len(seeds) > 0 {
		if u, err := url.Parse(seeds[0]); err == nil {
			host = cmp.Or(u.Host, host)
		}
	}
	return strings.Trim(notInNames.ReplaceAllString(host, "-"), "-") + time.Now().UTC().Format("-20060102-1504")
}

// commandLine is a command line as it can be pasted into a shell, without the passwords of seeds.
func commandLine(name string, args []string) string {
	words := []string{"awarc", "crawl", "--out=" + name}
	words = append(words, args...)
	seeds := max(0, slices.Index(words, "--"))
	for i, w := range words[seeds:] {
		words[seeds+i], _ = fetch.WithoutPassword(w)
	}
	for i, w := range words {
		if w == "" || notPlain.MatchString(w) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_@%+=:,./-]`)

// schedule changes the budget and the interval of a watch.
func schedule(x *crawl.Crawl, r *http.Request) error {
	budget, err := crawl.ReadBudget(r.PostFormValue("budget"))
	if err != nil {
		return fmt.Errorf("budget %w", err)
	}
	every, err := crawl.ReadInterval(r.PostFormValue("every"))
	if err != nil {
		return fmt.Errorf("interval %w", err)
	}
	return x.SetWatch(budget, every)
}

// control pauses, stops or resumes a crawl.
func (c *Cockpit) control(w http.ResponseWriter, r *http.Request) {
	name, do := r.PathValue("name"), r.PostFormValue("do")
	s := c.Crawls.Session(name)
	var err error
	switch {
	case do == "begin" || do == "remove":
		if err = c.Crawls.Unschedule(name, do == "begin"); err == nil && do == "remove" {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
	case do == "resume" || do == "resume-failed":
		err = c.Crawls.Resume(name, do == "resume-failed")
	case s == nil:
		err = fmt.Errorf("%s", textNotOpen)
	case do == "pause" || do == "continue":
		s.Crawl.Pause(do == "pause")
	case do == "schedule":
		err = schedule(s.Crawl, r)
	case do == "stop":
		s.Crawl.Stop()
	default:
		err = fmt.Errorf("%q: expected pause, continue, schedule, stop, resume, resume-failed, begin or remove", do)
	}
	if err != nil {
		c.fail(w, r, http.StatusConflict, err.Error())
		return
	}
	c.mu.Lock()
	delete(c.shown, name)
	c.mu.Unlock()
	http.Redirect(w, r, address(name, ""), http.StatusSeeOther)
}
