module github.com/awarc/awarc/engine/detect/testdata/contains

go 1.26.0

replace github.com/awarc/awarc => ../../../..

require (
	github.com/BobuSumisu/aho-corasick v1.0.3
	github.com/awarc/awarc v0.0.0-00010101000000-000000000000
	github.com/cloudflare/ahocorasick v0.0.0-20240916140611-054963ec9396
	golang.org/x/net v0.62.0
)

require (
	github.com/antchfx/xpath v1.3.9 // indirect
	github.com/beevik/etree v1.8.1 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
