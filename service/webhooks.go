package service

import (
	"crypto/sha256"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/watch/webhook"
)

// webhooksKey identifies a shared sender: configurations with equal keys share it.
type webhooksKey struct {
	place   string // where the events are stored
	outbox  outboxKey
	private bool
	most    int
	site    string
	secret  [sha256.Size]byte
}

// openWebhooks opens the shared sender of webhooks. It must be called after the events and the outbox have been opened,
// so that it is closed before them.
func (s *Service) openWebhooks(c *Config) (err error) {
	key := webhooksKey{
		place: s.observed.place, outbox: s.outboxKey, private: c.Webhooks.Private == "on", most: c.Webhooks.Maximum(),
		site: c.BaseURL, secret: sha256.Sum256(s.secret),
	}
	s.webhooks, err = share(&s.shares, "the webhooks", key, func() (*webhook.Webhooks, error) {
		return webhook.Open(webhook.Options{
			Store: s.watching.store, Hub: s.watching.hub, Secret: s.secret,
			Endpoints: web.Endpoints{Private: key.private}, MaxPerAccount: key.most, Days: s.core.days,
			Agent: "rodata/" + version(), Owner: s.store.UserOfAccount, Mail: s.outbox.Send, Site: key.site,
			Meter: s.core.meters.CountDelivery, Logger: s.live,
		}), nil
	})
	return err
}
