package auth

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
)

// A person gets at most five links of a kind, even when they are requested concurrently.
func TestLinksAskedForAtOnce(t *testing.T) {
	s := newSite(t, nil)
	s.member(t, ana)
	before := len(s.to(ana))
	var all sync.WaitGroup
	for range 48 {
		all.Go(func() {
			r := httptest.NewRequest("POST", "https://rodata.example"+Path+"/sign-in/magic-link",
				strings.NewReader(`{"email":"`+ana+`"}`))
			r.Header.Set("Content-Type", "application/json")
			s.ServeHTTP(httptest.NewRecorder(), r)
		})
	}

	all.Wait()
	testkit.Equal(t, len(s.to(ana))-before, maxLinks, "mails")
}

// An address gets a limited number of links of all kinds a day, and the answers do not reveal when the limit is
// reached.
func TestLinksOfADay(t *testing.T) {
	s := newSite(t, nil)
	b := s.member(t, ana)
	for path, pair := range map[string][]any{ // and the link to verify, before
		"/request-password-reset": {"email", ana}, "/sign-in/magic-link": {"email", ana}, "/delete-user": nil,
		"/change-email": {"newEmail", "noua@exemplu.example"},
	} {
		for range maxLinks {
			b.want(b.post(path, pair...), 200, nil)
		}
	}

	testkit.Equal(t, len(s.to(ana)), dailyMails, "mails")

	s.member(t, "ioana@exemplu.example") // a user who gets a link of her own
}

// Mails never contain names that users choose, because those could carry advertisements to third parties.
func TestNamesAreNotMailed(t *testing.T) {
	const name, next = "Ai câștigat la evil.example", "altcineva@exemplu.example"
	s := newSite(t, unverified)
	b := s.browser(t)
	b.want(b.post("/sign-up/email", "name", name, "email", ana, "password", parola), 200, nil)
	b.want(b.post("/change-email", "newEmail", next), 200, nil)
	b.want(b.post("/request-password-reset", "email", ana), 200, nil)
	b.want(b.post("/sign-in/magic-link", "email", "nimeni@exemplu.example", "name", name), 200, nil)
	b.want(b.post("/delete-user"), 200, nil)
	for _, to := range []string{ana, next, "nimeni@exemplu.example"} {
		all := s.to(to)
		if len(all) == 0 {
			t.Errorf("no mail to %s", to)
		}

		for _, m := range all {
			if strings.Contains(fmt.Sprint(m), "câștigat") {
				t.Errorf("the mail to %s says %+v", to, m)
			}
		}
	}
}

// One network can open only a limited number of accounts a day, by any method.
func TestSignUpsOfADay(t *testing.T) {
	s, e := socialSite(t)
	signUp := func(address string, i int) reply {
		s.Buckets = metering.NewBuckets() // the days are counted in the store
		b := s.from(t, address)
		return b.post("/sign-up/email", "name", "Ana", "email", fmt.Sprintf("ana%d@exemplu.example", i), "password",
			parola)
	}
	for i := range dailySignUps {
		if r := signUp(home, i); r.StatusCode != 200 {
			t.Fatalf("sign-up %d: got %d %s", i+1, r.StatusCode, r.text)
		}
	}

	r := signUp(home, dailySignUps)
	if r.StatusCode != 429 || r.code() != "TOO_MANY_REQUESTS" || r.Header.Get("Retry-After") == "" {
		t.Errorf("one more: got %d %s", r.StatusCode, r.text)
	}

	b := s.from(t, home)
	b.want(b.post("/sign-in/magic-link", "email", "noua@exemplu.example"), 200, nil)
	testkit.Equal(t, b.follow(s.link(t, "noua@exemplu.example")).StatusCode, 429, "by a link")
	testkit.Equal(t, b.get("/callback/github?code=good1&state="+b.leave(e, "github")).parameter("error"),
		"TOO_MANY_REQUESTS", "by a provider")
	testkit.Equal(t, signUp(away, dailySignUps).StatusCode, 200, "another network")
}

// The networks of one IPv6 site have a common limit of new accounts.
func TestSignUpsOfASite(t *testing.T) {
	s := newSite(t, nil)
	x := func(network int) error {
		address := netip.MustParseAddr("2001:db8:1::1").As16()
		address[7] = byte(network)
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set("X-Test-Address", netip.AddrFrom16(address).String())
		return s.admitSignUp(&exchange{auth: s.Auth, r: r})
	}
	for i := range dailySiteSignUps {
		if err := x(i / dailySignUps); err != nil {
			t.Fatalf("sign-up %d: %v", i+1, err)
		}
	}

	if err := x(200); err == nil {
		t.Error("another network of the site could open one more account")
	}
}
