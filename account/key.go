package account

import (
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"time"
)

// Key is what is known about an API key. Its secret is not: that is shown once,
// when the key is made, and kept nowhere.
type Key struct {
	// ID names the key where keys are listed and revoked; it is no secret.
	ID string
	// Account is the id of the account that owns the key and pays for its calls.
	Account string
	// Plan is the code of the account's plan.
	Plan string
	// Verified says that somebody answers for the account: its user has shown to read
	// mail at its address, or an operator opened it.
	Verified bool
	// Parent is the id of the key with which this one was made, and with which it
	// is revoked; empty when a person or an operator made it.
	Parent string
	// Name is what the owner calls the key.
	Name string
	// Prefix and Last4 are the ends of the secret, by which its owner recognises
	// it: see Ends.
	Prefix, Last4 string
	// CreatedAt is when the key was made.
	CreatedAt time.Time
	// LastUsedAt is when it was last used, as far as that has been written down;
	// zero for never.
	LastUsedAt time.Time
	// ExpiresAt is the moment from which it is no longer accepted; zero for never.
	ExpiresAt time.Time
}

// MaxKeys is how many keys an account may have at a time.
const MaxKeys = 20

// DefaultPrefix begins every secret of a deployment that does not choose its own
// prefix.
const DefaultPrefix = "rodata_live_"

// A secret is a prefix, 32 random base62 digits, which are 190 bits, and a
// checksum of all of that in 6 more. So scanners can find a leaked one without
// false alarms, and a mistyped one is refused without asking anybody.
const (
	randomDigits   = 32
	checksumDigits = 6
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

var prefixShape = regexp.MustCompile(`^[a-z][a-z0-9]{1,9}_live_$`)

// CheckPrefix says whether secrets may begin with prefix: a lower-case letter, 1
// to 9 more letters or digits, and "_live_". Changing the prefix of a deployment
// ends the validity of all secrets with the one before.
func CheckPrefix(prefix string) error {
	if !prefixShape.MatchString(prefix) {
		return fmt.Errorf("key prefix %q: want a lower-case letter, 1 to 9 lower-case letters or digits, and _live_, as in %s", prefix, DefaultPrefix)
	}
	return nil
}

// NewSecret makes a secret that begins with prefix, which CheckPrefix accepts.
func NewSecret(prefix string) string {
	secret := make([]byte, 0, len(prefix)+randomDigits+checksumDigits)
	secret = append(secret, prefix...)
	var random [randomDigits]byte
	for len(secret) < len(prefix)+randomDigits {
		rand.Read(random[:])
		for _, b := range random {
			// 248 is the largest multiple of 62 in a byte: beyond it the first
			// digits would be likelier than the others.
			if b < 248 && len(secret) < len(prefix)+randomDigits {
				secret = append(secret, base62[b%62])
			}
		}
	}
	sum := checksum(string(secret))
	return string(append(secret, sum[:]...))
}

// CheckFormat says whether secret could be one that NewSecret made with prefix.
// It needs nothing but the secret.
func CheckFormat(prefix, secret string) bool {
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

// Ends is the part of a well-formed secret that may be shown: its prefix with
// the 4 digits that follow, and its last 4 digits.
func Ends(secret string) (prefix, last4 string) {
	const after = randomDigits + checksumDigits - 4
	return secret[:len(secret)-after], secret[len(secret)-4:]
}

// checksum is the CRC-32 (IEEE) of body in base62, most significant digit first.
func checksum(body string) (digits [checksumDigits]byte) {
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return digits
}
