package main

type evalCmd struct {
	Quality evalQualityCmd `cmd:"" help:"Judge detection and extraction on saved pages."`
}
