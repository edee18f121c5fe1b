package service

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

// A failing or hanging store makes the gateway not ready.
func TestReadinessAsksTheStore(t *testing.T) {
	for name, c := range map[string]struct {
		ping func(context.Context) error
		want string
	}{
		"well": {func(context.Context) error { return nil }, ""},
		"failed": {func(context.Context) error { return errors.New("disk I/O error") },
			"pinging the account store: disk I/O error"},
		"hangs": {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, "deadline"},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := (&Service{ping: c.ping}).Ready(t.Context())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
}
