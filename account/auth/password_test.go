package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/rodata/rodata/account"
)

// nobodyForeign reports that no user has a better-auth hash.
func nobodyForeign(context.Context) (bool, error) { return false, nil }

// quickArgon and quickScrypt stand in for the real hash functions, which are slow.
func quickArgon(password, salt []byte, time, memory uint32, lanes uint8, _ uint32) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "argon %x %x %d %d %d", password, salt, time, memory, lanes))
	return sum[:]
}

func quickScrypt(password, salt []byte, n, r, p, _ int) ([]byte, error) {
	sum := sha512.Sum512(fmt.Appendf(nil, "scrypt %x %x %d %d %d", password, salt, n, r, p))
	return sum[:], nil
}

// work counts the calls of each hash function.
type work struct{ argon, scrypt int }

// count returns the number of hashes that a site computes from now on.
func (s *site) count() *work {
	w, argon, scrypt := new(work), s.passwords.argon, s.passwords.scrypt
	s.passwords.argon = func(password, salt []byte, time, memory uint32, lanes uint8, length uint32) []byte {
		if time == argonTime && memory == argonMemory && lanes == argonLanes {
			w.argon++
		}
		return argon(password, salt, time, memory, lanes, length)
	}
	s.passwords.scrypt = func(password, salt []byte, n, r, p, length int) ([]byte, error) {
		if n == scryptN && r == scryptR && p == scryptP {
			w.scrypt++
		}
		return scrypt(password, salt, n, r, p, length)
	}
	return w
}

// importUser adds a user with a better-auth hash.
func (s *site) importUser(t testing.TB, email, password string) {
	t.Helper()
	salt := hex.EncodeToString([]byte("0123456789abcdef"))
	key, err := s.passwords.scrypt([]byte(password), []byte(salt), scryptN, scryptR, scryptP, scryptKey)
	if err != nil {
		t.Fatal(err)
	}

	imported := account.User{Email: email, EmailVerified: true, Name: "Ana"}
	if _, err := s.db.ImportUser(t.Context(), imported, salt+":"+hex.EncodeToString(key), "starter"); err != nil {
		t.Fatal(err)
	}
}

const (
	imported = "venita@exemplu.example"      // with a hash of better-auth's
	social   = "prin-altii@exemplu.example"  // without a password
	stranger = "necunoscuta@exemplu.example" // without a user
)

// populated returns a site with a user of each kind.
func populated(t testing.TB, foreign bool) *site {
	s := newSite(t, nil)
	s.member(t, ana)
	if foreign {
		s.importUser(t, imported, password)
	}
	if _, err := s.db.ImportUser(t.Context(), account.User{Email: social, EmailVerified: true, Name: "Ioana"}, "",
		"free"); err != nil {
		t.Fatal(err)
	}

	return s
}

// The time of a sign-in does not reveal whether an address has a user, or of which kind: it always computes the same
// hashes.
func TestEverySignInIsTheSameWork(t *testing.T) {
	for name, c := range map[string]struct {
		foreign bool
		emails  []string
		want    work
	}{
		"some hashes of better-auth's": {true, []string{ana, imported, social, stranger}, work{1, 1}},
		"none":                         {false, []string{ana, social, stranger}, work{1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			s := populated(t, c.foreign)
			for _, email := range c.emails {
				did := s.count()
				b := s.browser(t)
				b.want(b.post("/sign-in/email", "email", email, "password", "alta parolă"), 401,
					"INVALID_EMAIL_OR_PASSWORD")
				if *did != c.want {
					t.Errorf("a wrong password of %s took %+v, want %+v", email, *did, c.want)
				}
			}
		})
	}
}

// The correct password takes no more work than a wrong one, even if the hash is replaced.
func TestRightPasswordsAreTheSameWork(t *testing.T) {
	s := populated(t, true)
	for _, c := range []struct {
		email string
		want  work
	}{
		{ana, work{1, 1}},
		{imported, work{1, 1}},
		{imported, work{1, 0}}, // no better-auth hashes are left
		{ana, work{1, 0}},
	} {
		did := s.count()
		b := s.browser(t)
		b.want(b.post("/sign-in/email", "email", c.email, "password", password), 200, nil)
		if *did != c.want {
			t.Errorf("the password of %s took %+v, want %+v", c.email, *did, c.want)
		}
	}
}

// Requests for a link, sign-ups and new passwords also take the same work whether or not the address has a user.
func TestWorkOfOtherFlows(t *testing.T) {
	s := populated(t, true)
	for path, c := range map[string]struct {
		more []any
		want work
	}{
		"/sign-up/email":           {[]any{"name", "Ana", "password", password}, work{argon: 1}},
		"/request-password-reset":  {nil, work{}},
		"/send-verification-email": {nil, work{}},
		"/sign-in/magic-link":      {nil, work{}},
	} {
		for _, email := range []string{ana, imported, social, stranger} {
			did := s.count()
			b := s.browser(t)
			b.want(b.post(path, append([]any{"email", email}, c.more...)...), 200, nil)
			if *did != c.want {
				t.Errorf("%s of %s took %+v, want %+v", path, email, *did, c.want)
			}
		}
	}
}

// A better-auth hash is accepted, and replaced by an argon2id hash.
func TestImportedHash(t *testing.T) {
	s := newSite(t, nil)
	s.passwords = newPasswords(s.db.ForeignPasswords) // the real functions
	// Its passwords are normalised; ș here is s with a comma below.
	s.importUser(t, ana, "o parolă cu ș")
	b := s.browser(t)
	b.want(b.post("/sign-in/email", "email", ana, "password", "o parola cu s"), 401, "INVALID_EMAIL_OR_PASSWORD")
	if foreign, err := s.db.ForeignPasswords(t.Context()); err != nil || !foreign {
		t.Errorf("the hash was replaced without the password: %v, %v", foreign, err)
	}

	for range 2 {
		b.want(b.post("/sign-in/email", "email", ana, "password", "o parolă cu s\u0326"), 200, nil)
		if foreign, err := s.db.ForeignPasswords(t.Context()); err != nil || foreign {
			t.Errorf("the hash was not replaced: %v, %v", foreign, err)
		}
	}

	if _, err := s.db.ImportUser(t.Context(), account.User{Email: ana}, "",
		"starter"); !errors.Is(err, account.ErrEmailTaken) {
		t.Errorf("imported twice: %v", err)
	}
	if _, err := s.db.ImportUser(t.Context(), account.User{Email: "b@exemplu.example"}, "$2b$10$x",
		"starter"); err == nil {
		t.Error("a hash in another format was imported")
	}
}

// A hash of another cost is accepted, and replaced by one of the current cost.
func TestHashOfOtherCostIsReplaced(t *testing.T) {
	p := newPasswords(nobodyForeign)
	const old = "$argon2id$v=19$m=64,t=1,p=1$"
	hash := old + encode([]byte("saltsalt")) + "$" + encode(p.argon(normal(password), []byte("saltsalt"), 1, 64, 1, 32))
	v, err := p.check(t.Context(), hash, password, newSalt(), nil)
	if !v.correct || err != nil {
		t.Fatalf("%+v, %v", v, err)
	}
	if again, err := p.check(t.Context(), v.rehashed, password, saltOf(v.rehashed),
		nil); again != (checkResult{correct: true}) || err != nil {
		t.Errorf("the newer one: %+v, %v", again, err)
	}
	if wrong, err := p.check(t.Context(), v.rehashed, "alta parolă", saltOf(v.rehashed), nil); wrong.correct ||
		err != nil {
		t.Errorf("another password: %+v, %v", wrong, err)
	}
}

func TestMalformedHashesNeverMatch(t *testing.T) {
	p := newPasswords(nobodyForeign)
	for _, hash := range []string{"", "x", "$", "$argon2id$v=19$m=19456,t=2,p=1$$",
		"$argon2id$v=19$m=19456,t=0,p=1$AAAA$AAAA", "$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=16$m=19456,t=2,p=1$AAAA$AAAA", ":", "00:00", "00:zz", dummyScryptHash} {
		if v, err := p.check(t.Context(), hash, "", newSalt(), []string{hash}); v.correct || v.attempted || err != nil {
			t.Errorf("%s: %+v, %v", hash, v, err)
		}
	}
}

// The number of concurrent hashes is limited; a caller who waits too long for a slot gets an error.
func TestHashesWaitTheirTurn(t *testing.T) {
	p := newPasswords(nobodyForeign)
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.hash(ctx, password, newSalt()); !errors.Is(err, ctx.Err()) {
		t.Errorf("got %v", err)
	}

	synctest.Test(t, func(t *testing.T) {
		p := newPasswords(nobodyForeign)
		for range cap(p.slots) {
			p.slots <- struct{}{}
		}
		if _, err := p.check(t.Context(), "", password, newSalt(), nil); err != errBusy {
			t.Errorf("got %v", err)
		}
	})
}

// BenchmarkCheck measures a failed sign-in without the store, by kind of user, with and without better-auth hashes in
// the store.
func BenchmarkCheck(b *testing.B) {
	foreign := true
	p := newPasswords(func(context.Context) (bool, error) { return foreign, nil })
	users := p.newHash("o parolă", newSalt())
	for _, c := range []struct {
		name    string
		foreign bool
		hash    string
	}{
		{"some imported/nobody", true, ""},
		{"some imported/user", true, users},
		{"some imported/imported user", true, dummyScryptHash},
		{"none imported/nobody", false, ""},
		{"none imported/user", false, users},
	} {
		b.Run(c.name, func(b *testing.B) {
			foreign = c.foreign
			for range b.N {
				if v, err := p.check(b.Context(), c.hash, password, newSalt(), nil); v.correct || err != nil {
					b.Fatal(v, err)
				}
			}
		})
	}
}

func TestCommonPasswords(t *testing.T) {
	if n := bytes.Count(commonPasswords(), []byte("\n")) - 1; n != 10_000 {
		t.Errorf("the list has %d passwords", n)
	}

	for password, want := range map[string]bool{
		"password": true, "PassWord": true, "12345678": true, "parola123": true, "ｐａｓｓｗｏｒｄ": true, // NFKC
		"aaaaaaaa": true, "1212121212": true, "șaptșaptș": true, "12341234": true,
		"o parolă lungă": false, "passwordpassword9": false, "aaaaaaaab": false, "": false,
	} {
		if got := isCommon(password); got != want {
			t.Errorf("%q: got %t", password, got)
		}
	}
}
