package auth

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/password"
	"github.com/rodata/rodata/testkit"
)

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
	w, argon, scrypt := new(work), s.passwords.Argon2, s.passwords.Scrypt
	s.passwords.Argon2 = func(text, salt []byte, time, memory uint32, lanes uint8, length uint32) []byte {
		if time == password.ArgonTime && memory == password.ArgonMemory && lanes == password.ArgonLanes {
			w.argon++
		}
		return argon(text, salt, time, memory, lanes, length)
	}
	s.passwords.Scrypt = func(text, salt []byte, n, r, p, length int) ([]byte, error) {
		if n == password.ScryptN && r == password.ScryptR && p == password.ScryptP {
			w.scrypt++
		}
		return scrypt(text, salt, n, r, p, length)
	}
	return w
}

// importUser adds a user with a better-auth hash.
func (s *site) importUser(t testing.TB, email, text string) {
	t.Helper()
	salt := hex.EncodeToString([]byte("0123456789abcdef"))
	key := testkit.Must(s.passwords.Scrypt([]byte(text), []byte(salt), password.ScryptN, password.ScryptR,
		password.ScryptP, password.ScryptKey))
	imported := account.User{Email: email, EmailVerified: true, Name: "Ana"}
	testkit.NoError(t, testkit.Err(s.db.ImportUser(t.Context(), imported, salt+":"+hex.EncodeToString(key), "starter")))
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
		s.importUser(t, imported, parola)
	}
	testkit.NoError(t,
		testkit.Err(s.db.ImportUser(t.Context(), account.User{Email: social, EmailVerified: true, Name: "Ioana"}, "",
			"free")))

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
				testkit.Equal(t, *did, c.want, "the work for a wrong password of %s", email)
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
		b.want(b.post("/sign-in/email", "email", c.email, "password", parola), 200, nil)
		testkit.Equal(t, *did, c.want, "the work for the password of %s", c.email)
	}
}

// Requests for a link, sign-ups and new passwords also take the same work whether or not the address has a user.
func TestWorkOfOtherFlows(t *testing.T) {
	s := populated(t, true)
	for path, c := range map[string]struct {
		more []any
		want work
	}{
		"/sign-up/email":           {[]any{"name", "Ana", "password", parola}, work{argon: 1}},
		"/request-password-reset":  {nil, work{}},
		"/send-verification-email": {nil, work{}},
		"/sign-in/magic-link":      {nil, work{}},
	} {
		for _, email := range []string{ana, imported, social, stranger} {
			did := s.count()
			b := s.browser(t)
			b.want(b.post(path, append([]any{"email", email}, c.more...)...), 200, nil)
			testkit.Equal(t, *did, c.want, "the work of %s for %s", path, email)
		}
	}
}

// A better-auth hash is accepted, and replaced by an argon2id hash.
func TestImportedHash(t *testing.T) {
	s := newSite(t, nil)
	s.passwords = password.New(s.db.ForeignPasswords) // the real functions
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

	testkit.ErrorIs(t, testkit.Err(s.db.ImportUser(t.Context(), account.User{Email: ana}, "", "starter")),
		account.ErrEmailTaken, "imported twice")
	if _, err := s.db.ImportUser(t.Context(), account.User{Email: "b@exemplu.example"}, "$2b$10$x",
		"starter"); err == nil {
		t.Error("a hash in another format was imported")
	}
}
