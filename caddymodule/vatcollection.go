package caddymodule

import (
	"log/slog"
	"path/filepath"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/caddymodule/telemetry"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/company"
	"github.com/rodata/rodata/upstream/vatcollection"
)

// vatRegister is the open register of VAT on collection, and the goroutine that keeps it up
// to date.
type vatRegister struct {
	*vatcollection.Register
	client *upstream.Client
	keeper keeper
}

type anafFilesKey struct {
	settings settings.ANAFFiles
	dataDir  string
}

// openVATRegister takes a share in the register of VAT on collection. It returns nil if the
// settings turn it off.
func openVATRegister(l *shares, a *settings.ANAFFiles, dataDir string, m *telemetry.Meters) (*vatRegister, error) {
	if a.Off {
		return nil, nil
	}

	return share(l, anafFilesKey{*a, dataDir}, func() (*vatRegister, error) {
		client, err := a.Client()
		if err != nil {
			return nil, err
		}

		r := vatcollection.Open(vatcollection.Options{
			Host: newPublisher(vatcollection.Name, client, m), Dir: filepath.Join(dataDir, "anaf"),
			Logger: slog.New(liveLog{}),
		})
		register := &vatRegister{Register: r, client: client}
		register.keeper.start(r.Run)
		return register, nil
	})
}

// Destruct stops the goroutine and closes the connection.
func (v *vatRegister) Destruct() error {
	v.keeper.stop()
	v.client.Close()
	return nil
}

// status returns the state of the register. Without any file, the state is unknown until a check fails, and then down.
// It is stale while the newest file is unavailable.
func (v *vatRegister) status() api.SourceStatus {
	known := v.Register.Status()
	s := api.SourceStatus{Name: vatcollection.Name, State: "ok", Breaker: string(known.Breaker)}
	if !known.Checked.IsZero() {
		checked := known.Checked.UTC().Truncate(time.Second)
		s.LastSuccess = &checked
	}
	if known.Day != 0 {
		s.AsOf = &known.Day
	}

	switch failed := known.Trouble != vatcollection.None; {
	case known.Day == 0 && failed:
		s.State = "down"
	case known.Day == 0:
		s.State = "unknown"
	case failed:
		s.State = "stale"
	}

	return settled(s)
}

// stated returns the start of the loaded file's day.
func (v *vatRegister) stated() time.Time {
	day := v.Day()
	if day == 0 {
		return time.Time{}
	}
	return day.UTC()
}

var _ source = (*vatRegister)(nil)

// collections returns the register of VAT on collection for the history of companies; nil if it is off.
func (s *service) collections() company.Collections {
	if s.vat == nil {
		return nil
	}
	return s.vat
}
