package account

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"time"
)

// Key is an API key without its secret, which is shown once at creation and not stored.
type Key struct {
	// ID identifies the key; it is not a secret.
	ID string
	// Account is the id of the account that owns the key and pays for its calls.
	Account string
	// Plan is the code of the account's plan.
	Plan string
	// Verified reports whether the address of the account is verified, or an operator opened the account.
	Verified bool
	// Parent is the id of the key that created this one. Revoking the parent also revokes this key. It is empty if a
	// person or an operator created the key.
	Parent string
	// Name is the name chosen by the owner.
	Name string
	// Prefix and Last4 are the start and end of the secret, so that its owner recognises it: see Ends.
	Prefix, Last4 string
	// CreatedAt is the creation time.
	CreatedAt time.Time
	// LastUsedAt is the time of the last recorded use. It is zero if there was none.
	LastUsedAt time.Time
	// ExpiresAt is the expiry time. It is zero if the key does not expire.
	ExpiresAt time.Time
	// Scope is what the key may be used for, if it stands for an access token. It is empty for any other key, which may
	// be used for everything.
	Scope Scope
}

// Permits reports whether the key may be used for what a single scope covers.
func (k *Key) Permits(one Scope) bool { return k.Scope == "" || k.Scope.Has(one) }

// MaxKeys is the maximum number of active keys of an account.
const MaxKeys = 20

// The errors of keys.
var (
	// ErrUnknownKey: the key is malformed, unknown, revoked or expired. Callers must not learn which.
	ErrUnknownKey = errors.New("the key is not valid")
	// ErrTooManyKeys: the account has MaxKeys keys.
	ErrTooManyKeys = errors.New("the account has the maximum number of keys")
)

// DefaultPrefix is the prefix of secrets unless the deployment configures another.
const DefaultPrefix = "rodata_live_"

// A secret is a prefix, 32 random base62 digits (190 bits), and a checksum of both in 6 more digits. The checksum lets
// secret scanners find leaked keys without false positives, and rejects mistyped keys without a look-up.
const (
	randomDigits   = 32
	checksumDigits = 6
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

var prefixShape = regexp.MustCompile(`^[a-z][a-z0-9]{1,9}_live_$`)

// CheckPrefix validates a prefix: a lower-case letter, 1 to 9 more letters or digits, and "_live_". A deployment that
// changes its prefix refuses all secrets with the old one.
func CheckPrefix(prefix string) error {
	if !prefixShape.MatchString(prefix) {
		return fmt.Errorf("key prefix %q: want a lower-case letter, 1 to 9 lower-case letters or digits, and _live_, "+
			"as in %s", prefix, DefaultPrefix)
	}
	return nil
}

// NewSecret returns a new secret with a valid prefix.
func NewSecret(prefix string) string {
	secret := make([]byte, 0, len(prefix)+randomDigits+checksumDigits)
	secret = append(secret, prefix...)
	var random [randomDigits]byte
	for len(secret) < len(prefix)+randomDigits {
		rand.Read(random[:])
		for _, b := range random {
			// 248 is the largest multiple of 62 in a byte; larger values would bias the first digits.
			if b < 248 && len(secret) < len(prefix)+randomDigits {
				secret = append(secret, base62[b%62])
			}
		}
	}

	sum := checksum(string(secret))
	return string(append(secret, sum[:]...))
}

// IsWellFormed reports whether a secret has the prefix, the format and a correct checksum.
func IsWellFormed(prefix, secret string) bool {
	random, found := strings.CutPrefix(secret, prefix)
	if !found || len(random) != randomDigits+checksumDigits {
		return false
	}

	for i := range len(random) {
		if strings.IndexByte(base62, random[i]) < 0 {
			return false
		}
	}

	body := secret[:len(secret)-checksumDigits]
	sum := checksum(body)
	return secret[len(body):] == string(sum[:])
}

// Ends returns the parts of a well-formed secret that may be shown: its prefix with the first 4 digits, and its last 4
// digits.
func Ends(secret string) (prefix, last4 string) {
	const after = randomDigits + checksumDigits - 4
	return secret[:len(secret)-after], secret[len(secret)-4:]
}

// checksum returns the CRC-32 (IEEE) of body in base62, most significant digit first.
func checksum(body string) (digits [checksumDigits]byte) {
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return digits
}
