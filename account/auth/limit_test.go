package auth

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimits(t *testing.T) {
	s := newSite(t, nil)
	for name, c := range map[string]struct {
		path    string
		allowed int
		seconds string // to wait, at most
	}{
		"sign in":      {"/sign-in/email", 3, "10"},
		"reset":        {"/request-password-reset", 3, "60"},
		"verification": {"/send-verification-email", 3, "60"},
		"magic link":   {"/sign-in/magic-link", 5, "60"},
	} {
		t.Run(name, func(t *testing.T) {
			b := s.browser(t)
			b.header.Set("X-Test-Address", "192.0.2.1")
			for range c.allowed {
				if r := b.post(c.path, "email", ana, "x", 1); r.StatusCode == 429 {
					t.Fatal("limited too early")
				}
			}
			r := b.want(b.post(c.path, "email", ana), 429, "TOO_MANY_REQUESTS")
			if retry := r.Header.Get("Retry-After"); retry != c.seconds || r.Header.Get("X-Retry-After") != retry {
				t.Errorf("got %v", r.Header)
			}
			other := s.browser(t)
			other.header.Set("X-Test-Address", "192.0.2.2")
			if r := other.post(c.path, "email", ana); r.StatusCode == 429 {
				t.Error("another address is limited too")
			}
		})
	}
}

// All in all, an address calls 100 times at once and 10 times a second.
func TestGeneralLimit(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	b.header.Set("X-Test-Address", "192.0.2.1")
	for range general.Burst {
		b.want(b.get("/ok"), 200, nil)
	}
	limited := 0
	for range 20 {
		if b.get("/ok").StatusCode == 429 {
			limited++
		}
	}
	if limited == 0 {
		t.Error("there is no limit")
	}
}

func TestWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimits()
		one, other := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32")
		take := func(network netip.Prefix, want time.Duration) {
			t.Helper()
			if got := l.take(credentials, "one", network); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		}
		take(one, 0)
		<-time.After(4 * time.Second)
		take(one, 0)
		<-time.After(4 * time.Second)
		take(one, 0)
		<-time.After(time.Second)
		take(one, 9*time.Second) // the fourth in 10 seconds
		take(other, 0)
		if got := l.take(credentials, "another", one); got != 0 {
			t.Errorf("something else: %v", got)
		}
		<-time.After(9 * time.Second)
		take(one, 0)
	})
}

// The networks of one IPv6 site have a limit together, beside their own.
func TestSites(t *testing.T) {
	l := NewLimits()
	allowed := 0
	for i := range 1000 {
		address := netip.MustParseAddr("2001:db8:1::1").As16()
		address[6], address[7] = byte(i>>8), byte(i)
		network, _ := netip.AddrFrom16(address).Prefix(64)
		if l.take(credentials, "one", network) == 0 {
			allowed++
		}
	}
	if want := credentials.max * siteFactor; allowed != want {
		t.Errorf("a site was allowed %d, want %d", allowed, want)
	}
	if l.take(credentials, "one", netip.MustParsePrefix("2001:db8:2::/64")) != 0 {
		t.Error("another site is limited")
	}
	for range 1000 { // refused calls do not count against the site
		l.take(credentials, "one", netip.MustParsePrefix("2001:db8:2:1::/64"))
	}
	if l.take(credentials, "one", netip.MustParsePrefix("2001:db8:2:2::/64")) != 0 {
		t.Error("one network has locked out its site")
	}
}
