package ask

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/client"
)

// companyPage prints one company.
func (s *session) companyPage(c *client.Company) error {
	t := new(grid)
	t.line("Tax id", cell{text: strconv.FormatInt(c.TaxID, 10)})
	t.line("Trade register", cell{text: text(c.TradeNumber)})
	t.line("State", stateCell(c.StateRegistration))
	if c.SeatExpired != nil && *c.SeatExpired {
		t.line("Registered office", cell{text: "right of use expired"})
	}

	t.line("Registered", cell{text: text(c.RegistrationDate)})
	if c.StatusDate != nil {
		t.line("Statuses of", cell{c.StatusDate.String(), strong})
	}

	t.line("VAT", since(yesNo(c.VATPayer, new(true)), c.VATSince))
	t.line("VAT on collection", yesNo(c.VATOnCollection, nil))
	holds, from := inactive(c)
	t.line("Inactive", since(yesNo(holds, new(false)), from))
	holds, from = eInvoice(c)
	t.line("RO e-Factura", since(yesNo(holds, nil), from))
	t.line("Activity (CAEN)", cell{text: text(c.MainNACECode)})
	t.line("Address", cell{text: text(c.Address)})
	t.line("Phone", cell{text: text(c.Phone)})
	t.line("Website", cell{text: text(c.Website)})
	t.addParts(c)
	t.addSources(c.Sources)

	fmt.Fprintln(s.out, paint(c.Name, strong, s.colours))
	return t.print(s.out, s.colours)
}

// line adds a value with its name, unless it is empty.
func (t *grid) line(name string, value cell) {
	if value.text != "" {
		t.add(cell{"  " + name, quiet}, value)
	}
}

// since adds the first day to a status that holds.
func since(c cell, from *client.Date) cell {
	if c.text == "yes" && from != nil {
		c.text += ", since " + from.String()
	}
	return c
}

// inactive returns whether a company is inactive, and since when.
func inactive(c *client.Company) (status *bool, since *client.Date) {
	if c.Inactive == nil {
		return nil, nil
	}
	return &c.Inactive.Status, c.Inactive.Since
}

// eInvoice returns whether a company is in the RO e-Factura register, and since when.
func eInvoice(c *client.Company) (registered *bool, since *client.Date) {
	if c.EInvoice == nil {
		return nil, nil
	}
	return &c.EInvoice.Registered, c.EInvoice.Since
}

// addParts appends the requested parts.
func (t *grid) addParts(c *client.Company) {
	if c.Insolvency != nil {
		t.line("Insolvency", cell{text: c.Insolvency.Label.English})
	}
	if v := c.Verdict; v != nil {
		rules := strings.Join(slices.Concat(v.Failed, v.Unknown), ", ")
		t.line("Verdict", cell{text: strings.TrimSuffix(string(v.Outcome)+": "+rules, ": ")})
	}

	if c.Registers != nil {
		t.line("Farmers' register", yesNo(c.Registers.Farmers.Registered, nil))
		t.line("Non-profits", yesNo(c.Registers.NonProfits.Registered, nil))
		t.line("Optional e-Factura", yesNo(c.Registers.EInvoice.Registered, nil))
	}

	if c.LegalRepresentatives != nil {
		for _, person := range slices.Concat(c.LegalRepresentatives.Governance, c.LegalRepresentatives.Procedural) {
			t.line("Representative", cell{text: person.Name + ", " + person.Role})
		}
	}

	for _, sheet := range c.BalanceSheets {
		t.line(fmt.Sprintf("Statement of %d", sheet.Year),
			cell{text: fmt.Sprintf("turnover %s, net result %s, employees %s",
				amount(sheet.Turnover), amount(sheet.NetResult), amount(sheet.Employees))})
	}
}

func amount(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return humanize.Comma(*n)
}
