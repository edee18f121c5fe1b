package rest

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

func TestTicketsOfVisitors(t *testing.T) {
	v, now := &Visitors{[]byte("a secret for tests")}, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	home, elsewhere := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("192.0.2.8")
	ticket := v.ticket(home, now.Add(time.Hour))
	forged, err := base64.RawURLEncoding.DecodeString(ticket)
	testkit.NoError(t, err)

	forged[endBytes-2]++ // lasts longer
	for name, c := range map[string]struct {
		ticket  string
		address netip.Addr
		after   time.Duration
		valid   bool
	}{
		"own":              {ticket, home, 0, true},
		"at its end":       {ticket, home, time.Hour, false},
		"from elsewhere":   {ticket, elsewhere, 0, false},
		"prolonged":        {base64.RawURLEncoding.EncodeToString(forged), home, 0, false},
		"another secret's": {(&Visitors{[]byte("another secret")}).ticket(home, now.Add(time.Hour)), home, 0, false},
		"cut off":          {ticket[:20], home, 0, false},
		"longer":           {ticket + "AAAA", home, 0, false},
		"none":             {"", home, 0, false},
		"no base64":        {"!", home, 0, false},
		"the same /64": {v.ticket(netip.MustParseAddr("2001:db8::1"), now.Add(time.Hour)),
			netip.MustParseAddr("2001:db8::2"), 0, true},
		"another /64": {v.ticket(netip.MustParseAddr("2001:db8::1"), now.Add(time.Hour)),
			netip.MustParseAddr("2001:db8:0:1::1"), 0, false},
	} {
		if got := v.verify(c.ticket, c.address, now.Add(c.after)); got != c.valid {
			t.Errorf("%s: valid is %v", name, got)
		}
	}
}

// Over https, only a ticket with the name that browsers protect counts.
func TestNamesOfTickets(t *testing.T) {
	v, home := NewVisitors([]byte("a secret for tests")), netip.MustParseAddr("192.0.2.7")
	for base, name := range map[string]string{"https://rodata.example": "__Secure-rodata_visitor",
		"http://127.0.0.1:8080": "rodata_visitor"} {
		w := httptest.NewRecorder()
		v.setTicket(w, httptest.NewRequest("GET", "/", nil), home, base)
		line := w.Header().Get("Set-Cookie")
		if secure := strings.HasPrefix(name, "__"); !strings.HasPrefix(line, name+"=") ||
			strings.Contains(line, "; Secure") != secure {
			t.Errorf("at %s: %s", base, line)
		}

		pair, _, _ := strings.Cut(line, ";")
		_, value, _ := strings.Cut(pair, "=")
		for sent, want := range map[string]bool{name + "=" + value: true, "other_" + name + "=" + value: false,
			"rodata_visitor=" + value: name == "rodata_visitor"} {
			r := httptest.NewRequest("GET", "/v1/companies/1", nil)
			r.Header.Set("Cookie", sent)
			if got := v.recognises(r, home, func(*http.Request) string { return base }); got != want {
				t.Errorf("at %s, %s is recognised: %v", base, sent, got)
			}
		}
	}
}
