//go:build race

package service

// Under the race detector a sync.Pool drops things at random.
func init() { hitAllocations++ }
