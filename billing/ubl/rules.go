package ubl

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Violation is a broken rule, by its name in the tax authority's validator (CIUS-RO 1.0.9 and EN 16931).
type Violation struct {
	Rule   string // such as BR-RO-065
	Demand string // the requirement of the rule
	Got    string // the actual content of the document
}

func (v Violation) String() string { return fmt.Sprintf("%s: %s, got %q", v.Rule, v.Demand, v.Got) }

// Violations lists all rules that a document breaks.
type Violations []Violation

// Error lists the violations.
func (v Violations) Error() string {
	texts := make([]string, len(v))
	for n := range v {
		texts[n] = v[n].String()
	}
	return strings.Join(texts, "; ")
}

// rule is a rule with its check, which returns the offending content.
type rule struct {
	name, demand string
	breaks       func(*document) (got string, broken bool)
}

// rules are the rules of CIUS-RO that the content of an invoice can break. describe meets the others by construction.
var rules = []rule{
	{"BR-RO-065", "the seller has a fiscal code", func(d *document) (string, bool) {
		return "", d.Seller.TaxScheme == nil || d.Seller.TaxScheme.CompanyID == ""
	}},
	{"BR-RO-081", "the seller has a street", ofSeller(noStreet)},
	{"BR-RO-082", "the customer has a street", ofCustomer(noStreet)},
	{"BR-RO-091", "the seller has a city", ofSeller(noCity)},
	{"BR-RO-092", "the customer has a city", ofCustomer(noCity)},
	{"BR-RO-100", "the city of a seller in Bucharest is SECTOR1 to SECTOR6", ofSeller(noSector)},
	{"BR-RO-101", "the city of a customer in Bucharest is SECTOR1 to SECTOR6", ofCustomer(noSector)},
	{"BR-RO-110", "the county of a seller in Romania is one of ISO 3166-2:RO", ofSeller(noCounty)},
	{"BR-RO-111", "the county of a customer in Romania is one of ISO 3166-2:RO", ofCustomer(noCounty)},
	{"BR-RO-A999", "there are 1 to 999 lines", func(d *document) (string, bool) {
		n := len(d.InvoiceLines) + len(d.CreditLines)
		return strconv.Itoa(n), n < 1 || n > 999
	}},
	{"BR-CO-25", "an amount to be paid has a due date or payment terms", func(d *document) (string, bool) {
		return d.Totals.Payable.Value, d.InvoiceType != "" && strings.Trim(d.Totals.Payable.Value, "0.") != "" &&
			d.DueDate == "" && d.PaymentTerms == nil
	}},
	{"BR-AE-02", "under reverse charge, both parties have a VAT number", func(d *document) (string, bool) {
		return "", d.category() == "AE" && (!d.Seller.isVATRegistered() || !d.Customer.isVATRegistered())
	}},
	{"BR-RO-L", "no text exceeds its maximum length", tooLong},
}

func check(d *document) Violations {
	var broken Violations
	for _, r := range rules {
		if got, is := r.breaks(d); is {
			broken = append(broken, Violation{Rule: r.name, Demand: r.demand, Got: got})
		}
	}

	return broken
}

func (d *document) category() string { return d.TaxTotals[0].Subtotal.Category.ID }

func (p party) isVATRegistered() bool { return p.TaxScheme != nil && p.TaxScheme.Scheme == vat }

func ofSeller(breaks func(address) (string, bool)) func(*document) (string, bool) {
	return func(d *document) (string, bool) { return breaks(d.Seller.Address) }
}

func ofCustomer(breaks func(address) (string, bool)) func(*document) (string, bool) {
	return func(d *document) (string, bool) { return breaks(d.Customer.Address) }
}

func noStreet(a address) (string, bool) { return a.Street, strings.TrimSpace(a.Street) == "" }

func noCity(a address) (string, bool) { return a.City, strings.TrimSpace(a.City) == "" }

var sector = regexp.MustCompile(`^SECTOR[1-6]$`)

func noSector(a address) (string, bool) {
	return a.City, a.Country == "RO" && a.County == "RO-B" && !sector.MatchString(a.City)
}

// countyCodes are the codes of ISO 3166-2:RO.
var countyCodes = strings.Fields(`RO-AB RO-AG RO-AR RO-B RO-BC RO-BH RO-BN RO-BR RO-BT RO-BV RO-BZ RO-CJ RO-CL RO-CS
	RO-CT RO-CV RO-DB RO-DJ RO-GJ RO-GL RO-GR RO-HD RO-HR RO-IF RO-IL RO-IS RO-MH RO-MM RO-MS RO-NT RO-OT RO-PH RO-SB
	RO-SJ RO-SM RO-SV RO-TL RO-TM RO-TR RO-VL RO-VN RO-VS`)

func noCounty(a address) (string, bool) {
	return a.County, a.Country == "RO" && !slices.Contains(countyCodes, a.County)
}

const (
	maxItemName        = 100
	maxItemDescription = 200
)

// tooLong counts characters after collapsing blanks, as the validator's rules BR-RO-L020 to BR-RO-L1000 do.
func tooLong(d *document) (string, bool) {
	type bound struct {
		text string
		max  int
	}

	bounds := []bound{
		{d.ID, 200}, {d.Seller.Legal.Name, 200}, {d.Customer.Legal.Name, 200}, {d.Seller.Legal.Form, 1000},
	}
	for _, p := range []party{d.Seller, d.Customer} {
		bounds = append(bounds, bound{p.Address.Street, 150}, bound{p.Address.City, 50}, bound{p.Address.Post, 20})
		if p.Contact != nil {
			bounds = append(bounds, bound{p.Contact.Email, 100}, bound{p.Contact.Phone, 100})
		}
	}

	for _, note := range d.Notes {
		bounds = append(bounds, bound{note, 300})
	}

	for _, l := range slices.Concat(d.InvoiceLines, d.CreditLines) {
		bounds = append(bounds, bound{l.Item.Name, maxItemName}, bound{l.Item.Description, maxItemDescription})
	}

	for _, b := range bounds {
		if utf8.RuneCountInString(strings.Join(strings.Fields(b.text), " ")) > b.max {
			return fmt.Sprintf("%s (more than %d)", b.text, b.max), true
		}
	}

	return "", false
}
