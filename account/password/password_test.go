package password

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"

	"github.com/rodata/rodata/testkit"
)

const parola = "o parolă lungă"

// nobodyForeign reports that no user has a better-auth hash.
func nobodyForeign(context.Context) (bool, error) { return false, nil }

// A hash of another cost is accepted, and replaced by one of the current cost.
func TestHashOfOtherCostIsReplaced(t *testing.T) {
	h := New(nobodyForeign)
	const old = "$argon2id$v=19$m=64,t=1,p=1$"
	hash := old + encode([]byte("saltsalt")) + "$" + encode(h.Argon2(normal(parola), []byte("saltsalt"), 1, 64, 1, 32))
	v, err := h.Check(t.Context(), hash, parola, newSalt(), nil)
	if !v.Correct || err != nil {
		t.Fatalf("%+v, %v", v, err)
	}
	if again, err := h.Check(t.Context(), v.Rehashed, parola, SaltOf(v.Rehashed),
		nil); again != (Match{Correct: true}) || err != nil {
		t.Errorf("the newer one: %+v, %v", again, err)
	}
	if wrong, err := h.Check(t.Context(), v.Rehashed, "alta parolă", SaltOf(v.Rehashed), nil); wrong.Correct ||
		err != nil {
		t.Errorf("another password: %+v, %v", wrong, err)
	}
}

func TestMalformedHashesNeverMatch(t *testing.T) {
	h := New(nobodyForeign)
	for _, hash := range []string{"", "x", "$", "$argon2id$v=19$m=19456,t=2,p=1$$",
		"$argon2id$v=19$m=19456,t=0,p=1$AAAA$AAAA", "$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=16$m=19456,t=2,p=1$AAAA$AAAA", ":", "00:00", "00:zz", dummyScryptHash} {
		if v, err := h.Check(t.Context(), hash, "", newSalt(), []string{hash}); v.Correct || v.Attempted || err != nil {
			t.Errorf("%s: %+v, %v", hash, v, err)
		}
	}
}

// The number of concurrent hashes is limited; a caller who waits too long for a slot gets an error.
func TestHashesWaitTheirTurn(t *testing.T) {
	h := New(nobodyForeign)
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	testkit.ErrorIs(t, testkit.Err(h.Hash(ctx, parola, newSalt())), ctx.Err())

	synctest.Test(t, func(t *testing.T) {
		h := New(nobodyForeign)
		for range cap(h.slots) {
			h.slots <- struct{}{}
		}
		testkit.Equal(t, testkit.Err(h.Check(t.Context(), "", parola, newSalt(), nil)), ErrBusy)
	})
}

// BenchmarkCheck measures a failed sign-in without the store, by kind of user, with and without better-auth hashes in
// the store.
func BenchmarkCheck(b *testing.B) {
	foreign := true
	h := New(func(context.Context) (bool, error) { return foreign, nil })
	users := h.newHash("o parolă", newSalt())
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
				if v, err := h.Check(b.Context(), c.hash, parola, newSalt(), nil); v.Correct || err != nil {
					b.Fatal(v, err)
				}
			}
		})
	}
}

func TestCommonPasswords(t *testing.T) {
	testkit.Equal(t, bytes.Count(commonList(), []byte("\n"))-1, 10_000, "listed passwords")

	for password, want := range map[string]bool{
		"password": true, "PassWord": true, "12345678": true, "parola123": true, "ｐａｓｓｗｏｒｄ": true, // NFKC
		"aaaaaaaa": true, "1212121212": true, "șaptșaptș": true, "12341234": true,
		"o parolă lungă": false, "passwordpassword9": false, "aaaaaaaab": false, "": false,
	} {
		testkit.Equal(t, IsCommon(password), want, "%q", password)
	}
}
