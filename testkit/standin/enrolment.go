package standin

import (
	"net/http"

	"github.com/rodata/rodata/ro"
)

// The paths of the registers of farmers and of non-profits, in version 2.
const (
	farmersPath    = "/RegAgric/api/v2/ws/agric"
	nonProfitsPath = "/RegCult/api/v2/ws/cult"
)

// maxEntries is the maximum number of company numbers in one request to either register.
const maxEntries = 500

// general is the part of a record that both registers share, besides the registration. All of it is empty for a company
// that was never registered.
type general struct {
	CUI      ro.CUI `json:"cui"`
	Day      string `json:"data"`
	Name     string `json:"denumire"`
	Address  string `json:"adresa"`
	Register string `json:"nrRegCom"`
	Phone    string `json:"telefon"`
	Fax      string `json:"fax"`
	Postal   string `json:"codPostal"`
	Act      string `json:"act"`
	Status   string `json:"stare_inregistrare"`
}

// farmer is a record of the register of farmers.
type farmer struct {
	general
	From   string `json:"dataInceputRegAgric"`
	To     string `json:"dataAnulareRegAgric"`
	Status bool   `json:"statusRegAgric"`
}

// nonProfit is a record of the register of non-profits.
type nonProfit struct {
	general
	From   string `json:"dataInceputRegCult"`
	To     string `json:"dataAnulareRegCult"`
	Status bool   `json:"statusRegCult"`
}

func (a *authority) farmers(body []byte) reply {
	return a.enrolments(body, func(q question, c *Company) any {
		p := c.Farmer
		return farmer{generalOf(q, c, p), text(p.From), text(p.To), p.covers(q.day)}
	})
}

func (a *authority) nonProfits(body []byte) reply {
	return a.enrolments(body, func(q question, c *Company) any {
		p := c.NonProfit
		to := text(p.To)
		if p.From != 0 && to == "" { // as in a published sample
			to = " "
		}

		return nonProfit{generalOf(q, c, p), text(p.From), to, p.covers(q.day)}
	})
}

// enrolments answers a batch of numbers. For an unknown number, it also returns a record, which only says that the
// number is not registered.
func (a *authority) enrolments(body []byte, record func(question, *Company) any) reply {
	questions, err := readQuestions(body, maxEntries)
	if err != nil {
		return plain(http.StatusBadRequest, err.Error())
	}

	answer := struct {
		Code     int      `json:"cod"`
		Message  string   `json:"message"`
		Found    []any    `json:"found"`
		NotFound []ro.CUI `json:"notFound"`
	}{Code: http.StatusOK, Message: "SUCCESS", Found: []any{}, NotFound: []ro.CUI{}}

	p := reply{status: http.StatusOK, mime: "application/json", numbers: len(questions)}
	for _, q := range questions {
		if q.cui == NumberOmitted {
			continue
		}

		company := a.companies.byCUI[q.cui]
		if company == nil {
			company = new(Company)
		}

		answer.Found = append(answer.Found, record(q, company))
		if p.fault == (Fault{}) {
			p.fault = faultOf(q.cui)
		}
	}

	p.body = encode(answer)
	return p
}

func generalOf(q question, c *Company, registered Period) general {
	g := general{CUI: q.cui, Day: text(q.day)}
	if registered.From == 0 {
		return g
	}

	g.Name, g.Address = cedilla(c.taxName()), cedilla(c.addressLine())
	g.Register, g.Phone = c.RegisterNumber, c.Phone
	g.Status = "INREGISTRAT din data " + c.Registered.UTC().Format("02.01.2006")
	return g
}
