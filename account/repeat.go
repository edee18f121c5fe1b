package account

import (
	"errors"
	"time"
)

const (
	// RepeatFor is the time for which an Idempotency-Key is remembered after its first call.
	RepeatFor = 24 * time.Hour
	// CallLease is the maximum duration of a call. A call that never ended, because its process died, blocks its key
	// only until then.
	CallLease = 2 * time.Minute
)

// The reasons why a call cannot begin under an Idempotency-Key.
var (
	// ErrCallRuns: a call with the same key is still in progress.
	ErrCallRuns = errors.New("a call with this Idempotency-Key is being answered")
	// ErrOtherCall: the key was used for a different request.
	ErrOtherCall = errors.New("the Idempotency-Key belongs to another call")
)
