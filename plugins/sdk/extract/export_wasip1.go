package extract

//go:wasmexport awarc_extract
func export() int32 { return serve() }
