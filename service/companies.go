package service

import (
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/service/telemetry"
)

// openCompanies composes the registries into what is known about companies, behind the cache.
func (s *Service) openCompanies(config *Config) error {
	c, lifetimes := s.cache(), config.Cache.Companies.Company()
	sheets := profile.NewSheets(c, s.trade.statements, telemetry.WithSpan("upstream.bilant", s.tax.statement), s.live)
	s.companies = profile.NewRegister(c, lifetimes, telemetry.WithSpan("upstream.anaf", s.tax.Company), s.trade, sheets)
	s.ends = append(s.ends, s.companies.Close)

	load := profile.RegisterLoaders{}
	for _, r := range s.tax.small {
		load[r.SmallRegister] = r.record
	}

	s.taxRecords = profile.NewTaxRecords(c, lifetimes, s.companies, load)
	s.ends = append(s.ends, s.taxRecords.Close)
	return nil
}
