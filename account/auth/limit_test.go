package auth

import "testing"

func TestLimits(t *testing.T) {
	s := newSite(t, nil)
	for name, c := range map[string]struct {
		path    string
		allowed int
		seconds string // the maximum wait
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

// The overall limit of an address is a burst of 100 calls, and 10 calls a second.
func TestGeneralLimit(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	b.header.Set("X-Test-Address", "192.0.2.1")
	for range overallRate.Burst {
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
