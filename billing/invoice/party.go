package invoice

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const romania = "RO"

// Address is the address of a party.
type Address struct {
	Street     string
	City       string // for Bucharest, SECTOR1 to SECTOR6 on an invoice
	County     string // for Romania, the plate code on an invoice: CJ, B
	PostalCode string
	Country    string // ISO 3166-1, two capital letters
}

// Seller issues invoices: a business in Romania, registered for VAT.
type Seller struct {
	Name    string
	Address Address
	VATID   string // with RO before the digits
	// TradeRegister is the trade register number, such as J12/1234/2020.
	TradeRegister string
	// Capital is the share capital as printed: 200 lei. Optional.
	Capital string
	// IBAN, Bank, Email and Phone are printed if given.
	IBAN, Bank, Email, Phone string
}

// FiscalCode returns the seller's VAT number without RO. The tax authority uses it as the seller's identifier.
func (s Seller) FiscalCode() string { return strings.TrimPrefix(s.VATID, romania) }

// Customer is the recipient of an invoice.
type Customer struct {
	Name    string
	Address Address
	// VATID is the customer's VAT number with the prefix of its country. For a customer elsewhere in the Union it
	// exempts the invoice from VAT, so the number must have been verified.
	VATID string
	// RegistrationID is the number of a legal person that is not registered for VAT. It is empty for a consumer.
	RegistrationID string
	// Email is printed if given.
	Email string
}

// IsConsumer reports whether the customer is a private person, with neither number.
func (c Customer) IsConsumer() bool { return c.VATID == "" && c.RegistrationID == "" }

var (
	countryCode  = regexp.MustCompile(`^[A-Z]{2}$`)
	vatNumber    = regexp.MustCompile(`^[A-Z]{2}[0-9A-Z+*]{2,13}$`)
	romanianVAT  = regexp.MustCompile(`^RO[0-9]{2,10}$`)
	romanianCode = regexp.MustCompile(`^[0-9]{2,13}$`)
)

func (s Seller) check() (Seller, error) {
	var err error
	switch {
	case strings.TrimSpace(s.Name) == "":
		return s, errors.New("the seller has no name")
	case !romanianVAT.MatchString(s.VATID):
		return s, fmt.Errorf("the seller's VAT number %q is not RO and 2 to 10 digits", s.VATID)
	case s.Address.Country != romania:
		return s, fmt.Errorf("the seller's country is %q: only sellers in RO can issue invoices", s.Address.Country)
	}

	if s.Address, err = s.Address.normalise(); err != nil {
		return s, fmt.Errorf("the seller's address: %w", err)
	}

	return s, nil
}

// check validates the customer and normalises its address and numbers.
func (c Customer) check() (Customer, error) {
	var err error
	c.VATID = strings.ToUpper(strings.NewReplacer(" ", "", ".", "", "-", "").Replace(c.VATID))
	country := c.Address.Country
	switch {
	case strings.TrimSpace(c.Name) == "":
		return c, errors.New("the customer has no name")
	case !countryCode.MatchString(country):
		return c, fmt.Errorf("the customer's country %q is not a code of two capital letters", country)
	case c.VATID != "" && country == romania && !romanianVAT.MatchString(c.VATID):
		return c, fmt.Errorf("the customer's VAT number %q is not RO and 2 to 10 digits", c.VATID)
	case c.RegistrationID != "" && country == romania && !romanianCode.MatchString(c.RegistrationID):
		return c, fmt.Errorf("the customer's fiscal code %q is not 2 to 13 digits", c.RegistrationID)
	}

	if prefix, ok := vatPrefix(country); ok && c.VATID != "" &&
		(!vatNumber.MatchString(c.VATID) || !strings.HasPrefix(c.VATID, prefix)) {
		return c, fmt.Errorf("the customer's VAT number %q is not from %s, whose numbers begin with %s", c.VATID, country,
			prefix)
	}

	if c.Address, err = c.Address.normalise(); err != nil {
		return c, fmt.Errorf("the customer's address: %w", err)
	}

	return c, nil
}

// vatPrefix returns the prefix of a member state's VAT numbers, and reports whether the country is a member state.
func vatPrefix(country string) (string, bool) {
	return strings.Replace(country, "GR", "EL", 1), slices.Contains(union, country)
}
