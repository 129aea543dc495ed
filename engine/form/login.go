package form

import "slices"

// Login finds the login form: the one with a single password field, not for a new password, and with most of the
// fields with these names. Nil for none.
func (p *Page) Login(names []string) *Form {
	return p.best(func(f *Form) int {
		if f.Passwords() == 0 {
			return -1
		}
		score := 10 * f.has(names)
		if f.Passwords() == 1 {
			score += 4
		}
		if f.byToken("current-password") != nil {
			score += 2
		}
		if f.byToken("new-password") == nil {
			score++
		}
		return score
	})
}

// Asks finds a form with a field for the user, or with one of these names: the first page of logins that have the
// password on the next page. Nil for none.
func (p *Page) Asks(names []string) *Form {
	return p.best(func(f *Form) int {
		switch n := f.has(names); {
		case n > 0:
			return 10 * n
		case f.byToken("username", "email") != nil:
			return 1
		case keyword(f.node, "method") == "post" && f.User() != nil:
			return 0 // searches are sent by GET
		}
		return -1
	})
}

// best gives the form with the highest score, the first of several; nil where none has one of 0 or more.
func (p *Page) best(score func(*Form) int) (best *Form) {
	most := -1
	for _, f := range p.Forms {
		if s := score(f); s > most {
			best, most = f, s
		}
	}
	return best
}

// has counts the names that controls of the form have.
func (f *Form) has(names []string) (n int) {
	for _, name := range names {
		if f.Control(name) != nil {
			n++
		}
	}
	return n
}

// byToken is the first field that autocomplete describes by one of these tokens.
func (f *Form) byToken(tokens ...string) *Control {
	return f.first(func(c *Control) bool {
		return slices.ContainsFunc(tokens, func(t string) bool { return slices.Contains(c.Autocomplete, t) })
	})
}

func (f *Form) first(is func(*Control) bool) *Control {
	i := slices.IndexFunc(f.Controls, func(c *Control) bool { return c.Name != "" && is(c) })
	if i < 0 {
		return nil
	}
	return f.Controls[i]
}

// Password is the field for a member's password, nil for none.
func (f *Form) Password() *Control {
	isPassword := func(c *Control) bool { return c.Kind == "password" }
	for _, is := range []func(c *Control) bool{
		func(c *Control) bool { return slices.Contains(c.Autocomplete, "current-password") },
		func(c *Control) bool { return isPassword(c) && !slices.Contains(c.Autocomplete, "new-password") },
		isPassword,
	} {
		if c := f.first(is); c != nil {
			return c
		}
	}
	return nil
}

// User is the field for a member's name: the one that autocomplete describes so, or the last line of text before the password, or
// the first one. Nil for none.
func (f *Form) User() *Control {
	if c := f.byToken("username", "email"); c != nil {
		return c
	}
	var before *Control
	for _, c := range f.Controls {
		switch {
		case c.Kind == "password" && before != nil:
			return before
		case c.IsText() && c.Name != "" && !c.disabled:
			before = c
		}
	}
	return f.first((*Control).IsText)
}
