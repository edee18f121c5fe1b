package anaf

// Stats are the figures of a Lookup: gauges of this moment, and counters since its
// start.
type Stats struct {
	// Interactive, Refresh and Quarantined are the companies not yet asked about:
	// those that callers wait for, those refreshed in the background, and those that
	// once spoilt a batch and are asked about alone.
	Interactive, Refresh, Quarantined int
	// Ahead is the popular companies that are refreshed ahead of their expiry when a
	// call has a place to spare.
	Ahead int
	// Again is the companies of failed batches that are asked about once more.
	Again int
	// Paced is the calls of Paced that wait for their turn.
	Paced int
	// Running is the calls under way, paced ones among them.
	Running int

	// Calls and Companies count the calls for companies that ended and the companies
	// in them, except calls that a breaker did not let through.
	Calls, Companies uint64
	// Split counts the batches that failed and were asked about in parts.
	Split uint64
	// Incomplete counts the records that do not say whether the company pays VAT.
	Incomplete uint64
	// Misdated counts the records that are about another day than the one asked for.
	Misdated uint64
	// Disagreements counts the records of a day in the past whose periods say something else
	// of VAT on that day than the register's own word.
	Disagreements uint64
	// Refused counts the companies for which there was no room in the queue.
	Refused uint64
}

// Stats returns the figures.
func (l *Lookup) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Interactive, s.Refresh, s.Quarantined = l.queue[interactive].length, l.queue[refresh].length, l.queue[alone].length
	s.Ahead = l.queue[ahead].length
	s.Again = l.queue[again].length + l.bisector.len()
	s.Paced, s.Running = len(l.paced.waiting), l.pacer.running
	return s
}
