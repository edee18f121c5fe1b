package settings

import (
	"fmt"
	"slices"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/caddymodule/internal/option"
)

// Seller is a business in Romania registered for VAT.
type Seller struct {
	// Name, Street, City and VATID (RO and digits) are required. In Bucharest the city is Sector 1 to Sector 6.
	Name   string `json:"name"`
	Street string `json:"street"`
	City   string `json:"city"`
	VATID  string `json:"vat_id"`
	// County is the name or plate code of the county. It may be omitted if there is a postal code.
	County     string `json:"county,omitempty"`
	PostalCode string `json:"postal_code,omitempty"`
	// TradeRegister is the trade register number, and Capital the share capital as printed on invoices. These and the
	// following are optional.
	TradeRegister string `json:"trade_register,omitempty"`
	Capital       string `json:"capital,omitempty"`
	IBAN          string `json:"iban,omitempty"`
	Bank          string `json:"bank,omitempty"`
	Email         string `json:"email,omitempty"`
	Phone         string `json:"phone,omitempty"`
}

// VATRate is a standard rate of VAT.
type VATRate struct {
	// From is the first day on which it applies, in the form 2025-08-01.
	From string `json:"from"`
	// Percent is in hundredths of a percent: 2100 is 21 %.
	Percent int `json:"percent"`
}

func (b *Billing) readSeller(d *caddyfile.Dispenser) error {
	b.Seller = new(Seller)
	return b.Seller.rows().Parse(d)
}

// rows are the rows of the block; none without it.
func (s *Seller) rows() option.Table {
	if s == nil {
		return nil
	}
	return option.Table{
		"name": option.Secret(&s.Name), "street": option.Secret(&s.Street), "city": option.Secret(&s.City),
		"county": option.Secret(&s.County), "postal_code": option.Secret(&s.PostalCode),
		"vat_id": option.Secret(&s.VATID), "trade_register": option.Secret(&s.TradeRegister),
		"capital": option.Secret(&s.Capital), "iban": option.Secret(&s.IBAN), "bank": option.Secret(&s.Bank),
		"email": option.Secret(&s.Email), "phone": option.Secret(&s.Phone),
	}
}

// readVAT parses a day and a percentage.
func (b *Billing) readVAT(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) != 2 {
		return d.Err("vat needs the first day of a rate, and its percentage, as in: vat 2025-08-01 21")
	}

	percent, err := parsePrice(args[1]) // the same format: two decimals or none
	if err != nil || percent > 100_00 {
		return d.Errf("vat: %q is not a percentage such as 21 or 9.50", args[1])
	}

	rate := VATRate{From: args[0], Percent: int(percent)}
	if _, err := rate.invoice(); err != nil {
		return d.Errf("vat: %v", err)
	}

	b.VAT = append(b.VAT, rate)
	return nil
}

func (r VATRate) invoice() (invoice.VATRate, error) {
	from, err := invoice.ParseDate(r.From)
	if err == nil && (r.Percent < 0 || r.Percent > 100_00) {
		err = fmt.Errorf("%d is not a VAT rate in hundredths of a percent, such as 2100 for 21 %%", r.Percent)
	}
	return invoice.VATRate{From: from, Percent: invoice.Percent(r.Percent)}, err
}

// VATRates returns the standard VAT rates, known and configured, in the order of their days.
func (b *Billing) VATRates() (invoice.VATRates, error) {
	rates := slices.Clone(invoice.StandardVATRates)
	for _, given := range b.VAT {
		rate, err := given.invoice()
		if err != nil {
			return nil, err
		}

		rates = slices.DeleteFunc(rates, func(r invoice.VATRate) bool { return r.From == rate.From })
		rates = append(rates, rate)
	}

	slices.SortFunc(rates, func(a, b invoice.VATRate) int { return a.From.Compare(b.From) })
	return rates, nil
}

// Invoice returns the seller as on invoices; nil if there is none.
func (s *Seller) Invoice() *invoice.Seller {
	if s == nil {
		return nil
	}
	return &invoice.Seller{
		Name: s.Name, VATID: s.VATID, TradeRegister: s.TradeRegister, Capital: s.Capital, IBAN: s.IBAN, Bank: s.Bank,
		Email: s.Email, Phone: s.Phone,
		Address: invoice.Address{Street: s.Street, City: s.City, County: s.County, PostalCode: s.PostalCode,
			Country: "RO"},
	}
}
