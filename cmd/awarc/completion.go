package main

import (
	"os"
	"strings"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"
)

// completing is the variable by which a shell asks what could follow.
const completing = "COMP_LINE"

// answerShell completes a command line for a shell that asks for it, and reports whether one does.
func answerShell(parser *kong.Kong) (asked bool, err error) {
	if os.Getenv(completing) == "" {
		return false, nil
	}
	c, err := kongcompletion.Command(parser)
	if err != nil {
		return true, err
	}
	withFiles(parser.Model.Node, &c)
	answer := complete.New(parser.Model.Name, c)
	answer.Out = parser.Stdout
	answer.Complete()
	return true, nil
}

// withFiles completes names of files where the help says that one is expected.
func withFiles(node *kong.Node, c *complete.Command) {
	files := complete.PredictFiles("*")
	for _, flag := range node.Flags {
		if strings.Contains(flag.PlaceHolder, "FILE") || strings.Contains(flag.PlaceHolder, "DIR") {
			c.GlobalFlags["--"+flag.Name] = files
		}
	}
	if len(node.Positional) > 0 {
		c.Args = files
	}
	for _, child := range node.Children {
		if sub, ok := c.Sub[child.Name]; ok {
			withFiles(child, &sub)
			c.Sub[child.Name] = sub
		}
	}
}
