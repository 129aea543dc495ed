module github.com/awarc/awarc/engine/dates/testdata/library

go 1.26.0

require (
	github.com/awarc/awarc v0.0.0
	github.com/go-playground/locales v0.14.1
)

require golang.org/x/text v0.43.0 // indirect

replace github.com/awarc/awarc => ../../../..
