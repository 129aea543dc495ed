package endpoint

import (
	"errors"
	"io"
	"os"
)

// log is the file of parts that a server has acknowledged: their keys, one after the other; of one name the last counts. A key that a
// crash cut off is read as none.
type log struct {
	file *os.File
	keys map[[12]byte][12]byte
	size int64
}

func openLog(name string) (*log, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	l := &log{file: f, keys: map[[12]byte][12]byte{}}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for l.size = 0; l.size+int64(len(key{})) <= int64(len(text)); l.size += int64(len(key{})) {
		l.set(key(text[l.size:]))
	}
	return l, nil
}

func (l *log) set(k key) { l.keys[[12]byte(k[:12])] = [12]byte(k[12:]) }

func (l *log) has(k key) bool { return l.keys[[12]byte(k[:12])] == [12]byte(k[12:]) }

// add notes parts.
func (l *log) add(parts []*part) error {
	var text []byte
	for _, p := range parts {
		k := p.key()
		l.set(k)
		text = append(text, k[:]...)
	}
	n, err := l.file.WriteAt(text, l.size)
	l.size += int64(n)
	return err
}

func (l *log) close() error { return errors.Join(l.file.Sync(), l.file.Close()) }
