package moduletest

// Imported functions of ABI 1 by their indices in ABI.
const (
	InputLen = iota
	InputRead
	OutputWrite
	OutputReset
	ErrorSet
	Log
	LogEnabled
)

// ABI is every import of ABI 1.
var ABI = []Import{
	{Module: "awarc", Name: "input_len", Sig: ">i"},
	{Module: "awarc", Name: "input_read", Sig: "iii>i"},
	{Module: "awarc", Name: "output_write", Sig: "ii>i"},
	{Module: "awarc", Name: "output_reset", Sig: ">"},
	{Module: "awarc", Name: "error_set", Sig: "ii>"},
	{Module: "awarc", Name: "log", Sig: "iii>"},
	{Module: "awarc", Name: "log_enabled", Sig: "i>i"},
}

// Manifest is that of a scorer.
const Manifest = `{"awarc_plugin":1,"abi":"1.0","name":"org.example.test","version":"1.0.0","kind":["scorer"]}`

// Plugin completes a module to a plugin that is a scorer with the code: the imports
// of ABI followed by those of m, a memory of at least one page, exports and
// manifest. Functions of m follow awarc_score, whose index is Score(m).
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

// Score is the index of awarc_score in Plugin(m, ...), and First that of the
// first function of m.
func Score(m Module) int { return len(ABI) + len(m.Imports) }
func First(m Module) int { return Score(m) + 2 }
