package caddymodule

import (
	"context"
	"log/slog"

	"github.com/rodata/rodata/watch"
)

// sendDigests sends the digests of watch-lists. Of several edges that share the store, one does. Without a mail server,
// nothing is sent.
func (s *service) sendDigests(shared bool) {
	if !s.outbox.Enabled() {
		return
	}

	log := slog.New(liveLog{})
	d := &watch.Digests{Store: s.watching.store, Users: s.store.UserOfAccount, Send: s.outbox.Send, Site: s.baseURL, Log: log}
	run := d.Run
	if shared {
		run = func(ctx context.Context) {
			watch.Lead(ctx, s.watching.store, "digests", watch.LeaseTime, log, d.Run)
		}
	}
	s.background(run)
}
