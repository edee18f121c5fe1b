// Package password hashes and checks the passwords of users, and knows the most common ones.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/scrypt"
	"golang.org/x/text/unicode/norm"
)

// The length of a password in characters, as in better-auth.
const (
	MinLength = 8
	MaxLength = 128
)

// ErrBusy means that too many passwords are being hashed.
var ErrBusy = errors.New("too many passwords are being hashed")

// The cost of a hash: the minimum that OWASP recommends for argon2id (Password Storage Cheat Sheet, 2025), about 16 ms.
// Hashes of another cost are replaced when their users sign in. Until then, signing in takes a different time for these
// users.
const (
	ArgonMemory = 19 << 10 // KiB
	ArgonTime   = 2
	ArgonLanes  = 1
	argonKey    = 32
)

// SaltLength is the length of a salt in bytes.
const SaltLength = 16

// The cost of better-auth 1.x hashes.
const (
	ScryptN   = 16384
	ScryptR   = 16
	ScryptP   = 1
	ScryptKey = 64
)

// maxHashWait bounds the wait for a free slot to hash a password.
const maxHashWait = 3 * time.Second

// Hasher hashes and checks passwords. Concurrency is limited because each hash takes 19 MiB of memory, and a hash
// imported from better-auth 32 MiB.
type Hasher struct {
	slots chan struct{}
	// imported reports whether any user still has a better-auth hash.
	imported func(context.Context) (bool, error)
	// Argon2 and Scrypt are the hash functions. Tests replace them to count their calls, and because they are slow.
	Argon2 func(password, salt []byte, time, memory uint32, lanes uint8, length uint32) []byte
	Scrypt func(password, salt []byte, n, r, p, length int) ([]byte, error)
}

// New returns a hasher. The function reports whether any user still has a hash imported from better-auth.
func New(imported func(context.Context) (bool, error)) *Hasher {
	return &Hasher{
		slots:    make(chan struct{}, min(4, max(2, runtime.GOMAXPROCS(0)))),
		imported: imported,
		Argon2:   argon2.IDKey,
		Scrypt:   scrypt.Key,
	}
}

// acquire waits for a slot, which done releases. It returns ErrBusy if the wait is too long.
func (h *Hasher) acquire(ctx context.Context) (done func(), err error) {
	patience := time.NewTimer(maxHashWait)
	defer patience.Stop()
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-patience.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Hash hashes a password. Without a salt it uses a random one. It returns ErrBusy if the wait for a slot is too long.
func (h *Hasher) Hash(ctx context.Context, password string, salt []byte) (string, error) {
	done, err := h.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer done()

	if salt == nil {
		salt = newSalt()
	}

	return h.newHash(password, salt), nil
}

var (
	argonPrefix = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, ArgonMemory, ArgonTime, ArgonLanes)
	encode      = base64.RawStdEncoding.EncodeToString
)

func (h *Hasher) newHash(password string, salt []byte) string {
	key := h.Argon2(normal(password), salt, ArgonTime, ArgonMemory, ArgonLanes, argonKey)
	return argonPrefix + encode(salt) + "$" + encode(key)
}

// Match is the result of checking a password.
type Match struct {
	// Correct is set for the user's password, Attempted if it is another one, but that of an earlier attempt to sign up
	// with the user's address.
	Correct, Attempted bool
	// Rehashed replaces an outdated hash if the password is correct; it is empty if the present hash is up to date.
	Rehashed string
}

// Check compares a password with a user's hash, which is empty if the user has none, and with the hashes of earlier
// sign-up attempts. All hashes share the salt, except an outdated hash.
//
// To reveal nothing by its duration, it does the same work in every case: it computes one argon2id hash, and one scrypt
// hash if any user still has an imported password. If this user's hash is imported or outdated, the argon2id hash
// replaces it.
func (h *Hasher) Check(ctx context.Context, hash, password string, salt []byte,
	tried []string) (m Match, err error) {
	imported, err := h.imported(ctx)
	if err != nil {
		return Match{}, err
	}

	done, err := h.acquire(ctx)
	if err != nil {
		return Match{}, err
	}
	defer done()

	made := h.newHash(password, salt)
	switch {
	case strings.HasPrefix(hash, argonPrefix):
		m.Correct = constantTimeEqual(made, hash)
	case hash != "":
		m.Correct, m.Rehashed, imported = h.matches(hash, password), made, false
	}

	if imported {
		h.matches(dummyScryptHash, password)
	}

	for _, other := range tried {
		m.Attempted = constantTimeEqual(made, other) || m.Attempted
	}

	m.Attempted = m.Attempted && !m.Correct
	return m, nil
}

func constantTimeEqual(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// dummyScryptHash is a dummy hash in better-auth's format. It matches no password.
var dummyScryptHash = strings.Repeat("0", 32) + ":" + strings.Repeat("0", 2*ScryptKey)

func (h *Hasher) matches(hash, password string) bool {
	if strings.HasPrefix(hash, "$") {
		return h.matchesArgon(hash, password)
	}
	return h.matchesScrypt(hash, password)
}

// SaltOf returns the salt of a hash with the current parameters. It returns nil for any other hash.
func SaltOf(hash string) []byte {
	rest, ok := strings.CutPrefix(hash, argonPrefix)
	text, _, _ := strings.Cut(rest, "$")
	salt, err := base64.RawStdEncoding.DecodeString(text)
	if !ok || err != nil {
		return nil
	}

	return salt
}

// matchesArgon reports whether a hash in PHC string format matches the password.
func (h *Hasher) matchesArgon(hash, password string) bool {
	var version int
	var memory, time uint32
	var lanes uint8
	parts := strings.Split(hash, "$") // "", argon2id, v=, m=, salt, key
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &time,
		&lanes); err != nil || version != argon2.Version || time < 1 || lanes < 1 {
		return false
	}

	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	key, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(key) == 0 {
		return false
	}

	return subtle.ConstantTimeCompare(key, h.Argon2(normal(password), salt, time, memory, lanes, uint32(len(key)))) == 1
}

// matchesScrypt reports whether a better-auth hash, salt:key, matches the password. The salt that scrypt gets is the
// hexadecimal text itself.
func (h *Hasher) matchesScrypt(hash, password string) bool {
	salt, digits, found := strings.Cut(hash, ":")
	want, err := hex.DecodeString(digits)
	if !found || err != nil || len(want) != ScryptKey {
		return false
	}

	key, err := h.Scrypt(normal(password), []byte(salt), ScryptN, ScryptR, ScryptP, ScryptKey)
	return err == nil && subtle.ConstantTimeCompare(key, want) == 1
}

// normal normalises a password (NFKC), so that composed and decomposed letters match.
func normal(password string) []byte { return norm.NFKC.Bytes([]byte(password)) }

func newSalt() []byte {
	salt := make([]byte, SaltLength)
	rand.Read(salt)
	return salt
}
