package rest

import (
	"net/http/httptest"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
)

// A server-sent event with an id and without data delivers nothing, but the client stores its id.
func TestBeat(t *testing.T) {
	for want, events := range map[string]bool{
		"id: a\nevent: x\ndata: {}\n\n: nothing new\nid: b\n\n": true,
		"{}\n\n": false,
	} {
		w := httptest.NewRecorder()
		x := newHandler(t).exchange(w, newRequest("GET", "/v1/events", nil))
		s := &followStream{exchange: &x, events: events}
		testkit.NoError(t, s.Write([]op.FollowedLine{{Cursor: "a", Type: "x", JSON: []byte("{}")}}))
		if err := s.Beat("b"); err != nil || w.Body.String() != want {
			t.Errorf("sent %q, %v, want %q", w.Body, err, want)
		}
	}
}
