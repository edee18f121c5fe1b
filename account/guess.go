package account

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/rodata/rodata/metering"
)

// guessRate limits the failed look-ups of an address in the store. It is the default rate of anonymous calls: enough
// for typing errors, and for a program with a revoked key.
var guessRate = metering.PerSecond(1, 10)

// TooManyGuesses is the error after too many invalid secrets from an address.
type TooManyGuesses struct {
	// RetryAfter is the time until the next look-up.
	RetryAfter time.Duration
}

func (e *TooManyGuesses) Error() string {
	return fmt.Sprintf("too many invalid keys came from this address; the next one is looked up in %s", e.RetryAfter)
}

// admitGuess takes a token from the bucket of an address before the store is queried about an unproven secret. Its
// giveBack returns the token, so that valid keys never use up the bucket.
func (d *Directory) admitGuess(from netip.Addr) (giveBack func(), _ error) {
	if d.Guesses == nil {
		return func() {}, nil
	}

	bucket := metering.Named("guessed keys", metering.AddressBucket(from).Network)
	if allowance := d.Guesses.Take(bucket, guessRate); !allowance.OK {
		return nil, &TooManyGuesses{allowance.RetryAfter}
	}

	return func() { d.Guesses.GiveBack(bucket) }, nil
}
