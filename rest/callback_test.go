package rest

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// sender sends events to a handler.
type sender struct{ *Handler }

func (s sender) send(from string, body io.Reader) (status int) {
	r := newRequest("POST", "/v1/billing/webhook", body)
	r.Header.Set("Stripe-Signature", "t=1,v1=00")
	r.RemoteAddr = from + ":443"
	return answer(s, r).StatusCode
}

// The number of events that are read concurrently before their signatures are verified is limited, and one address
// cannot use up the limit.
func TestEventsAreBounded(t *testing.T) {
	s := sender{newHandler(t)}
	synctest.Test(t, func(t *testing.T) {
		unfinished, end := io.Pipe()
		hold := func(from string) {
			go s.send(from, unfinished)
			synctest.Wait() // until it waits for the body
		}
		for range maxEventsEach {
			hold("192.0.2.1")
		}
		if status := s.send("192.0.2.1", strings.NewReader("{}")); status != http.StatusServiceUnavailable {
			t.Errorf("one body too many from an address got %d", status)
		}
		if status := s.send("192.0.2.2", strings.NewReader("{}")); status != http.StatusNoContent {
			t.Errorf("an event from elsewhere got %d", status)
		}

		for n := maxEventsEach; n < maxEvents; n++ {
			hold("192.0.2." + string(rune('3'+n/maxEventsEach)))
		}
		if status := s.send("198.51.100.1", strings.NewReader("{}")); status != http.StatusServiceUnavailable {
			t.Errorf("one body too many of all got %d", status)
		}

		end.Close()
		synctest.Wait()
		if status := s.send("192.0.2.1", strings.NewReader("{}")); status != http.StatusNoContent {
			t.Errorf("with all bodies ended, an event got %d", status)
		}
	})
}

// An address can send events only at its rate, with or without valid signatures.
func TestEventsAreLimited(t *testing.T) {
	s := sender{newHandler(t)}
	synctest.Test(t, func(t *testing.T) {
		for n := range eventRate.Burst {
			if status := s.send("192.0.2.1", strings.NewReader("{}")); status != http.StatusNoContent {
				t.Fatalf("event %d got %d", n+1, status)
			}
		}

		if status := s.send("192.0.2.1", strings.NewReader("{}")); status != http.StatusTooManyRequests {
			t.Errorf("beyond the burst: got %d", status)
		}
		if status := s.send("192.0.2.2", strings.NewReader("{}")); status != http.StatusNoContent {
			t.Errorf("another address got %d", status)
		}
	})
}
