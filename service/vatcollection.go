package service

import (
	"path/filepath"
	"time"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/vatcollection"
)

// vatRegister is the open register of VAT on collection, and the goroutine that keeps it up to date.
type vatRegister struct {
	*vatcollection.Register
	client *upstream.Client
	keeper work.Pool
}

// openVATRegister takes a share in the register of VAT on collection. It returns nil if the settings turn it off.
func openVATRegister(l *shares, a *settings.ANAFFiles, dataDir string, m *telemetry.Meters) (*vatRegister, error) {
	if a.Off {
		return nil, nil
	}

	return share(l, "the register of VAT on collection", registryKey{*a, dataDir}, func() (*vatRegister, error) {
		client, err := a.Client()
		if err != nil {
			return nil, err
		}

		r := vatcollection.Open(vatcollection.Options{
			Host: newPublisher(vatcollection.Name, client, m), Dir: filepath.Join(dataDir, "anaf"), Logger: l.log,
		})
		register := &vatRegister{Register: r, client: client}
		register.keeper.Go(r.Run)
		return register, nil
	})
}

// Close stops the goroutine and closes the connection.
func (v *vatRegister) Close() error {
	v.keeper.Close()
	v.client.Close()
	return nil
}

// status returns the state of the register. It is stale while the newest file is unavailable.
func (v *vatRegister) status() system.SourceStatus {
	known := v.Register.Status()
	return documentsStatus(vatcollection.Name, known.Breaker, known.Checked, known.Day,
		known.Trouble != vatcollection.None)
}

// dataTime returns the start of the loaded file's day.
func (v *vatRegister) dataTime() time.Time { return startOf(v.Day()) }

var _ source = (*vatRegister)(nil)

// collections returns the register of VAT on collection for the history of companies; nil if it is off.
func (s *Service) collections() profile.Collections {
	if s.vat == nil {
		return nil
	}
	return s.vat
}
