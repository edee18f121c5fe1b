package standin

import (
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/ro"
)

// taxpayer is one record of the tax authority's answer, version 9 of February 2025, in its own wording. Absent values
// are "", rarely " " or null.
type taxpayer struct {
	General struct {
		CUI        ro.CUI  `json:"cui"`
		Day        string  `json:"data"`
		Name       string  `json:"denumire"`
		Address    string  `json:"adresa"`
		Register   string  `json:"nrRegCom"`
		Phone      string  `json:"telefon"`
		Fax        *string `json:"fax,omitempty"`
		Postal     *string `json:"codPostal"`
		Act        string  `json:"act"`
		Status     string  `json:"stare_inregistrare"`
		Registered string  `json:"data_inregistrare"`
		CAEN       string  `json:"cod_CAEN"`
		IBAN       string  `json:"iban"`
		InEInvoice bool    `json:"statusRO_e_Factura"`
		EInvoice   string  `json:"data_inreg_Reg_RO_e_Factura"`
		TaxOffice  string  `json:"organFiscalCompetent"`
		Ownership  string  `json:"forma_de_proprietate"`
		Organized  string  `json:"forma_organizare"`
		LegalForm  string  `json:"forma_juridica"`
	} `json:"date_generale"`
	VAT struct {
		Pays    bool        `json:"scpTVA"`
		Periods []vatPeriod `json:"perioade_TVA"`
	} `json:"inregistrare_scop_Tva"`
	Collection struct {
		From      string `json:"dataInceputTvaInc"`
		To        string `json:"dataSfarsitTvaInc"`
		Updated   string `json:"dataActualizareTvaInc"`
		Published string `json:"dataPublicareTvaInc"`
		Act       string `json:"tipActTvaInc"`
		Applies   bool   `json:"statusTvaIncasare"`
	} `json:"inregistrare_RTVAI"`
	Inactive struct {
		From      string `json:"dataInactivare"`
		Again     string `json:"dataReactivare"`
		Published string `json:"dataPublicare"`
		StruckOff string `json:"dataRadiere"`
		Applies   bool   `json:"statusInactivi"`
	} `json:"stare_inactiv"`
	Split struct {
		From    string `json:"dataInceputSplitTVA"`
		To      string `json:"dataAnulareSplitTVA"`
		Applies bool   `json:"statusSplitTVA"`
	} `json:"inregistrare_SplitTVA"`
	Seat     map[string]string `json:"adresa_sediu_social"`
	Domicile map[string]string `json:"adresa_domiciliu_fiscal"`
}

type vatPeriod struct {
	From      string `json:"data_inceput_ScpTVA"`
	To        string `json:"data_sfarsit_ScpTVA"`
	Cancelled string `json:"data_anul_imp_ScpTVA"`
	Message   string `json:"mesaj_ScpTVA"`
}

// taxpayerOf returns the tax authority's record of a company for a day: the statuses of that day, all periods, and
// today's identity.
func taxpayerOf(c *Company, day ro.Date) taxpayer {
	var t taxpayer
	t.describe(c, day)
	t.VAT.Pays, t.VAT.Periods = c.PaysVAT(day), []vatPeriod{}
	for _, r := range c.VAT {
		t.VAT.Periods = append(t.VAT.Periods,
			vatPeriod{r.From.String(), text(r.To), text(r.Entered), cedilla(r.Reason)})
	}
	if c.index%2 == 0 { // the order is not guaranteed
		slices.Reverse(t.VAT.Periods)
	}

	t.collect(c, day)
	t.Inactive.From, t.Inactive.Again = text(c.Inactivity.From), text(c.Inactivity.To)
	t.Inactive.Published, t.Inactive.Applies = text(c.Inactivity.Published), c.Inactivity.covers(day)
	t.Split.From, t.Split.To, t.Split.Applies = text(c.SplitVAT.From), text(c.SplitVAT.To), c.SplitVAT.covers(day)
	if c.State == StruckOff {
		t.Inactive.StruckOff = c.Since.String()
	}

	t.Seat, t.Domicile = c.address("s"), c.address("d")
	if c.abroad {
		t.Seat = map[string]string{
			"sdenumire_Strada": "Voorbeeldstraat", "snumar_Strada": "7", "sdenumire_Localitate": "Amsterdam",
			"scod_Localitate": "",
			"sdenumire_Judet": "", "scod_Judet": "", "scod_JudetAuto": "", "stara": "OLANDA", "sdetalii_Adresa": "",
			"scod_Postal": "",
		}
	}

	return t
}

// describe fills in the general data.
func (t *taxpayer) describe(c *Company, day ro.Date) {
	f, g := forms[c.Form], &t.General
	g.CUI, g.Day, g.Name, g.Register = c.CUI, day.String(), cedilla(c.taxName()), c.RegisterNumber
	g.Address, g.Phone, g.CAEN = cedilla(c.addressLine()), c.Phone, strings.TrimLeft(c.code(), "0")
	if c.index%7 != 0 { // some records lack the field
		g.Fax = new("")
	}
	if c.index%11 != 0 { // in some records it is null
		g.Postal = new(strings.TrimLeft(c.seat.postal, "0"))
	}

	g.Status = wordings[c.State].text + " din data " + c.Since.UTC().Format("02.01.2006")
	if c.State == StruckOff && c.index%5 == 0 { // an older wording
		g.Status = "RADIATĂ din data " + c.Since.UTC().Format("02.01.2006")
	}

	g.Registered = c.Registered.String()
	g.InEInvoice, g.EInvoice = c.InEInvoice(day), text(c.EInvoice)
	if c.EInvoice != 0 && c.index%3 == 0 { // in some records the day has another format
		g.EInvoice = c.EInvoice.UTC().Format("02.01.2006")
	}

	g.TaxOffice = cedilla(c.seat.taxOffice())
	if f.legal != "" {
		g.Ownership, g.Organized = "PROPR.PRIVATA-CAPITAL PRIVAT AUTOHTON", "PERSOANA JURIDICA"
		g.LegalForm = cedilla(f.legal)
	}
}

// addressLine returns the address on one line.
func (c *Company) addressLine() string {
	if c.street == "" {
		return c.seat.line() + ", -, NR."
	}
	return c.seat.line() + ", STR. " + strings.ToUpper(c.street) + ", NR." + c.number + strings.ToUpper(c.details())
}

// details returns the parts of the address after street and number, which some companies have.
func (c *Company) details() string {
	if c.index%4 == 3 {
		return ", Et.Parter"
	}
	return ""
}

// address returns the structured address. Its field names begin with s or d.
func (c *Company) address(prefix string) map[string]string {
	street, p := " ", c.seat // the registry writes an empty street as a space
	if c.street != "" {
		street = "Str. " + c.street
	}

	a := map[string]string{
		"denumire_Strada": street, "numar_Strada": c.number,
		"denumire_Localitate": p.locality(), "cod_Localitate": p.anaf,
		"denumire_Judet": p.countyName(), "cod_Judet": p.code, "cod_JudetAuto": p.plate,
		"tara": "", "detalii_Adresa": strings.TrimPrefix(c.details(), ", "),
		"cod_Postal": strings.TrimLeft(p.postal, "0"),
	}

	prefixed := make(map[string]string, len(a))
	for name, value := range a {
		prefixed[prefix+name] = cedilla(value)
	}

	return prefixed
}

// text formats a day in ISO format. The zero day is the empty text.
func text(d ro.Date) string {
	if d == 0 {
		return ""
	}
	return d.UTC().Format(time.DateOnly)
}
