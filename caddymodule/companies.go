package caddymodule

import (
	"github.com/rodata/rodata/caddymodule/telemetry"
	"github.com/rodata/rodata/upstream/company"
)

// openCompanies composes the registries into what is known about companies, behind the cache.
func (s *service) openCompanies(a *App) error {
	c, lifetimes := s.cache(), a.Cache.Companies.Company()
	sheets := company.NewSheets(c, s.trade.statements, telemetry.Traced("upstream.bilant", s.tax.statement), live)
	s.companies = company.NewRegister(c, lifetimes, telemetry.Traced("upstream.anaf", s.tax.Company), s.trade, sheets)
	s.ends = append(s.ends, s.companies.Close)

	s.taxRecords = company.NewTaxRecords(c, lifetimes, s.companies, company.RegisterLoaders{
		EInvoices: s.tax.eInvoices.record, Farmers: s.tax.farmers.record, NonProfits: s.tax.nonProfits.record,
	})
	s.ends = append(s.ends, s.taxRecords.Close)
	return nil
}
