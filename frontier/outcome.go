package frontier

import (
	"errors"
	"fmt"
	"time"
)

// An Outcome is all that follows from one lease. It is applied completely or not
// at all.
type Outcome struct {
	State  State  // Fetched, Failed, Excluded, PutOff, Retry or Defer
	Reason string // why; kept with the entry
	Family string // for PutOff, where the URL waits from now on: that was not a try, nor, if it was drawn, a draw

	// RetryAfter is the wait of this URL before it comes again. For Retry, 0 means
	// the back-off of Options, or two waits of its host where that is longer, so that
	// another URL can show meanwhile whether the host is down; for Defer, 0 means at once, at the front of the host.
	RetryAfter time.Duration

	// HostDelay is the Crawl-delay of the host. It replaces
	// its earlier value and counts if it exceeds Options.Delay. 0
	// changes nothing, a negative value removes it.
	HostDelay time.Duration

	// Host is the health of the host.
	Host HostReply

	// HostNotBefore is the time before which no URL of the host shall be leased
	// (Retry-After). Zero, or earlier than what is already known, changes nothing.
	HostNotBefore time.Time

	// IP is the address that answered; "" changes nothing.
	IP string

	// HostNote replaces the host's note; nil changes nothing.
	HostNote []byte

	// NoRequest says that no exchange took place, so that the least wait of the
	// host does not start again.
	NoRequest bool

	// Links are added as by Add.
	Links []URL

	// Exclude are URLs to keep out for good, as Frontier.Exclude does, before Links
	// are added.
	Exclude []Exclusion

	// Aliases are keys that this capture also satisfies. Pending ones leave the
	// queue and are never leased; unknown ones become known. Settled ones stay.
	Aliases []string

	// Counters are added to the durable counters of these names.
	Counters map[string]int64

	// Marks are objects seen; each new one adds one to its counter.
	Marks []Mark

	// Meta are settings as PutMeta stores them; a nil value takes one away.
	Meta map[string][]byte

	// Families says what is to be kept of families, by name.
	Families map[string]FamilyChange
}

// maxName is the longest name of a counter or a setting, in bytes.
const maxName = 1 << 10

// Validate reports whether the outcome is one that a lease may end by.
func (o *Outcome) Validate() error {
	switch o.State {
	case Fetched, Failed, Excluded, Retry, Defer:
	case PutOff:
		if o.Family == "" {
			return errors.New("deferred without a group")
		}
	default:
		return fmt.Errorf("state %v is not a verdict", o.State)
	}
	if o.RetryAfter < 0 {
		return errors.New("RetryAfter is negative")
	}
	return o.ValidateNames()
}

// ValidateNames is Validate of an outcome without a lease, see Frontier.Amend.
func (o *Outcome) ValidateNames() error {
	for name := range o.Meta {
		if err := validName(name); err != nil {
			return fmt.Errorf("setting: %w", err)
		}
	}
	for name := range o.Counters {
		if err := validName(name); err != nil {
			return fmt.Errorf("counter: %w", err)
		}
	}
	for _, x := range o.Exclude {
		if err := validName(x.Counter); err != nil {
			return fmt.Errorf("exclusion of %s: counter: %w", x.URL.URL, err)
		}
	}
	for _, m := range o.Marks {
		if err := validName(m.Counter); err != nil {
			return fmt.Errorf("mark %q: counter: %w", m.Key, err)
		}
	}
	return validFamilies(o.Families)
}

func validName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("name of %d bytes, want 1 to %d", len(name), maxName)
	}
	return nil
}
