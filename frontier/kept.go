package frontier

// What every store of a frontier shares, in this process or not: how a URL is kept, and an entry as bytes.

// Kept returns the URL as a frontier keeps it: with its key, and cut at its bounds. via is the page that named it, if it does not say.
func (u URL) Kept(via string) URL { return u.named(via).bounded() }

// named returns the URL with its key and the page that named it.
func (u URL) named(via string) URL {
	if u.Via == "" {
		u.Via = via
	}
	u.Key = identity(u.key())
	if u.Family = clip(u.Family, maxFamily); u.Seed {
		u.Family = ""
	}
	return u
}

func (u URL) bounded() URL {
	u.URL, u.Via, u.Anchor = clip(u.URL, maxURL), clip(u.Via, maxURL), clip(u.Anchor, maxAnchor)
	u.Path, u.Type, u.Level, u.Why = clip(u.Path, maxName), clip(u.Type, maxName), clip(u.Level, maxName), u.why()
	return u
}

// KeptReason returns a reason as it is kept with an entry, and KeptKey a key.
func KeptReason(reason string) string { return clip(reason, maxReason) }

// KeptKey returns a key as it is kept: a very long one is cut and ends in its digest.
func KeptKey(key string) string { return identity(key) }

// KeptFamily returns the name of a family as it is kept.
func KeptFamily(name string) string { return clip(name, maxFamily) }

// ValidFamilies returns an error if the data of families cannot be stored.
func ValidFamilies(changes map[string]FamilyChange) error { return validFamilies(changes) }

// MarshalBinary returns the entry as the frontier's file has it, with a checksum. There is no error.
func (e *Entry) MarshalBinary() ([]byte, error) { return (&record{Entry: *e}).encode(), nil }

// UnmarshalBinary reads what MarshalBinary wrote.
func (e *Entry) UnmarshalBinary(data []byte) error {
	r, err := decodeRecord(data)
	if err == nil {
		*e = r.Entry
	}
	return err
}

// MarshalBinary returns the mark as the frontier's file has it, with a checksum. There is no error.
func (m *Mark) MarshalBinary() ([]byte, error) {
	kept := Mark{Key: clip(m.Key, maxURL), Counter: m.Counter, Title: clip(m.Title, maxAnchor)}
	return kept.encode(), nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (m *Mark) UnmarshalBinary(data []byte) (err error) {
	*m, err = decodeMark(data)
	return err
}

// LedBy takes over what a link knows that gives a URL its highest priority so far.
func (u *URL) LedBy(link URL) {
	u.Via, u.Path, u.Anchor, u.Type, u.Level, u.Why = link.Via, link.Path, link.Anchor, link.Type, link.Level, link.Why
	if link.Modified != 0 {
		u.Modified = link.Modified
	}
}
