package receipt

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/vat"
)

// vatCheck is the part of a VAT check that a receipt shows.
type vatCheck struct {
	Status             vat.VATStatus `json:"status"`
	Address            *string       `json:"address"`
	RequestDate        *time.Time    `json:"requestDate"`
	Requester          *string       `json:"requester"`
	ConsultationNumber *string       `json:"consultationNumber"`
}

// vatCheckOf parses a certified check. Unknown members come from later versions.
func vatCheckOf(text proof.Certified) (*vatCheck, error) {
	c := new(vatCheck)
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("reading the check of a VAT number that a receipt certifies: %w", err)
	}
	return c, nil
}

// vatCheck draws the check of a VAT number.
func (p *page) vatCheck(c *vatCheck) {
	p.section(label("Ce s-a verificat", "What was verified"))
	p.row(label("Codul de TVA", "VAT number"), p.receipt.Statement.Number())
	if c.Requester != nil {
		p.row(label("la cererea", "on behalf of"), *c.Requester)
	}
	if c.RequestDate != nil {
		p.row(label("Data interogării", "Date of the request"), moment(*c.RequestDate))
	}

	p.section(label("Rezultatul", "The result"))
	p.row(label("Codul de TVA este", "The VAT number is"), vatWords[c.Status])
	if c.Address != nil {
		p.row(label("Adresa", "Address"), *c.Address)
	}

	number := "– (none)"
	if c.ConsultationNumber != nil {
		number = *c.ConsultationNumber
	}

	p.row(label("Numărul consultării în VIES", "Consultation number of VIES"), number)

	p.section(label("Sursele", "The sources"))
	p.row(registry("vies"), moment(p.receipt.Statement.RetrievedAt))
}

var vatWords = map[vat.VATStatus]string{
	vat.Valid: "valid", vat.Invalid: "invalid",
}
