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

	"github.com/rodata/rodata/op/problem"
)

// The length of a password in characters, as in better-auth.
const (
	minPassword = 8
	maxPassword = 128
)

// The cost of a hash: the minimum that OWASP recommends for argon2id (Password Storage Cheat Sheet, 2025), about 16 ms.
// Hashes of another cost are replaced when their users sign in. Until then, signing in takes a different time for these
// users.
const (
	argonMemory = 19 << 10 // KiB
	argonTime   = 2
	argonLanes  = 1
	argonKey    = 32
	argonSalt   = 16
)

// The cost of better-auth 1.x hashes.
const (
	scryptN   = 16384
	scryptR   = 16
	scryptP   = 1
	scryptKey = 64
)

// maxHashWait bounds the wait for a free slot to hash a password.
const maxHashWait = 3 * time.Second

// passwords hashes and checks passwords. Concurrency is limited because each hash takes 19 MiB of memory, and a hash
// imported from better-auth 32 MiB.
type passwords struct {
	slots chan struct{}
	// imported reports whether any user still has a better-auth hash.
	imported func(context.Context) (bool, error)
	// The hash functions, whose calls tests count.
	argon  func(password, salt []byte, time, memory uint32, lanes uint8, length uint32) []byte
	scrypt func(password, salt []byte, n, r, p, length int) ([]byte, error)
}

func newPasswords(imported func(context.Context) (bool, error)) *passwords {
	return &passwords{
		slots:    make(chan struct{}, min(4, max(2, runtime.GOMAXPROCS(0)))),
		imported: imported,
		argon:    argon2.IDKey,
		scrypt:   scrypt.Key,
	}
}

var passwordForm = fmt.Sprintf("%d to %d characters", minPassword, maxPassword)

// checkPassword rejects a new password, a member of the body, that is too short, too long or too common.
func checkPassword(member, password string) error {
	switch n := utf8.RuneCountInString(password); {
	case n < minPassword:
		return &failure{status: http.StatusBadRequest, code: "PASSWORD_TOO_SHORT", message: "Password too short",
			detail: fmt.Sprintf("a password has at least %d characters", minPassword),
			wrong:  &problem.InputError{Parameter: member, Code: problem.TooShort, Accepted: passwordForm}}
	case n > maxPassword:
		return &failure{status: http.StatusBadRequest, code: "PASSWORD_TOO_LONG", message: "Password too long",
			detail: fmt.Sprintf("a password has at most %d characters", maxPassword),
			wrong:  &problem.InputError{Parameter: member, Code: problem.TooLong, Accepted: passwordForm}}
	case isCommon(password):
		return &failure{status: http.StatusBadRequest, code: "PASSWORD_COMPROMISED",
			message: "The password you entered has been compromised. Please choose a different password.",
			detail:  "this is one of the most common passwords, which attackers try first; choose another one"}
	}

	return nil
}

// acquire waits for a slot, which done releases. It returns errBusy if the wait is too long.
func (p *passwords) acquire(ctx context.Context) (done func(), err error) {
	patience := time.NewTimer(maxHashWait)
	defer patience.Stop()
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	case <-patience.C:
		return nil, errBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hash hashes a new password.
func (p *passwords) hash(ctx context.Context, password string, salt []byte) (string, error) {
	done, err := p.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer done()

	return p.newHash(password, salt), nil
}

var (
	argonPrefix = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, argonMemory, argonTime, argonLanes)
	encode      = base64.RawStdEncoding.EncodeToString
)

// newHash returns a hash in PHC string format.
func (p *passwords) newHash(password string, salt []byte) string {
	key := p.argon(normal(password), salt, argonTime, argonMemory, argonLanes, argonKey)
	return argonPrefix + encode(salt) + "$" + encode(key)
}

// checkResult is the result of checking a password.
type checkResult struct {
	// correct: it is the user's password. attempted: it is not, but it matches the password of an earlier sign-up
	// attempt with the user's address.
	correct, attempted bool
	// rehashed replaces an outdated hash if the password is correct; empty when the present hash is up to date.
	rehashed string
}

// check compares a password with a user's hash, which is empty if the user has none, and with the hashes of earlier
// sign-up attempts. All hashes share the salt, except an outdated hash.
//
// To reveal nothing by its duration, it does the same work in every case: it computes one argon2id hash, and one scrypt
// hash if any user still has an imported password. If this user's hash is imported or outdated, the argon2id hash
// replaces it.
func (p *passwords) check(ctx context.Context, hash, password string, salt []byte,
	tried []string) (r checkResult, err error) {
	imported, err := p.imported(ctx)
	if err != nil {
		return checkResult{}, err
	}

	done, err := p.acquire(ctx)
	if err != nil {
		return checkResult{}, err
	}
	defer done()

	made := p.newHash(password, salt)
	switch {
	case strings.HasPrefix(hash, argonPrefix):
		r.correct = same(made, hash)
	case hash != "":
		r.correct, r.rehashed, imported = p.matches(hash, password), made, false
	}

	if imported {
		p.matches(dummyScryptHash, password)
	}

	for _, other := range tried {
		r.attempted = same(made, other) || r.attempted
	}

	r.attempted = r.attempted && !r.correct
	return r, nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// dummyScryptHash is a dummy hash in better-auth's format. It matches no password.
var dummyScryptHash = strings.Repeat("0", 32) + ":" + strings.Repeat("0", 2*scryptKey)

// matches reports whether an outdated or imported hash matches the password.
func (p *passwords) matches(hash, password string) bool {
	if strings.HasPrefix(hash, "$") {
		return p.matchesArgon(hash, password)
	}
	return p.matchesScrypt(hash, password)
}

// saltOf returns the salt of a hash with the current parameters. It returns nil for any other hash.
func saltOf(hash string) []byte {
	rest, ok := strings.CutPrefix(hash, argonPrefix)
	text, _, _ := strings.Cut(rest, "$")
	salt, err := base64.RawStdEncoding.DecodeString(text)
	if !ok || err != nil {
		return nil
	}

	return salt
}

// matchesArgon reports whether a hash in PHC string format matches the password.
func (p *passwords) matchesArgon(hash, password string) bool {
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

	return subtle.ConstantTimeCompare(key, p.argon(normal(password), salt, time, memory, lanes, uint32(len(key)))) == 1
}

// matchesScrypt reports whether a better-auth hash, salt:key, matches the password. The salt that scrypt gets is the
// hexadecimal text itself.
func (p *passwords) matchesScrypt(hash, password string) bool {
	salt, digits, found := strings.Cut(hash, ":")
	want, err := hex.DecodeString(digits)
	if !found || err != nil || len(want) != scryptKey {
		return false
	}

	key, err := p.scrypt(normal(password), []byte(salt), scryptN, scryptR, scryptP, scryptKey)
	return err == nil && subtle.ConstantTimeCompare(key, want) == 1
}

// normal normalises a password (NFKC), so that composed and decomposed letters match.
func normal(password string) []byte { return norm.NFKC.Bytes([]byte(password)) }

func newSalt() []byte {
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	return salt
}
