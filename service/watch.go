package service

import (
	"context"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/watch"
	watchstore "github.com/rodata/rodata/watch/store"
	"github.com/rodata/rodata/watch/webhook"
)

// sharedWatch is the part of watch-lists and events that configurations share.
type sharedWatch struct {
	store    *watchstore.DB
	hub      *watch.Hub
	recorder *watchstore.Recorder
	log      *slog.Logger

	pool work.Pool // of background jobs
}

// openWatching opens the shared watch-lists and events, which are stored with the observations.
func (s *Service) openWatching(*Config) error {
	return share(&s.shares, &s.watching, "the watch-lists", s.History, func() (*sharedWatch, error) {
		db, err := watchstore.Open(context.Background(), s.History)
		if err != nil {
			return nil, err
		}

		if err := db.HashFeeds(context.Background(), s.hashSecret); err != nil {
			return nil, err
		}

		w := &sharedWatch{store: db, hub: watch.NewHub(db.Latest), log: s.live}
		w.recorder = &watchstore.Recorder{Store: db, Observations: s.History, View: profile.ViewOf, Wake: w.hub.Wake}
		w.pool.Repeat(w.expire)
		if s.History.IsPostgres() { // other edges may write some
			w.pool.Go(w.hub.Poll)
		}

		return w, nil
	})
}

// hashSecret returns the stored form of a secret that opens something without an account, like that of a key.
func (s *Service) hashSecret(secret string) string { return hex.EncodeToString(s.Keys.Hash(secret)) }

// feeds provides the events of accounts. It implements monitoring.Events and mcp.Changes.
type feeds struct {
	*watchstore.DB
	*watch.Hub
}

func (w *sharedWatch) feeds() feeds { return feeds{w.store, w.hub} }

// lists returns the watch-lists with the settings of a configuration.
func (w *sharedWatch) lists(s *Service, c *Config) *watch.Lists {
	return &watch.Lists{
		Store: w.store, Limits: c.Watch.Limits(), Hash: s.hashSecret, Stored: s.companies.Stored,
		Users: s.Store.UserOfAccount, Sooner: c.sooner(), Log: c.Live,
	}
}

// Close stops what openWatching started. The store is closed with the store of the observations.
func (w *sharedWatch) Close() error {
	w.pool.Close()
	return nil
}

const (
	expireEvery = time.Hour
	// Events are deleted in steps; others can write in between.
	expiredAtOnce = 500
	expirePause   = 100 * time.Millisecond
)

// expire deletes some expired events. The edges of a fleet may all do so.
func (w *sharedWatch) expire(ctx context.Context) (pause time.Duration) {
	n, err := w.store.DeleteEvents(ctx, time.Now().Add(-monitoring.EventRetention), expiredAtOnce)
	if err != nil && ctx.Err() == nil {
		w.log.Error("deleting old events failed; retrying in an hour", "error", err)
	}
	if n < expiredAtOnce {
		return expireEvery
	}
	return expirePause
}

// sendDigests sends the digests of watch-lists. Of several edges that share the store, only one does. Without a mail
// server, nothing is sent.
func (s *Service) sendDigests() {
	if !s.outbox.Enabled() {
		return
	}

	d := &watch.Digests{
		Store: s.watching.store, Users: s.Store.UserOfAccount, Send: s.outbox.Send, Site: s.Config.BaseURL,
		Unsubscribe: auth.UnsubscribePath, Hash: s.hashSecret, Log: s.live,
	}
	s.lead(s.watching.store.Leases(), "digests", d.Run)
}

// unsubscribe implements [auth.Options.Unsubscribe].
func (s *Service) unsubscribe(ctx context.Context, token string, end bool) (string, error) {
	l, err := (&watch.Subscriptions{Store: s.watching.store, Hash: s.hashSecret}).List(ctx, token, end)
	return l.Name, err
}

// openWebhooks opens the shared sender of webhooks. It must be called after the events and the outbox have been opened,
// so that it is closed before them.
func (s *Service) openWebhooks(c *Config) error {
	key := [...]any{s.watching, s.outbox, c.Webhooks, c.BaseURL, string(s.secret)}
	return share(&s.shares, &s.webhooks, "the webhooks", key, func() (*webhook.Webhooks, error) {
		return webhook.Open(webhook.Options{
			Store: s.watching.store, Hub: s.watching.hub, Secret: s.secret,
			Endpoints: web.Endpoints{Private: c.Webhooks.Private == "on"}, MaxPerAccount: c.Webhooks.Maximum(),
			Days: s.core.days, Agent: "rodata/" + version(), Owner: s.Store.UserOfAccount, Mail: s.outbox.Send,
			Site: c.BaseURL, Meter: s.core.meters.CountDelivery, Logger: s.live,
		}), nil
	})
}
