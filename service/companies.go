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

	s.taxRecords = profile.NewTaxRecords(c, lifetimes, s.companies, profile.RegisterLoaders{
		EInvoices: s.tax.eInvoices.record, Farmers: s.tax.farmers.record, NonProfits: s.tax.nonProfits.record,
	})
	s.ends = append(s.ends, s.taxRecords.Close)
	return nil
}
