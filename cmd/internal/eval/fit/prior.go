package fit

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/rank"
)

// priorFile is what the authors of the features believed of them before anything was learned. Saved pages are few, and show
// little of what is rare: there it stands.
//
//go:embed prior.tsv
var priorFile string

// Prior is the table that learning begins with.
var Prior = sync.OnceValue(func() rank.Table {
	t, err := rank.Read(strings.NewReader(priorFile))
	if err != nil {
		panic("prior.tsv: " + err.Error()) // it is part of the program
	}
	return t
})
