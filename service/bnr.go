package service

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/bnr"
)

// centralBank is the open archive of fixings, with the goroutine that updates it.
type centralBank struct {
	*bnr.Registry
	updater
}

// openCentralBank takes a share in the archive.
func (s *Service) openCentralBank(c *Config) error {
	b := &c.Upstreams.BNR
	return share(&s.shares, &s.bank, "the central bank", [...]any{*b, s.core}, func() (*centralBank, error) {
		client, err := b.Client()
		if err != nil {
			return nil, err
		}

		r, err := bnr.Open(bnr.Options{
			Client: newPublisher("bnr", client, s.core.meters), Dir: filepath.Join(c.DataDir, "bnr"), Logger: s.live,
			FillEvery: time.Duration(b.FillEvery), MaxFactor: b.MaxFactor,
		})
		if err != nil {
			return nil, err
		}

		bank := &centralBank{r, updater{client: client}}
		bank.pool.Go(r.Run)
		return bank, nil
	})
}

// Close stops the goroutine and closes the archive.
func (c *centralBank) Close() error {
	return errors.Join(c.updater.Close(), c.Registry.Close())
}

// status returns the state of the bank. Without any fixing, the state is unknown until a request fails, and then down.
// It is stale while a publication is overdue.
func (c *centralBank) status() telemetry.Source {
	known := c.Registry.Status()
	s := newSource("bnr", known.Breaker, known.LastSuccess)
	s.MissedPublications = known.MissedPublications
	if known.AsOf != 0 {
		year, month, day := known.AsOf.UTC().Date()
		s.AsOf, s.DataTime = &known.AsOf, time.Date(year, month, day, publicationHour, 0, 0, 0, ro.Bucharest)
	}

	switch {
	case s.AsOf == nil && known.Failed, known.Breaker == upstream.BreakerOpen:
		s.State = "down"
	case s.AsOf == nil:
		s.State = "unknown"
	case s.MissedPublications > 0:
		s.State = "stale"
	}

	return s
}

// publicationHour is the hour of the bank's daily publication: shortly after 13:00 in Bucharest (bnr.ro, 2026-11-20).
const publicationHour = 13
