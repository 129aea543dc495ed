package watching

import (
	"strings"
	"testing"
)

func TestPlot(t *testing.T) {
	points, err := ReadPoints(strings.NewReader("# policy, fetches, days\nuniform\t218.3\t15.1\nawarc\t3.9\t1.01\nawarc\t2.8\t1.4\n"))
	if err != nil || len(points) != 3 {
		t.Fatalf("%v: %v", points, err)
	}
	drawn := Plot(points)
	if n := strings.Count(drawn, "<circle"); n != 5 || strings.Contains(drawn, "%!") { // three runs, two policies
		t.Errorf("%d circles: %s", n, drawn)
	}
	for _, wrong := range []string{"uniform\t1", "uniform\tx\t1", "uniform\t1\t0"} {
		if _, err := ReadPoints(strings.NewReader(wrong)); err == nil {
			t.Errorf("%q is read without an error", wrong)
		}
	}
}
