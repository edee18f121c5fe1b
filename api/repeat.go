package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

// Repeats remembers the calls of accounts by their Idempotency-Key, for [RepeatFor], so
// that a caller who did not get an answer can repeat the call without paying twice.
type Repeats interface {
	// BeginCall notes that a call is under way under a key, and returns the credits that
	// earlier calls under it were charged. The fingerprint tells the call from others. The
	// errors are ErrCallRuns and ErrOtherCall, and those that wrap account.ErrStoreDown.
	BeginCall(ctx context.Context, account, key, fingerprint string) (charged int64, err error)
	// EndCall notes that the call has ended.
	EndCall(ctx context.Context, account, key string) error
}

// The errors of Repeats.
var (
	// ErrCallRuns: a call under the same key is still being answered.
	ErrCallRuns = errors.New("a call with this Idempotency-Key is being answered")
	// ErrOtherCall: the key was used for a call that asked for something else.
	ErrOtherCall = errors.New("the Idempotency-Key belongs to another call")
)

const (
	// RepeatFor is how long a key is remembered after its first call.
	RepeatFor = 24 * time.Hour
	// CallLease is how long a call may take: after it, a call that never ended, because its
	// process did, no longer keeps its key from being used.
	CallLease = 2 * time.Minute

	longestIdempotencyKey = 255
)

// repeat is a call under an Idempotency-Key. It is nil for a call without one.
type repeat struct {
	repeats      Repeats
	account, key string
	paid         int // credits of earlier calls that are not yet set off
}

// beginRepeat begins a call that its caller may repeat.
func (g *Gateway) beginRepeat(ctx context.Context, op *Operation, call *Call, caller *account.Caller, identity func() string) (*repeat, error) {
	if call.IdempotencyKey == "" || identity == nil {
		return nil, nil
	}
	key, err := idempotencyKey(call.IdempotencyKey)
	if err != nil || caller.Plan == nil { // nobody else is charged
		return nil, err
	}

	charged, err := g.Repeats.BeginCall(ctx, caller.Account(), key, fingerprint(op, identity()))
	switch {
	case errors.Is(err, ErrCallRuns):
		p := problem.IdempotencyKeyInUse.New("a call with this Idempotency-Key is still being answered; wait for its answer, or repeat the call a little later")
		p.RetryAfter = rowRetry
		return nil, p
	case errors.Is(err, ErrOtherCall):
		return nil, problem.IdempotencyKeyReused.New("this Idempotency-Key was used within the last 24 hours for a call that asked for something else; use a new key when the request changes")
	case err != nil:
		return nil, fmt.Errorf("%w: %w", account.ErrStoreDown, err)
	}

	return &repeat{g.Repeats, caller.Account(), key, int(charged)}, nil
}

// idempotencyKey hashes the header's value: a string in quotes, as the draft has it
// (draft-ietf-httpapi-idempotency-key-header-07), or bare, as many clients send it.
func idempotencyKey(header string) (string, error) {
	key, quoted := header, len(header) >= 2 && header[0] == '"' && header[len(header)-1] == '"'
	if quoted {
		key = header[1 : len(header)-1]
	}
	if key == "" || len(key) > longestIdempotencyKey || !plain(key) || strings.ContainsAny(key, `"\`) {
		return "", problem.Invalid(&problem.InputError{
			Parameter: "Idempotency-Key", Code: problem.InvalidFormat,
			Accepted: fmt.Sprintf("one text of 1 to %d printable ASCII characters without quotes, such as a UUID", longestIdempotencyKey),
		})
	}

	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:]), nil
}

// fingerprint tells calls apart by what they ask for.
func fingerprint(op *Operation, identity string) string {
	sum := sha256.Sum256([]byte(op.Name + " " + identity))
	return hex.EncodeToString(sum[:])
}

// owed is what a call of some price may have to be charged.
func (r *repeat) owed(price int) int {
	if r == nil {
		return price
	}
	return max(0, price-r.paid)
}

// due is what remains to be charged of a price, after what earlier calls have paid.
func (r *repeat) due(credits int) int {
	if r == nil {
		return credits
	}
	setOff := min(credits, r.paid)
	r.paid -= setOff
	return credits - setOff
}

// name is what charges of the call are noted under.
func (r *repeat) name() string {
	if r == nil {
		return ""
	}
	return r.key
}

// end lets the call be repeated. If that cannot be noted, it can once its lease is over.
func (r *repeat) end(ctx context.Context) {
	if r != nil {
		_ = r.repeats.EndCall(context.WithoutCancel(ctx), r.account, r.key)
	}
}
