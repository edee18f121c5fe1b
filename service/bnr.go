package service

import (
	"path/filepath"
	"time"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/bnr"
)

// centralBank is the open archive of fixings, with the goroutine that updates it.
type centralBank struct {
	*bnr.Registry
	client *upstream.Client
	keeper work.Pool
}

// openCentralBank takes a share in the archive.
func openCentralBank(l *shares, b *settings.BNR, dataDir string, m *telemetry.Meters) (*centralBank, error) {
	return share(l, "the central bank", registryKey{*b, dataDir}, func() (*centralBank, error) {
		client, err := b.Client()
		if err != nil {
			return nil, err
		}

		r, err := bnr.Open(bnr.Options{
			Client: newPublisher("bnr", client, m), Dir: filepath.Join(dataDir, "bnr"), Logger: l.log,
			FillEvery: time.Duration(b.FillEvery), MaxFactor: b.MaxFactor,
		})
		if err != nil {
			return nil, err
		}

		bank := &centralBank{Registry: r, client: client}
		bank.keeper.Go(r.Run)
		return bank, nil
	})
}

// Close stops the goroutine and closes the archive.
func (c *centralBank) Close() error {
	c.keeper.Close()
	defer c.client.Close()
	return c.Registry.Close()
}

// status returns the state of the bank. Without any fixing, the state is unknown until a request fails, and then down.
// It is stale while a publication is overdue.
func (c *centralBank) status() system.SourceStatus {
	known := c.Registry.Status()
	s := system.SourceStatus{
		Name: "bnr", State: "ok", MissedPublications: known.MissedPublications, Breaker: string(known.Breaker),
		LastSuccess: wholeSecond(known.LastSuccess),
	}
	if known.AsOf != 0 {
		s.AsOf = &known.AsOf
	}

	switch {
	case s.AsOf == nil && known.Failed, known.Breaker == upstream.BreakerOpen:
		s.State = "down"
	case s.AsOf == nil:
		s.State = "unknown"
	case s.MissedPublications > 0:
		s.State = "stale"
	}

	return unknownUntilAnswered(s)
}

// publicationHour is the hour of the bank's daily publication: shortly after 13:00 in Bucharest (bnr.ro, 2026-11-20).
const publicationHour = 13

// dataTime returns the publication time of the latest stored fixing.
func (c *centralBank) dataTime() time.Time {
	day := c.Registry.Status().AsOf
	if day == 0 {
		return time.Time{}
	}

	year, month, date := day.UTC().Date()
	return time.Date(year, month, date, publicationHour, 0, 0, 0, ro.Bucharest)
}

var _ source = (*centralBank)(nil)
