package account

import (
	"errors"
	"time"
)

const (
	// RepeatFor is how long an Idempotency-Key is remembered after its first call.
	RepeatFor = 24 * time.Hour
	// CallLease is how long a call may run. After that, a call that never ended, because its
	// process did, no longer keeps its key from being used.
	CallLease = 2 * time.Minute
)

// Why a call cannot begin under an Idempotency-Key.
var (
	// ErrCallRuns: a call under the same key is still being answered.
	ErrCallRuns = errors.New("a call with this Idempotency-Key is being answered")
	// ErrOtherCall: the key was used for a call that asked for something else.
	ErrOtherCall = errors.New("the Idempotency-Key belongs to another call")
)
