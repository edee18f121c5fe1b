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
// their users sign in; until then the time of that tells them from others.
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

// passwords hashes and checks passwords, few at a time: each takes 19 MiB, and
// 32 MiB where there are hashes of better-auth's.
type passwords struct {
	turns chan struct{}
	// foreign reports whether anybody's hash is still of better-auth's making.
	foreign func(context.Context) (bool, error)
	// The two functions that hash, which tests count.
	argon  func(password, salt []byte, time, memory uint32, lanes uint8, length uint32) []byte
	scrypt func(password, salt []byte, n, r, p, length int) ([]byte, error)
}

func newPasswords(foreign func(context.Context) (bool, error)) *passwords {
	return &passwords{
		turns:   make(chan struct{}, min(4, max(2, runtime.GOMAXPROCS(0)))),
		foreign: foreign,
		argon:   argon2.IDKey,
		scrypt:  scrypt.Key,
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
func (p *passwords) hash(ctx context.Context, password string, salt []byte) (string, error) {
	done, err := p.turn(ctx)
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

// newHash is a hash in the form of the PHC string format.
func (p *passwords) newHash(password string, salt []byte) string {
	key := p.argon(normal(password), salt, argonTime, argonMemory, argonLanes, argonKey)
	return argonPrefix + encode(salt) + "$" + encode(key)
}

// verdict is what becomes of a password that somebody signs in with.
type verdict struct {
	// right says that it is the user's, and tried that it is none but one with which
	// somebody has tried to sign up with the user's address.
	right, tried bool
	// newer replaces the user's hash if it is right; empty when that is as good.
	newer string
}

// check compares a password with the hash of a user's, empty for who has none, and
// with those of passwords that were tried. The salt is that of all of them, but for
// a hash that should be made anew.
//
// Whatever there is, the work is the same, and so the time: one argon2id, and one
// scrypt too for as long as anybody has a hash of better-auth's. Where there is no
// argon2id to check, the newer hash is that work.
func (p *passwords) check(ctx context.Context, hash, password string, salt []byte, tried []string) (v verdict, err error) {
	foreign, err := p.foreign(ctx)
	if err != nil {
		return verdict{}, err
	}
	done, err := p.turn(ctx)
	if err != nil {
		return verdict{}, err
	}
	defer done()
	made := p.newHash(password, salt)
	switch {
	case strings.HasPrefix(hash, argonPrefix):
		v.right = same(made, hash)
	case hash != "":
		v.right, v.newer, foreign = p.matches(hash, password), made, false
	}
	if foreign {
		p.matches(nobodys, password)
	}
	for _, other := range tried {
		v.tried = same(made, other) || v.tried
	}
	v.tried = v.tried && !v.right
	return v, nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// nobodys is a hash of the form of better-auth's, which is no password's.
var nobodys = strings.Repeat("0", 32) + ":" + strings.Repeat("0", 2*scryptKey)

// matches reports whether a hash that should be made anew is the password's.
func (p *passwords) matches(hash, password string) bool {
	if strings.HasPrefix(hash, "$") {
		return p.matchesArgon(hash, password)
	}
	return p.matchesScrypt(hash, password)
}

// saltOf is the salt of a hash as they are made today; nil when it is another.
func saltOf(hash string) []byte {
	rest, ok := strings.CutPrefix(hash, argonPrefix)
	text, _, _ := strings.Cut(rest, "$")
	salt, err := base64.RawStdEncoding.DecodeString(text)
	if !ok || err != nil {
		return nil
	}
	return salt
}

// matchesArgon reports whether a hash in the form of the PHC string format is the
// password's.
func (p *passwords) matchesArgon(hash, password string) bool {
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
	return subtle.ConstantTimeCompare(key, p.argon(normal(password), salt, time, memory, lanes, uint32(len(key)))) == 1
}

// matchesScrypt reports whether a hash as better-auth writes it, salt:key, is the
// password's. The salt of the function is the hexadecimal text itself.
func (p *passwords) matchesScrypt(hash, password string) bool {
	salt, digits, found := strings.Cut(hash, ":")
	want, err := hex.DecodeString(digits)
	if !found || err != nil || len(want) != scryptKey {
		return false
	}
	key, err := p.scrypt(normal(password), []byte(salt), scryptN, scryptR, scryptP, scryptKey)
	return err == nil && subtle.ConstantTimeCompare(key, want) == 1
}

// normal is a password as it is hashed: the same however its letters were typed.
func normal(password string) []byte { return norm.NFKC.Bytes([]byte(password)) }

func newSalt() []byte {
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	return salt
}
