package account

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/rodata/rodata/metering"
)

// guessRate bounds the secrets of each address that the store is asked about in
// vain. It is the default rate of anonymous calls, which is enough for people who
// mistype, and for a program that was left with a revoked key.
var guessRate = metering.PerSecond(1, 10)

// TooManyGuesses is the error when so many secrets that are not valid have come from
// an address that the store is not asked about another one.
type TooManyGuesses struct {
	// RetryAfter is how long until it is asked again.
	RetryAfter time.Duration
}

func (e *TooManyGuesses) Error() string {
	return fmt.Sprintf("too many keys that are not valid came from this address; the next one is looked up in %s", e.RetryAfter)
}

// guess takes a token from the bucket of an address before the store is asked about
// a secret that it has not vouched for. Exonerate gives the token back, so that
// valid keys never use up the bucket.
func (d *Directory) guess(from netip.Addr) (exonerate func(), _ error) {
	if d.Guesses == nil {
		return func() {}, nil
	}
	bucket := metering.Named("guessed keys", metering.AddressBucket(from).Network)
	if allowance := d.Guesses.Take(bucket, guessRate); !allowance.OK {
		return nil, &TooManyGuesses{allowance.RetryAfter}
	}
	return func() { d.Guesses.GiveBack(bucket) }, nil
}
