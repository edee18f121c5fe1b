package work

import "time"

// Backoff lists the pauses after the first failed attempt, the second, and so on. The last one repeats.
type Backoff []time.Duration

// After returns the pause after a number of failed attempts, at least one.
func (b Backoff) After(tries int) time.Duration { return b[min(tries, len(b))-1] }

// IsExhausted reports whether a number of failed attempts has used up all pauses, so that the work should be given up.
func (b Backoff) IsExhausted(tries int) bool { return tries > len(b) }
