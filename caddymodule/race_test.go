//go:build race

package caddymodule

// Under the race detector a sync.Pool drops things at random.
func init() { hitAllocations++ }
