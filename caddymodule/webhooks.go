package caddymodule

import (
	"crypto/sha256"
	"fmt"
	"log/slog"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/weburl"
	"github.com/rodata/rodata/watch/webhook"
)

// sharedWebhooks is a sender of webhooks that configurations share.
type sharedWebhooks struct{ *webhook.Webhooks }

// webhooksKey identifies a shared sender: configurations with equal keys share it.
type webhooksKey struct {
	place   string // where the events are stored
	outbox  outboxKey
	private bool
	most    int
	site    string
	secret  [sha256.Size]byte
}

// Destruct stops delivering.
func (w sharedWebhooks) Destruct() error {
	if err := w.Close(); err != nil {
		return fmt.Errorf("closing the webhooks: %w", err)
	}
	return nil
}

// openWebhooks opens the shared sender of webhooks. It must be called after the events and the outbox have been opened,
// so that it is closed before them.
func (s *service) openWebhooks(a *App, observed sharedHistory) error {
	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return err
	}

	key := webhooksKey{
		place: observed.place, outbox: s.outboxKey, private: a.Webhooks.Private == "on", most: a.Webhooks.Most(),
		site:   a.BaseURL,
		secret: sha256.Sum256(secret),
	}
	shared, err := share(&s.shares, key, func() (sharedWebhooks, error) {
		return sharedWebhooks{webhook.Open(webhook.Options{
			Store: s.watching.store, Hub: s.watching.hub, Secret: secret,
			Endpoints: weburl.Endpoints{Private: key.private}, Most: key.most,
			Agent: "rodata/" + version(), Owner: s.store.UserOfAccount, Mail: s.outbox.Send, Site: key.site,
			Meter: s.core.meters.Delivery, Logger: slog.New(liveLog{}),
		})}, nil
	})
	if err != nil {
		return err
	}

	s.webhooks = shared.Webhooks
	return nil
}
