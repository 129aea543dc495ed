package score

//go:wasmexport awarc_score
func export() int32 { return serve() }
