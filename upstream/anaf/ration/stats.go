package ration

// Stats are the statistics of a Lookup: current gauges, and counters since its start.
type Stats struct {
	// Interactive, Refresh and Quarantined are the numbers of companies not yet requested: for waiting callers, for
	// background refreshes, and in quarantine because they once failed a batch.
	Interactive, Refresh, Quarantined int
	// Ahead is the number of popular companies to be refreshed ahead of their expiry when a call has a free slot.
	Ahead int
	// Again is the number of companies of failed batches to be requested once more.
	Again int
	// Paced is the number of calls through [Paced] that wait for their turn.
	Paced int
	// Running is the number of running calls, including paced ones.
	Running int

	// Calls counts the finished calls for companies, and Companies the companies in them, except calls blocked by a
	// breaker.
	Calls, Companies uint64
	// Split counts the failed batches that were split.
	Split uint64
	// Incomplete counts the records that do not say whether the company pays VAT.
	Incomplete uint64
	// Misdated counts the records for another day than requested.
	Misdated uint64
	// Disagreements counts the records of past days whose periods contradict the register's own VAT status.
	Disagreements uint64
	// Refused counts the companies rejected by a full queue.
	Refused uint64
}

// Stats returns the statistics.
func (l *Lookup) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Interactive, s.Refresh = l.queue[interactive].length, l.queue[refresh].length
	s.Quarantined, s.Ahead = l.queue[alone].length, l.queue[ahead].length
	s.Again = l.queue[again].length + l.bisector.len()
	s.Paced, s.Running = len(l.paced.waiting), l.pacer.running
	return s
}
