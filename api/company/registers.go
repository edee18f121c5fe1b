package company

import (
	"context"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// TaxRegisters provides the tax authority's registers of farmers, non-profits and RO e-Factura.
type TaxRegisters interface {
	// Registers returns the registers' entries for distinct companies, each optionally on a day, in their order. It
	// waits at most wait for companies that are not stored. An entry that is missing by then is null, and its source
	// says so. Companies in one call share requests. The ctx comes from WithCaller.
	Registers(ctx context.Context, companies []ro.CompanyDay, wait time.Duration) []op.Answer[*Registers]
}

// registersPatience is the maximum wait for one company. The registers are queried one after the other, at one request
// per second.
const registersPatience = 12 * time.Second

// Registers has a company's entries in the tax authority's smaller registers. Each is queried separately, so one may
// answer while another does not.
type Registers struct {
	Farmers    RegisterEntry `json:"farmers" doc:"Farmers in the flat-rate scheme for agriculture (art. 315^1 of the Fiscal Code; ANAF calls it Registrul agricultorilor)."`
	NonProfits RegisterEntry `json:"nonProfits" doc:"Non-profit and religious entities whose sponsors may deduct the sponsorship from their tax (ANAF calls it Registrul entităților/unităților de cult)."`
	EInvoice   EInvoiceEntry `json:"eInvoice" doc:"The optional RO e-Factura register. registered: false does not mean that the company cannot receive e-invoices: between companies they have been mandatory since 2024 anyway."`

	// Sources are their source entries.
	Sources []Source `json:"-"`
	// Incomplete reports that a register could not be queried, and may answer later.
	Incomplete bool `json:"-"`
}

// registers are the registers by the names of their sources: their path in a profile, and their entry.
var registers = map[string]struct {
	path string
	set  func(*Registers, EInvoiceEntry)
}{
	"anaf-farmers":    {"registers.farmers", func(r *Registers, e EInvoiceEntry) { r.Farmers = e.plain() }},
	"anaf-nonprofits": {"registers.nonProfits", func(r *Registers, e EInvoiceEntry) { r.NonProfits = e.plain() }},
	"anaf-efactura":   {"registers.eInvoice", func(r *Registers, e EInvoiceEntry) { r.EInvoice = e }},
}

// Add adds the entry in a register, and its source. Registers other than RO e-Factura have no records.
func (r *Registers) Add(source Source, e EInvoiceEntry) {
	r.Sources = append(r.Sources, source)
	registers[source.Name].set(r, e)
}

// unknown returns the paths of the registers that could not be queried.
func (r *Registers) unknown() (paths []string) {
	for _, source := range r.Sources {
		if source.RetrievedAt == nil {
			paths = append(paths, registers[source.Name].path)
		}
	}

	return paths
}

// RegisterEntry is a company's entry in a register.
type RegisterEntry struct {
	Registered *bool    `json:"registered" doc:"Registered today, or on statusDate; null if the register could not be queried."`
	From       *ro.Date `json:"from" doc:"First day of the registration, which may have ended; null if there is none."`
	To         *ro.Date `json:"to" doc:"Day of cancellation according to the register; null while the registration lasts. Whether that day still counts is undocumented: see registered."`
}

// EInvoiceEntry is a company's entry in the RO e-Factura register.
type EInvoiceEntry struct {
	Registered *bool                  `json:"registered" doc:"Registered today, or on statusDate; null if the register could not be queried, or its wording is unknown."`
	From       *ro.Date               `json:"from" doc:"First day of the registration, which may be over."`
	To         *ro.Date               `json:"to" doc:"Day on which it was renounced or struck off; null while it lasts."`
	Entries    []EInvoiceRegistration `json:"entries" nullable:"true" doc:"The register's records of the company in its own words; empty if it has none, null if it could not be queried."`
}

// plain returns the entry without records.
func (e EInvoiceEntry) plain() RegisterEntry { return RegisterEntry{e.Registered, e.From, e.To} }

// EInvoiceRegistration is one record of the RO e-Factura register.
type EInvoiceRegistration struct {
	Register     *string  `json:"register" doc:"Which register (registru), in Romanian."`
	Category     *string  `json:"category" doc:"Kind of taxpayer (categorie), in Romanian."`
	State        *string  `json:"state" doc:"Whether it is registered on the day (stare), in Romanian."`
	RegisteredOn *ro.Date `json:"registeredOn" doc:"Day of registration (dataInscriere)."`
	RenouncedOn  *ro.Date `json:"renouncedOn" doc:"Day on which the company renounced it (dataRenuntare)."`
	StruckOffOn  *ro.Date `json:"struckOffOn" doc:"Day on which it was struck off (dataRadiere)."`
	B2GOptionOn  *ro.Date `json:"b2gOptionOn" doc:"Day of the option for invoices to public bodies (dataOptiuneB2G)."`
}
