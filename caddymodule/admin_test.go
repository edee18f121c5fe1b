package caddymodule

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/caddyserver/caddy/v2"
)

// A store that fails, or that hangs, keeps the gateway from being ready.
func TestReadinessAsksTheStore(t *testing.T) {
	for name, c := range map[string]struct {
		ping func(context.Context) error
		want string
	}{
		"well":   {func(context.Context) error { return nil }, ""},
		"failed": {func(context.Context) error { return errors.New("disk I/O error") }, "asking the store of accounts: disk I/O error"},
		"hangs":  {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, "deadline"},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := (&service{ping: c.ping}).ready(t.Context())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
}

func TestNotReadyWhileShuttingDown(t *testing.T) {
	a := &Admin{exiting: func() bool { return true }}
	err := a.readyz(httptest.NewRecorder(), httptest.NewRequest("GET", "/readyz", nil))
	var refusal caddy.APIError
	if !errors.As(err, &refusal) || refusal.HTTPStatus != http.StatusServiceUnavailable || !strings.Contains(refusal.Message, "shutting down") {
		t.Errorf("got %v", err)
	}
}
