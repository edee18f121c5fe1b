package caddymodule

import (
	"crypto/sha256"
	"fmt"
	"log/slog"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/weburl"
	"github.com/rodata/rodata/watch/webhook"
)

// sharedWebhooks is a sender of events that configurations share.
type sharedWebhooks struct{ *webhook.Webhooks }

// webhooksKey identifies shared webhooks: configurations that agree in all fields share them.
type webhooksKey struct {
	place   string // of the events
	outbox  outboxKey
	private bool
	most    int
	site    string
	secret  [sha256.Size]byte
}

// Destruct stops sending.
func (w sharedWebhooks) Destruct() error {
	if err := w.Close(); err != nil {
		return fmt.Errorf("closing the webhooks: %w", err)
	}
	return nil
}

// openWebhooks takes a share in the sending of events. It must be called after the events and the outbox are open, so
// that it is closed before them.
func (s *service) openWebhooks(a *App, observed sharedHistory) error {
	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return err
	}

	key := webhooksKey{
		place: observed.place, outbox: s.outboxKey, private: a.Webhooks.Private == "on", most: a.Webhooks.Most(), site: a.BaseURL,
		secret: sha256.Sum256(secret),
	}
	shared, err := share(&s.shares, key, func() (sharedWebhooks, error) {
		return sharedWebhooks{webhook.Open(webhook.Options{
			Store: s.watching.store, Hub: s.watching.hub, Secret: secret, Endpoints: weburl.Endpoints{Private: key.private}, Most: key.most,
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
