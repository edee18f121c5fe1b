package invoice

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Correction is the input for a storno, besides the invoice that it corrects.
type Correction struct {
	ID        string
	Series    string
	Number    int
	IssueDate Date
	Reason    string // at most 200 characters
}

const maxReason = 200

// Correct returns the storno of an invoice, which cancels it completely with negative amounts at the original VAT rate
// and exchange rate (Fiscal Code art. 330). A new invoice charges what remains due. A storno itself cannot be
// corrected.
func (i Invoice) Correct(c Correction) (Invoice, error) {
	var err error
	switch {
	case i.Kind != Commercial:
		err = errors.New("it is a correction itself")
	case c.ID == "" || c.ID == i.ID:
		err = errors.New("the correction needs an id of its own")
	case checkSeries(c.Series) != nil || c.Number < 1 || c.Series == i.Series && c.Number == i.Number:
		err = fmt.Errorf("the correction cannot be number %d of series %q", c.Number, c.Series)
	case c.IssueDate.Compare(i.IssueDate) < 0:
		err = fmt.Errorf("the correction is of %s and the invoice of %s; it cannot be dated before it", c.IssueDate, i.IssueDate)
	case strings.TrimSpace(c.Reason) == "" || utf8.RuneCountInString(c.Reason) > maxReason:
		err = fmt.Errorf("the reason must have 1 to %d characters", maxReason)
	}

	if err != nil {
		return Invoice{}, fmt.Errorf("correcting invoice %s: %w", i.Label(), err)
	}

	s := i
	s.ID, s.Series, s.Number, s.Kind = c.ID, c.Series, c.Number, Storno
	s.IssueDate, s.DueDate, s.PaidOn = c.IssueDate, Date{}, Date{}
	s.Corrects, s.Reason = Reference{Label: i.Label(), IssueDate: i.IssueDate}, c.Reason
	s.Lines = slices.Clone(i.Lines)
	for n := range s.Lines {
		l := &s.Lines[n]
		l.Quantity, l.Net, l.VAT = -l.Quantity, -l.Net, -l.VAT
	}

	for _, amount := range []*Amount{&s.Net, &s.VAT, &s.Gross, &s.NetLei, &s.VATLei} {
		*amount = -*amount
	}

	return s, nil
}
