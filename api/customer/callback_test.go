package customer

import (
	"context"
	"errors"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

// fakeEvents records the events that it receives, or fails.
type fakeEvents struct {
	err      error
	received []string
}

func (f *fakeEvents) Expect(string) error { return f.err }

func (f *fakeEvents) Receive(_ context.Context, payload []byte, signature string) error {
	f.received = append(f.received, string(payload)+" "+signature)
	return f.err
}

func TestStripeCallback(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
	}{
		"taken":           {nil, 204},
		"bad signature":   {ErrBadSignature, 400},
		"not configured":  {ErrNoBilling, 503},
		"effect not made": {errors.New("an unknown price"), 500},
	} {
		events := &fakeEvents{err: c.err}
		w := StripeCallback(events)
		g, observed := gateway.New(t), 0
		g.Observe = func(_ context.Context, o *op.Observation) {
			if observed++; o.Operation != w.Operation || o.Reply.Status != c.status {
				t.Errorf("%s: observed %s with %d", name, o.Operation.Name, o.Reply.Status)
			}
		}
		reply := g.Receive(t.Context(), w, &op.Call{Channel: "rest"}, func(ctx context.Context) error {
			return w.Receive(ctx, []byte("{\n\t\"id\": \"evt_1\"\n}"), "t=1,v1=00")
		})
		if reply.Status != c.status || observed != 1 {
			t.Errorf("%s: got %d, %v, observed %d times", name, reply.Status, reply.Problem, observed)
		}
		if len(events.received) != 1 || events.received[0] != "{\n\t\"id\": \"evt_1\"\n} t=1,v1=00" {
			t.Errorf("%s: handed over as %q", name, events.received)
		}
		if c.err == nil {
			continue
		}
		if err := w.Expect(""); err == nil || errors.Is(err, ErrNoBilling) {
			t.Errorf("%s: expecting it: %v", name, err)
		}
	}
}

// A panic while an event is handled is an internal error, and observed.
func TestWebhookPanics(t *testing.T) {
	w := StripeCallback(new(fakeEvents))
	reply := gateway.New(t).Receive(t.Context(), w, new(op.Call), func(context.Context) error { panic("as expected") })
	if reply.Status != 500 || reply.Problem.ID == "" {
		t.Errorf("got %d, %v", reply.Status, reply.Problem)
	}
}
