package queue

import "time"

// Backoff are the pauses after the first failed try, the second, and so on. The last one repeats.
type Backoff []time.Duration

// After is the pause after a number of failed tries, at least one.
func (b Backoff) After(tries int) time.Duration { return b[min(tries, len(b))-1] }

// Exhausted reports whether that many tries have used up all pauses: for work that is given up.
func (b Backoff) Exhausted(tries int) bool { return tries > len(b) }
