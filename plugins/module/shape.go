package module

import "strings"

// complete checks what only the end of the file tells.
func (p *parser) complete() {
	switch at := p.end; {
	case p.defined != len(p.m.funcs)-p.m.imported:
		p.fail(Malformed, at, doRebuild, "%d functions without a body", len(p.m.funcs)-p.m.imported)
	case p.m.datas > 0 && p.m.sections[sectionData].end == 0:
		p.fail(Malformed, at, doRebuild, "%d data segments are declared but missing", p.m.datas)
	}
}

// check holds manifest, imports and exports to ABI 1.
func (p *parser) check() {
	if p.manifest.end == 0 {
		p.fail(BadManifest, -1, "add it: awarc plugin pack FILE.wasm plugin.json", "no manifest")
		return
	}
	text := p.b[p.manifest.start:p.manifest.end]
	manifest, err := parseManifest(text)
	if err != nil {
		err.Offset += p.manifest.start
		p.err = err
		return
	}
	p.m.Manifest = manifest

	seen := map[string]bool{}
	for _, im := range p.imports {
		if what, do := checkImport(&im.Import, manifest.WASIFSStubs); what != "" {
			p.fail(BadImport, im.offset, do, "%s", what)
			return
		}
		if name := im.Module + "." + im.Name; !seen[name] {
			seen[name] = true
			p.m.Imports = append(p.m.Imports, im.Import)
		}
	}
	p.checkExports()

	if mb := manifest.MemoryMB; mb > 0 && p.err == nil {
		pages := mb << 4
		if pages > p.l.MemoryPages {
			p.fail(BadManifest, p.manifest.start, "lower it, or ask the operator for more", "the manifest: memory_mb is %d; %d are allowed",
				mb, p.l.MemoryPages>>4)
			return
		}
		if pages < p.m.MemoryMin {
			p.fail(BadManifest, p.manifest.start, "raise it, or link with a smaller stack",
				"the manifest: memory_mb is %d, but the memory starts with %d pages of 64 KiB", mb, p.m.MemoryMin)
			return
		}
		p.m.MemoryMax = min(p.m.MemoryMax, pages)
	}
}

// reserved is the beginning of export names that belong to the host.
const reserved = "awarc."

func (p *parser) checkExports() {
	refuse := func(do, format string, args ...any) { p.fail(BadExport, -1, do, format, args...) }
	for name := range p.m.exports {
		if strings.HasPrefix(name, reserved) {
			refuse("name it differently", "the export %q: names that begin with %s belong to the host", name, reserved)
			return
		}
	}
	if _, ok := p.m.exports["_start"]; ok {
		refuse("build a reactor: -buildmode=c-shared for Go, -mexec-model=reactor for C, crate type cdylib for Rust",
			"it exports _start, so it is a command that runs once and ends")
		return
	}
	if e, ok := p.m.exports["memory"]; !ok || e.kind != kindMemory {
		refuse("export the memory under that name", "the module has no export named memory")
		return
	}
	p.exported("awarc_abi_1", ">", true)
	p.m.Initialize = p.exported("_initialize", ">", false)
	p.m.Configure = p.exported("awarc_configure", ">i", false)
	for _, k := range p.m.Manifest.Kind {
		p.exported(k.export(), ">i", true)
	}
}

// exported reports whether a function is exported, which must have the signature.
func (p *parser) exported(name, want string, required bool) bool {
	e, ok := p.m.exports[name]
	switch {
	case !ok && required:
		p.fail(BadExport, -1, doABI, "the function %s is not exported", name)
	case ok && e.kind != kindFunc:
		p.fail(BadExport, -1, doABI, "the export %s is not a function", name)
	case ok:
		t := p.m.types[p.m.funcs[e.index]]
		if got := signature(t.params, t.results); got != want {
			p.fail(BadExport, -1, doABI, "the export %s is (%s), which must be (%s)", name, spell(got), spell(want))
		}
	}
	return ok
}
