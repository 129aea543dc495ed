package archive

import (
	"bytes"
	"encoding/json"
)

// cdxHead is how the first line of a CDX file begins, the index before CDXJ, which GNU wget and
// Heritrix' tools write. Its letters say what the fields of all lines are.
var cdxHead = []byte(" CDX ")

// cdxLetters returns the letters of the first line of a CDX file; nil for another line.
func cdxLetters(line []byte) []byte {
	if !bytes.HasPrefix(line, cdxHead) {
		return nil
	}
	var letters []byte
	for _, field := range bytes.Fields(line[len(cdxHead):]) {
		letters = append(letters, field[0])
	}
	return letters
}

// cdxLine makes a line of CDXJ of one of CDX; nil where it has not as many fields as the first.
func cdxLine(letters, line []byte) []byte {
	fields := bytes.Fields(line)
	if len(fields) != len(letters) {
		return nil
	}
	var date string
	object := map[string]string{}
	for i, letter := range letters {
		value := string(fields[i])
		switch name := cdxNames[letter]; {
		case letter == 'b':
			date = value
		case name != "" && value != "-":
			object[name] = value
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	return append([]byte("- "+date+" "), text...)
}

// cdxNames are the members of CDXJ that letters of CDX stand for.
var cdxNames = map[byte]string{'a': "url", 'm': "mime", 's': "status", 'k': "digest", 'g': "filename", 'V': "offset"}
