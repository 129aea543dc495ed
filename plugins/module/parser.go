package module

// parser reads the sections of a file into a Module and checks them.
type parser struct {
	reader
	m *Module
	l Limits

	section  int // being read, or -1
	function int // whose body is being read, or -1

	imports  []declaredImport
	declared []bool // functions that code may take references of
	defined  int    // bodies that were read
	work     int    // estimated, to compile the bodies that were read
	memory   bool
	manifest span
	body     body
}

type declaredImport struct {
	Import
	offset int
}

func (p *parser) module() {
	file, rank := p.end, -1
	for p.pos < file && p.err == nil {
		at := p.pos
		id := p.byte()
		content := p.bytes(p.u32(), "a section")
		if p.err != nil {
			return
		}
		if int(id) >= len(sectionNames) {
			p.fail(Unsupported, at, doFeatures, "a section of the unknown kind %d", id)
			return
		}
		p.section = int(id)
		s := span{p.pos - len(content), p.pos}
		if id != sectionCustom {
			r := 0
			for sectionOrder[r] != id {
				r++
			}
			if r <= rank {
				p.fail(Malformed, at, doToolchain, "the section is repeated or in the wrong order")
				return
			}
			rank = r
			p.m.sections[id] = s
		}
		p.pos, p.end = s.start, s.end
		p.content(id)
		if p.err == nil && p.pos != p.end {
			p.fail(Malformed, p.pos, doToolchain, "%d unexpected bytes", p.end-p.pos)
		}
		if p.err != nil {
			return
		}
		p.pos, p.end = s.end, file
		p.section = -1
	}
	if p.err == nil {
		p.complete()
	}
	if p.err == nil {
		p.check()
	}
}

func (p *parser) content(id byte) {
	switch id {
	case sectionCustom:
		p.custom()
	case sectionType:
		p.typeSection()
	case sectionImport:
		p.importSection()
	case sectionFunction:
		p.functionSection()
	case sectionTable:
		p.tableSection()
	case sectionMemory:
		p.memorySection()
	case sectionGlobal:
		p.globalSection()
	case sectionExport:
		p.exportSection()
	case sectionStart:
		p.startSection()
	case sectionElement:
		p.elementSection()
	case sectionDataCount:
		p.m.datas = p.countOf(p.l.DataSegments, "data segments")
	case sectionCode:
		p.codeSection()
	case sectionData:
		p.dataSection()
	}
}

// countOf reads a number that counts nothing in its own section.
func (p *parser) countOf(most int, what string) int {
	at := p.pos
	n := p.u32()
	if uint64(n) > uint64(most) {
		p.fail(OverLimit, at, "use fewer", "%d %s; %d are allowed", n, what, most)
		return 0
	}
	return int(n)
}

// custom keeps where the manifest and the names are; other sections are ignored.
func (p *parser) custom() {
	at := p.pos
	switch p.name() {
	case ManifestSection:
		if p.manifest.end != 0 {
			p.fail(BadManifest, at, "pack the plugin again: plugin pack replaces the manifest", "a second manifest")
			return
		}
		p.manifest = span{p.pos, p.end}
		if n := p.end - p.pos; n > p.l.ManifestBytes {
			p.fail(BadManifest, at, "shorten it", "a manifest of %d bytes; %d are allowed", n, p.l.ManifestBytes)
		}
	case "name":
		if p.m.names.end == 0 {
			p.m.names = span{p.pos, p.end}
		}
	}
	p.pos = p.end
}

func (p *parser) valueType() byte {
	at := p.pos
	t := p.byte()
	if !isValueType(t) && p.err == nil {
		p.fail(Unsupported, at, doFeatures, "a value type %#x", t)
	}
	return t
}

func (p *parser) refType() byte {
	at := p.pos
	t := p.byte()
	if !isRefType(t) && p.err == nil {
		p.fail(Unsupported, at, doFeatures, "a reference type %#x", t)
	}
	return t
}

func (p *parser) valueTypes(most int, what string) []byte {
	n := p.count(most, what)
	start := p.pos
	for range n {
		p.valueType()
	}
	if p.err != nil {
		return nil
	}
	return p.b[start:p.pos:p.pos]
}
