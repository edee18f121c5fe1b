package service

import (
	"path/filepath"

	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream/vatcollection"
)

// vatRegister is the open register of VAT on collection, and the goroutine that keeps it up to date.
type vatRegister struct {
	*vatcollection.Register
	updater
}

// openVATRegister takes a share in the register of VAT on collection, unless the settings turn it off.
func (s *Service) openVATRegister(c *Config) error {
	a := &c.Upstreams.ANAFFiles
	if a.Off {
		return nil
	}

	key := [...]any{*a, s.core}
	return share(&s.shares, &s.vat, "the register of VAT on collection", key, func() (*vatRegister, error) {
		client, err := a.Client()
		if err != nil {
			return nil, err
		}

		r := vatcollection.Open(vatcollection.Options{
			Host: newPublisher(vatcollection.Name, client, s.core.meters), Dir: filepath.Join(c.DataDir, "anaf"),
			Logger: s.live,
		})
		register := &vatRegister{r, updater{client: client}}
		register.pool.Go(r.Run)
		return register, nil
	})
}

// status returns the state of the register. It is stale while the newest file is unavailable.
func (v *vatRegister) status() telemetry.Source {
	known := v.Register.Status()
	return documentsStatus(vatcollection.Name, known.Breaker, known.Checked, known.Day,
		known.Trouble != vatcollection.None)
}

// companyHistory answers what was known about companies, and when.
func (s *Service) companyHistory() *profile.History {
	return profile.NewHistory(s.companies, s.History, s.collections())
}

// collections returns the register of VAT on collection for the history of companies; nil if it is off.
func (s *Service) collections() profile.Collections {
	if s.vat == nil {
		return nil
	}
	return s.vat
}
