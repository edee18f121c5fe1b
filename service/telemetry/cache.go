package telemetry

var (
	cacheDesc       = desc("rodata_cache_total", "Cache look-ups by kind of data and result.", "kind", "result")
	refreshesDesc   = desc("rodata_cache_refreshes_total", "Background refreshes by kind of data.", "kind")
	failuresDesc    = desc("rodata_cache_failures_total", "Failed fetches and refreshes, without prefetches.", "kind")
	entriesDesc     = desc("rodata_cache_entries", "Cache entries in memory.")
	bytesDesc       = desc("rodata_cache_bytes", "Estimated size of the cache in memory.")
	setsDroppedDesc = desc("rodata_cache_sets_dropped_total",
		"Entries not admitted to memory because its buffer was full; they are in the file.")
	setsRejectedDesc = desc("rodata_cache_sets_rejected_total",
		"Entries not admitted to memory because it holds more popular ones; they are in the file.")
	diskQueueDesc  = desc("rodata_cache_disk_queue", "Entries waiting to be written to the cache's file.")
	diskErrorsDesc = desc("rodata_cache_disk_errors_total", "Failed reads and writes of the cache's file.")
	diskPausedDesc = desc("rodata_cache_disk_paused",
		"1 while writes to the cache's file are suspended after an error.")
)

func (r *Reading) writeCache(o output) {
	stats := r.Cache
	for kind, k := range stats.Kinds {
		for result, n := range map[string]uint64{
			"hit_fresh": k.Fresh, "hit_stale": k.Stale, "hit_disk": k.Below, "hit_shared": k.Shared,
			"unknown": k.Unknown, "miss": k.Misses, "collapsed": k.Collapsed,
		} {
			o.counter(cacheDesc, n, kind, result)
		}

		o.counter(refreshesDesc, k.Refreshes, kind)
		o.counter(failuresDesc, k.Failures, kind)
	}

	o.gauge(entriesDesc, float64(stats.Entries))
	o.gauge(bytesDesc, float64(stats.Bytes))
	o.counter(setsDroppedDesc, stats.SetsDropped)
	o.counter(setsRejectedDesc, stats.SetsRejected)
	o.gauge(diskQueueDesc, float64(stats.Queued))
	o.counter(diskErrorsDesc, stats.DiskErrors)
	o.gauge(diskPausedDesc, boolValue(stats.DiskPaused))
}
