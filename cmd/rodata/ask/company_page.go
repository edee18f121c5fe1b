package ask

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/client"
)

// companyPage prints one company.
func (s *session) companyPage(c *client.Company) error {
	yes, no := true, false
	t := new(grid)
	line := func(name string, value cell) {
		if value.text != "" {
			t.add(cell{"  " + name, quiet}, value)
		}
	}
	line("Tax id", cell{text: strconv.FormatInt(c.TaxID, 10)})
	line("Trade register", cell{text: text(c.TradeNumber)})
	line("State", stateCell(c.StateRegistration))
	line("Registered", cell{text: text(c.RegistrationDate)})
	if c.StatusDate != nil {
		line("Statuses of", cell{c.StatusDate.String(), strong})
	}

	line("VAT", since(yesNo(c.VATPayer, &yes), c.VATSince))
	line("VAT on collection", yesNo(c.VATOnCollection, nil))
	holds, from := inactive(c)
	line("Inactive", since(yesNo(holds, &no), from))
	holds, from = eInvoice(c)
	line("RO e-Factura", since(yesNo(holds, nil), from))
	line("Activity (CAEN)", cell{text: text(c.MainNACECode)})
	line("Address", cell{text: text(c.Address)})
	line("Phone", cell{text: text(c.Phone)})
	line("Website", cell{text: text(c.Website)})
	t.addParts(c)
	t.addSources(c.Sources)

	fmt.Fprintln(s.out, paint(c.Name, strong, s.colours))
	return t.print(s.out, s.colours)
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
	add := func(name string, value cell) { t.add(cell{"  " + name, quiet}, value) }
	if c.Insolvency != nil {
		add("Insolvency", cell{text: c.Insolvency.Label.English})
	}

	if c.Registers != nil {
		add("Farmers' register", yesNo(c.Registers.Farmers.Registered, nil))
		add("Non-profits", yesNo(c.Registers.NonProfits.Registered, nil))
		add("Optional e-Factura", yesNo(c.Registers.EInvoice.Registered, nil))
	}

	if c.LegalRepresentatives != nil {
		for _, person := range slices.Concat(c.LegalRepresentatives.Governance, c.LegalRepresentatives.Procedural) {
			add("Representative", cell{text: person.Name + ", " + person.Role})
		}
	}

	for _, sheet := range c.BalanceSheets {
		add(fmt.Sprintf("Statement of %d", sheet.Year),
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
