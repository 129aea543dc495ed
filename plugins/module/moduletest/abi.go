package moduletest

// Indices of the imported functions of ABI 1 in ABI.
const (
	InputLen = iota
	InputRead
	OutputWrite
	OutputReset
	ErrorSet
	Log
	LogEnabled
)

// ABI lists every import of ABI 1.
var ABI = []Import{
	{Module: "awarc", Name: "input_len", Sig: ">i"},
	{Module: "awarc", Name: "input_read", Sig: "iii>i"},
	{Module: "awarc", Name: "output_write", Sig: "ii>i"},
	{Module: "awarc", Name: "output_reset", Sig: ">"},
	{Module: "awarc", Name: "error_set", Sig: "ii>"},
	{Module: "awarc", Name: "log", Sig: "iii>"},
	{Module: "awarc", Name: "log_enabled", Sig: "i>i"},
}

// Manifest is the manifest of a scorer.
const Manifest = `{"awarc_plugin":1,"abi":"1.0","name":"org.example.test","version":"1.0.0","kind":["scorer"]}`

// Plugin completes a module to a scorer with the code. It adds the imports of ABI before the
// imports of m, a memory of at least one page, exports and a manifest. Functions of m start at
// First(m).
func Plugin(m Module, code []byte) Module {
	m.Imports = append(append([]Import{}, ABI...), m.Imports...)
	m.Funcs = append([]Func{
		{Sig: ">i", Export: "awarc_score", Code: code, Locals: "iiiI"},
		{Sig: ">", Export: "awarc_abi_1"},
	}, m.Funcs...)
	if len(m.Memory) == 0 {
		m.Memory = []int{1}
	}
	m.Exports = append([][]byte{Export("memory", 2, 0)}, m.Exports...)
	if m.Manifest == "" {
		m.Manifest = Manifest
	}
	return m
}

// Score returns the index of awarc_score in Plugin(m, ...), and First the index of the first
// function of m.
func Score(m Module) int { return len(ABI) + len(m.Imports) }
func First(m Module) int { return Score(m) + 2 }
