package kb

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// Loading many types in one file takes at most 25 bytes of memory for each byte of the file: it
// took 34 when the elements of the whole file were kept until the end.
func TestLargeFilesTakeBoundedMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	var b strings.Builder
	b.WriteString(`<kb xmlns="urn:awarc:kb:1"><category id="forum">`)
	const types = 2500
	for i := range types {
		fmt.Fprintf(&b, `
<type id="t%[1]d" name="T%[1]d"><detect><pattern>meta[@name='generator'][contains(@content, 'Soft%[1]d ')]</pattern></detect>
<urls><drop param="sid"/><address level="topic">topic/{n}</address></urls>
<level id="topic" kind="terminal"><detect><pattern>div[@id='t%[1]d']//p[@class='x']</pattern></detect>
<object class="sioc:Thread" id="{url}"><field name="title" required="yes">h1</field>
<object class="sioc:Post" at="div[@class='post']" id="{url}#{@id}"><field name="creator" required="yes">div[@class='author']/a</field>
<field name="created" as="date" required="yes">div[@class='meta']/time/@datetime</field>
<field name="content" as="html" required="yes">div[@class='text']</field></object></object></level>
<level id="forum" kind="intermediate"><detect><pattern>div[@id='f%[1]d']</pattern></detect><follow to="topic">a[@class='t%[1]d']</follow>
</level></type>`, i)
	}
	b.WriteString("</category></kb>")
	data := []byte(b.String())
	held := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapSys - m.HeapReleased)
	}
	debug.FreeOSMemory()
	before := held()
	base, err := Load(Source{Name: "large.xml", Data: data})
	if err != nil || len(base.Types) != types {
		t.Fatal(err)
	}
	if took, most := held()-before, int64(25*len(data)); took > most {
		t.Errorf("loading %d bytes took %d bytes of memory, want at most %d", len(data), took, most)
	} else {
		t.Logf("%.1f bytes for each byte", float64(took)/float64(len(data)))
	}
}
