package testkit

import "runtime"

// HeapMiB returns how much of the heap a value takes, in MiB.
func HeapMiB(load func() any) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	value := load()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(value)
	return (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / (1 << 20)
}
