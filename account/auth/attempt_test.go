package auth

import (
	"fmt"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// from returns a browser at an address.
func (s *site) from(t testing.TB, address string) *browser {
	b := s.browser(t)
	b.header.Set("X-Test-Address", address)
	return b
}

// try signs in from an address.
func (s *site) try(t testing.TB, address, email, password string) reply {
	b := s.from(t, address)
	return b.post("/sign-in/email", "email", email, "password", password)
}

// pass advances the clock that the limits use.
func (s *site) pass(d time.Duration) { s.ahead += d }

const home, away = "192.0.2.1", "198.51.100.1"

// Sixty addresses try one password each. After ten attempts, further ones are delayed, in the same way for existing and
// unknown users. The owner can still sign in: at once from a known network, and after a short wait from elsewhere.
func TestWrongPasswordsFromManyAddresses(t *testing.T) {
	s := newSite(t, nil)
	s.member(t, ana)
	if r := s.try(t, home, ana, parola); r.StatusCode != 200 {
		t.Fatalf("got %d %s", r.StatusCode, r.text)
	}

	answers := make(map[string][]int)
	for _, email := range []string{ana, stranger} {
		for i := range 60 {
			r := s.try(t, "203.0.113."+strconv.Itoa(i), email, fmt.Sprint("parola încercată ", i))
			answers[email] = append(answers[email], r.StatusCode)
			if retry, _ := strconv.Atoi(r.Header.Get("Retry-After")); r.StatusCode == 429 && (retry < 1 || retry > 15) {
				t.Fatalf("try %d has to wait for %q s", i, r.Header.Get("Retry-After"))
			}
		}
	}

	testkit.Equal(t, fmt.Sprint(answers[ana]), fmt.Sprint(answers[stranger]),
		"answers for a known address, compared with an unknown one")
	testkit.Equal(t, fmt.Sprint(answers[ana][:12]), "[401 401 401 401 401 401 401 401 401 401 401 429]")

	for _, status := range answers[ana][12:] {
		if status != 429 {
			t.Errorf("got %v", answers[ana])
			break
		}
	}

	testkit.Equal(t, s.try(t, home, ana, "greșită").StatusCode, 401, "a mistake at home")
	testkit.Equal(t, s.try(t, home, ana, parola).StatusCode, 200, "the owner at home")
	testkit.Equal(t, s.try(t, away, ana, parola).StatusCode, 429, "the owner on another network")

	s.pass(slowAttempts.Per)
	testkit.Equal(t, s.try(t, away, ana, parola).StatusCode, 200, "the owner on another network after the wait")
	testkit.Equal(t, s.try(t, "203.0.113.100", ana, "greșită").StatusCode, 401,
		"mistakes before a correct password still count")
}

// Guesses from the owner's network, and from a session without the password, are delayed too.
func TestGuessesAtHomeAndWithASession(t *testing.T) {
	s := newSite(t, nil)
	s.member(t, ana)
	for name, attempt := range map[string]func(i int) reply{
		"at home": func(int) reply { return s.try(t, home, ana, "greșită") },
		"with a session": func(i int) reply {
			thief := s.aged(t, ana, time.Hour)
			thief.header.Set("X-Test-Address", "203.0.113."+strconv.Itoa(i))
			return thief.post("/change-password", "currentPassword", "greșită", "newPassword", "a hoțului, lungă")
		},
	} {
		if r := s.try(t, home, ana, parola); r.StatusCode != 200 {
			t.Fatalf("%s: got %d %s", name, r.StatusCode, r.text)
		}

		checked := 0
		for i := range 30 {
			if attempt(i).StatusCode != 429 {
				checked++
			}
			s.pass(credentialRate.Per / 3) // so that the address is not limited
		}
		// Ten at once, and in the 100 seconds at most one every 15.
		if checked < 10 || checked > 17 {
			t.Errorf("%s: %d of 30 passwords were checked", name, checked)
		}

		s.pass(time.Hour)
	}
}

// The password of an earlier sign-up attempt does not end the delay.
func TestSignUpAttemptsDoNotEndTheDelay(t *testing.T) {
	s := newSite(t, nil)
	s.member(t, ana)
	b := s.browser(t)
	b.want(b.post("/sign-up/email", "name", "Ana", "email", ana, "password", "parola încercată"), 200, nil)
	checked := 0
	for i := range 60 {
		attempt := "greșită"
		if i%5 == 4 {
			attempt = "parola încercată"
		}
		if s.try(t, "203.0.113."+strconv.Itoa(i), ana, attempt).StatusCode != 429 {
			checked++
		}
	}

	testkit.Equal(t, checked, freeAttempts.N+slowAttempts.N, "checked passwords")
}

// After a password change, only networks from which the user signs in with the new one are known.
func TestNetworksAreForgottenWithThePassword(t *testing.T) {
	s := newSite(t, nil)
	s.member(t, ana)
	s.try(t, home, ana, parola)
	u := s.user(t, ana)
	network := s.networkHash(u.ID, netip.MustParsePrefix(home+"/32"))
	if known, err := s.db.KnowsNetwork(t.Context(), u.ID, network); err != nil || !known {
		t.Fatalf("known: %v, %v", known, err)
	}
	testkit.NoError(t, s.db.ResetPassword(t.Context(), u, "new", nil))
	if known, err := s.db.KnowsNetwork(t.Context(), u.ID, network); err != nil || known {
		t.Errorf("known: %v, %v", known, err)
	}
}
