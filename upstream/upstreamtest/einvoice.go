package upstreamtest

import (
	"net/http"

	"github.com/rodata/rodata/api"
)

// eInvoicePath is the path of the RO e-Factura register.
const eInvoicePath = "/api/registruroefactura/v1/interogare"

// eInvoice is one record of the RO e-Factura register. Absent days are "". The day of the option is sometimes null.
type eInvoice struct {
	CUI        api.CUI `json:"cui"`
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

// eInvoices answers a batch of numbers like the register of taxpayers: with 404 if none of them is registered.
func (a *authority) eInvoices(body []byte) reply {
	questions, err := readQuestions(body, maxBatch)
	if err != nil {
		return plain(http.StatusBadRequest, err.Error())
	}

	answer := struct {
		Found    []eInvoice `json:"found"`
		NotFound []api.CUI  `json:"notFound"`
	}{Found: []eInvoice{}, NotFound: []api.CUI{}}

	p := reply{status: http.StatusOK, mime: "application/json", numbers: len(questions)}
	for _, q := range questions {
		if q.cui == NumberOmitted {
			continue
		}

		company := a.companies.byCUI[q.cui]
		if company != nil && company.InEInvoice(q.day) {
			answer.Found = append(answer.Found, eInvoiceOf(company))
		} else {
			answer.NotFound = append(answer.NotFound, q.cui)
		}

		if p.fault == (Fault{}) {
			p.fault = faultOf(q.cui)
		}
	}

	if len(answer.Found) == 0 {
		p.status = http.StatusNotFound
	}

	p.body = encode(answer)
	return p
}

func eInvoiceOf(c *Company) eInvoice {
	e := eInvoice{
		CUI: c.CUI, Name: cedilla(c.Name + " " + forms[c.Form].suffix), Address: cedilla(c.addressLine()),
		Register: "Registrul RO e-Factura", Category: "operator economic", Registered: text(c.EInvoice),
		State: "înregistrat",
	}
	if c.index%2 == 0 {
		e.Option = new("")
	}

	return e
}
