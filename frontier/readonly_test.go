package frontier

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestReadOnly: who reads a frontier finds all that is in it, changes nothing, and keeps nobody else from reading.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Add(context.Background(), []URL{{URL: "http://a.example/1"}, {URL: "http://b.example/2"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenReadOnly(dir); !isKind(err, Locked) {
		t.Errorf("while it is open otherwise: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, FileName)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r, err := OpenReadOnly(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		found, err := r.All(func(Entry) error { return nil })
		if _, known := r.Lookup("http://b.example/2"); found != 2 || err != nil || !known || r.Stats().Pending != 2 {
			t.Errorf("%d entries (%v), known: %v, %+v", found, err, known, r.Stats())
		}
		if _, err := r.Add(context.Background(), []URL{{URL: "http://a.example/3"}}); !errors.Is(err, ErrClosed) {
			t.Errorf("adding: %v", err)
		}
		if _, err := r.Next(context.Background()); !errors.Is(err, ErrClosed) {
			t.Errorf("leasing: %v", err)
		}
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file is another (%v)", err)
	}
	if _, err := OpenReadOnly(filepath.Join(dir, "none")); !isKind(err, Missing) {
		t.Errorf("of nothing: %v", err)
	}
}

func isKind(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}
