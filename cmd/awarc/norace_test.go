//go:build !race

package main

import "testing"

func heavy(*testing.T) {}
