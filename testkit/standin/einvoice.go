package standin

import "github.com/rodata/rodata/ro"

// eInvoicePath is the path of the RO e-Factura register.
const eInvoicePath = "/api/registruroefactura/v1/interogare"

// eInvoice is one record of the RO e-Factura register. Absent days are "". The day of the option is sometimes null.
type eInvoice struct {
	CUI        ro.CUI  `json:"cui"`
	Name       string  `json:"denumire"`
	Address    string  `json:"adresa"`
	Register   string  `json:"registru"`
	Category   string  `json:"categorie"`
	Registered string  `json:"dataInscriere"`
	Resigned   string  `json:"dataRenuntare"`
	StruckOff  string  `json:"dataRadiere"`
	Option     *string `json:"dataOptiuneB2G"`
	State      string  `json:"stare"`
}

// eInvoices answers from the RO e-Factura register.
func (a *authority) eInvoices(body []byte) reply {
	return batch(body, func(q question) any {
		if company := a.companies.byCUI[q.cui]; company != nil && company.InEInvoice(q.day) {
			return eInvoiceOf(company)
		}
		return nil
	})
}

func eInvoiceOf(c *Company) eInvoice {
	e := eInvoice{
		CUI: c.CUI, Name: cedilla(c.taxName()), Address: cedilla(c.addressLine()),
		Register: "Registrul RO e-Factura", Category: "operator economic", Registered: text(c.EInvoice),
		State: "înregistrat",
	}
	if c.index%2 == 0 {
		e.Option = new("")
	}

	return e
}
