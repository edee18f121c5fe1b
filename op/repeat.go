package op

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

// Repeats remembers the calls of accounts by their Idempotency-Key, for [account.RepeatFor], so that a caller who
// received no answer can repeat the call without paying twice.
type Repeats interface {
	// BeginCall records that a call is running under a key, and returns the credits that earlier calls under it were
	// charged. The fingerprint identifies the request. The errors include account.ErrCallRuns and account.ErrOtherCall.
	BeginCall(ctx context.Context, owner, key, fingerprint string) (charged int64, err error)
	// EndCall records that the call has ended.
	EndCall(ctx context.Context, owner, key string) error
}

// LongestIdempotencyKey is the maximum length of the header Idempotency-Key in characters.
const LongestIdempotencyKey = 255

// repeat is a call under an Idempotency-Key; nil for a call without one.
type repeat struct {
	repeats      Repeats
	account, key string
	paid         int // credits paid by earlier calls that have not been deducted from this call's price yet
}

// beginRepeat starts a call with an Idempotency-Key. identity is a text that is equal for equal requests.
func (g *Gateway) beginRepeat(ctx context.Context, op *Operation, call *Call, caller *account.Caller,
	identity func() string) (*repeat, error) {
	if call.IdempotencyKey == "" || identity == nil {
		return nil, nil
	}

	key, err := HashIdempotencyKey(call.IdempotencyKey)
	if err != nil || caller.Plan == nil { // only accounts are charged
		return nil, err
	}

	charged, err := g.Repeats.BeginCall(ctx, caller.Account(), key, Fingerprint(op.Name, identity()))
	switch {
	case errors.Is(err, account.ErrCallRuns):
		return nil, problem.IdempotencyKeyInUse.New("a call with this Idempotency-Key is still being answered; wait for " +
			"its answer, or repeat the call later").After(rowRetry)
	case errors.Is(err, account.ErrOtherCall):
		return nil, problem.IdempotencyKeyReused.New("this Idempotency-Key was used within the last 24 hours for a " +
			"different call; use a new key for each new call")
	case err != nil:
		return nil, fmt.Errorf("%w: %w", account.ErrStoreDown, err)
	}

	return &repeat{g.Repeats, caller.Account(), key, int(charged)}, nil
}

// HashIdempotencyKey hashes the header's value: a quoted string as in the draft
// (draft-ietf-httpapi-idempotency-key-header-07), or unquoted, as many clients send it.
func HashIdempotencyKey(header string) (string, error) {
	key, quoted := header, len(header) >= 2 && header[0] == '"' && header[len(header)-1] == '"'
	if quoted {
		key = header[1 : len(header)-1]
	}

	if key == "" || len(key) > LongestIdempotencyKey || !isPlain(key) || strings.ContainsAny(key, `"\`) {
		return "", problem.Invalid(&problem.InputError{
			Parameter: "Idempotency-Key", Code: problem.InvalidFormat,
			Accepted: fmt.Sprintf("a string of 1 to %d printable ASCII characters without quotes, such as a UUID",
				LongestIdempotencyKey),
		})
	}

	return fmt.Sprintf("%x", sha256.Sum256([]byte(key))), nil
}

// Fingerprint identifies the request of a call.
func Fingerprint(operation, identity string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(operation+" "+identity)))
}

// owed returns the maximum charge of a call, given its price.
func (r *repeat) owed(price int) int {
	if r == nil {
		return price
	}
	return max(0, price-r.paid)
}

// due returns the remainder of a price after crediting earlier calls.
func (r *repeat) due(credits int) int {
	if r == nil {
		return credits
	}

	setOff := min(credits, r.paid)
	r.paid -= setOff
	return credits - setOff
}

// name returns the key under which the call's charges are recorded.
func (r *repeat) name() string {
	if r == nil {
		return ""
	}
	return r.key
}

// end makes the key available for the next call. If the store fails, the key becomes available once the lease of this
// call expires.
func (r *repeat) end(ctx context.Context) {
	if r != nil {
		_ = r.repeats.EndCall(context.WithoutCancel(ctx), r.account, r.key)
	}
}
