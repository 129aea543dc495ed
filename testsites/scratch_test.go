package testsites

import (
	"fmt"
	"net/http/httptest"
	"os"
	"testing"
)

func TestScratch(t *testing.T) {
	if os.Getenv("C") == "" {
		t.Skip()
	}
	p := [2]string{os.Getenv("C"), os.Getenv("T")}
	s, err := New(p[0], p[1], Options{Posts: 300, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://h.test"+os.Getenv("U"), nil)
	if os.Getenv("COOKIE") != "" {
		r.Header.Set("Cookie", os.Getenv("COOKIE"))
	}
	s.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header())
	fmt.Println(w.Body.String())
	fmt.Println(s.Truth("http://h.test").Count())
}
