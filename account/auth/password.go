package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/scrypt"
	"golang.org/x/text/unicode/norm"
)

// The length of a password, in characters, as better-auth has it.
const (
	minPassword = 8
	maxPassword = 128
)

// The cost of a hash: the least that OWASP advises for argon2id (Password Storage
// Cheat Sheet, 2025), some 16 ms. Hashes made at another cost are replaced when
// their users sign in.
const (
	argonMemory = 19 << 10 // KiB
	argonTime   = 2
	argonLanes  = 1
	argonKey    = 32
	argonSalt   = 16
)

// The cost of the hashes that better-auth 1.x makes.
const (
	scryptN   = 16384
	scryptR   = 16
	scryptP   = 1
	scryptKey = 64
)

// hashPatience is how long somebody waits for their turn.
const hashPatience = 3 * time.Second

// passwords hashes and checks passwords, few at a time: each takes 19 MiB.
type passwords struct {
	turns chan struct{}
	// nobody's hash is checked when a user does not exist, so that this takes the
	// same time.
	nobody string
}

func newPasswords() *passwords {
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	return &passwords{
		turns:  make(chan struct{}, min(4, max(2, runtime.GOMAXPROCS(0)))),
		nobody: argonHash(rand.Text(), salt),
	}
}

// checkPassword refuses a new password that is too short or too long.
func checkPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case n < minPassword:
		return &refusal{status: http.StatusBadRequest, code: "PASSWORD_TOO_SHORT", message: "Password too short", detail: fmt.Sprintf("a password has at least %d characters", minPassword)}
	case n > maxPassword:
		return &refusal{status: http.StatusBadRequest, code: "PASSWORD_TOO_LONG", message: "Password too long", detail: fmt.Sprintf("a password has at most %d characters", maxPassword)}
	}
	return nil
}

// turn waits until there is room for one more hash. The error is errBusy when that
// takes too long.
func (p *passwords) turn(ctx context.Context) (done func(), err error) {
	patience := time.NewTimer(hashPatience)
	defer patience.Stop()
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case <-patience.C:
		return nil, errBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hash makes the hash of a new password.
func (p *passwords) hash(ctx context.Context, password string) (string, error) {
	done, err := p.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	return argonHash(password, salt), nil
}

// argonHash is a hash in the form of the PHC string format.
func argonHash(password string, salt []byte) string {
	key := argon2.IDKey(norm.NFKC.Bytes([]byte(password)), salt, argonTime, argonMemory, argonLanes, argonKey)
	return argonPrefix + encode(salt) + "$" + encode(key)
}

var (
	argonPrefix = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, argonMemory, argonTime, argonLanes)
	encode      = base64.RawStdEncoding.EncodeToString
)

// check reports whether a hash is the password's. An empty hash is nobody's, and
// takes as long to check as another.
func (p *passwords) check(ctx context.Context, hash, password string) (bool, error) {
	done, err := p.turn(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	if hash == "" {
		matches(p.nobody, password)
		return false, nil
	}
	return matches(hash, password), nil
}

func matches(hash, password string) bool {
	if !strings.HasPrefix(hash, "$") {
		return matchesScrypt(hash, password)
	}
	var version int
	var memory, time uint32
	var lanes uint8
	parts := strings.Split(hash, "$") // "", argon2id, v=, m=, salt, key
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &time, &lanes); err != nil || version != argon2.Version || time < 1 || lanes < 1 {
		return false
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	key, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(key) == 0 {
		return false
	}
	return subtle.ConstantTimeCompare(key, argon2.IDKey(norm.NFKC.Bytes([]byte(password)), salt, time, memory, lanes, uint32(len(key)))) == 1
}

// matchesScrypt reports whether a hash as better-auth writes it, salt:key, is the
// password's. The salt of the function is the hexadecimal text itself.
func matchesScrypt(hash, password string) bool {
	salt, digits, found := strings.Cut(hash, ":")
	want, err := hex.DecodeString(digits)
	if !found || err != nil || len(want) != scryptKey {
		return false
	}
	key, err := scrypt.Key(norm.NFKC.Bytes([]byte(password)), []byte(salt), scryptN, scryptR, scryptP, scryptKey)
	return err == nil && subtle.ConstantTimeCompare(key, want) == 1
}

// outdated reports whether a hash should be made anew.
func outdated(hash string) bool { return !strings.HasPrefix(hash, argonPrefix) }
