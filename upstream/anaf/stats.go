package anaf

// Stats are the figures of a Lookup: what waits at this moment, and counters
// since it began.
type Stats struct {
	// Interactive, Refresh and Quarantined are the companies not yet asked about:
	// those that callers wait for, those refreshed behind their back, and those
	// that once spoilt a batch and are asked about alone.
	Interactive, Refresh, Quarantined int
	// Ahead is the companies that are fresh and popular, and are asked about when
	// a call has a place to spare.
	Ahead int
	// Again is the companies of failed calls that are asked about once more.
	Again int
	// Errands is the calls of Paced that wait for their turn.
	Errands int
	// Running is the calls under way, errands among them.
	Running int

	// Calls and Companies count the calls that ended and the companies in them;
	// calls that a breaker did not let through are not among them, nor errands.
	Calls, Companies uint64
	// Split is the batches that failed and were asked about in parts.
	Split uint64
	// Refused is the companies for which there was no room in the queue.
	Refused uint64
}

// Stats reads the figures.
func (l *Lookup) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Interactive, s.Refresh, s.Quarantined = l.queue[interactive].length, l.queue[refresh].length, l.queue[alone].length
	s.Ahead = l.queue[ahead].length
	s.Again = l.waiting() - l.queue.len()
	s.Errands, s.Running = len(l.errands), l.calls
	return s
}
