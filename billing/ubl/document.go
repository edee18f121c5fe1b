// Package ubl encodes invoices for RO e-Factura: UBL 2.1 in the Romanian profile (CIUS-RO 1.0.1) of the European norm
// EN 16931, checked against the rules that the tax authority's validator enforces.
package ubl

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"github.com/rodata/rodata/billing/invoice"
)

// document is an Invoice or a CreditNote, which differ only in three element names. The fields are in the order of the
// schema.
type document struct {
	XMLName   xml.Name
	Namespace string `xml:"xmlns,attr"`
	CAC       string `xml:"xmlns:cac,attr"`
	CBC       string `xml:"xmlns:cbc,attr"`

	UBLVersion     string            `xml:"cbc:UBLVersionID"`
	Customization  string            `xml:"cbc:CustomizationID"`
	ID             string            `xml:"cbc:ID"`
	IssueDate      string            `xml:"cbc:IssueDate"`
	DueDate        string            `xml:"cbc:DueDate,omitempty"`
	InvoiceType    string            `xml:"cbc:InvoiceTypeCode,omitempty"`
	CreditNoteType string            `xml:"cbc:CreditNoteTypeCode,omitempty"`
	Notes          []string          `xml:"cbc:Note"`
	Currency       string            `xml:"cbc:DocumentCurrencyCode"`
	TaxCurrency    string            `xml:"cbc:TaxCurrencyCode,omitempty"`
	Period         *period           `xml:"cac:InvoicePeriod"`
	Corrects       *billingReference `xml:"cac:BillingReference"`
	Seller         party             `xml:"cac:AccountingSupplierParty>cac:Party"`
	Customer       party             `xml:"cac:AccountingCustomerParty>cac:Party"`
	Delivered      *delivery         `xml:"cac:Delivery"`
	PaymentMeans   *paymentMeans     `xml:"cac:PaymentMeans"`
	PaymentTerms   *paymentTerms     `xml:"cac:PaymentTerms"`
	TaxTotals      []taxTotal        `xml:"cac:TaxTotal"`
	Totals         totals            `xml:"cac:LegalMonetaryTotal"`
	InvoiceLines   []line            `xml:"cac:InvoiceLine"`
	CreditLines    []line            `xml:"cac:CreditNoteLine"`
}

type period struct {
	From string `xml:"cbc:StartDate"`
	To   string `xml:"cbc:EndDate"`
}

type billingReference struct {
	ID        string `xml:"cac:InvoiceDocumentReference>cbc:ID"`
	IssueDate string `xml:"cac:InvoiceDocumentReference>cbc:IssueDate"`
}

type party struct {
	Address   address    `xml:"cac:PostalAddress"`
	TaxScheme *taxScheme `xml:"cac:PartyTaxScheme"`
	Legal     legal      `xml:"cac:PartyLegalEntity"`
	Contact   *contact   `xml:"cac:Contact"`
}

type address struct {
	Street  string `xml:"cbc:StreetName"`
	City    string `xml:"cbc:CityName"`
	Post    string `xml:"cbc:PostalZone,omitempty"`
	County  string `xml:"cbc:CountrySubentity,omitempty"`
	Country string `xml:"cac:Country>cbc:IdentificationCode"`
}

type taxScheme struct {
	CompanyID string `xml:"cbc:CompanyID"`
	Scheme    string `xml:"cac:TaxScheme>cbc:ID"`
}

type legal struct {
	Name      string `xml:"cbc:RegistrationName"`
	CompanyID string `xml:"cbc:CompanyID,omitempty"`
	Form      string `xml:"cbc:CompanyLegalForm,omitempty"`
}

type contact struct {
	Phone string `xml:"cbc:Telephone,omitempty"`
	Email string `xml:"cbc:ElectronicMail,omitempty"`
}

type delivery struct {
	Date string `xml:"cbc:ActualDeliveryDate"`
}

type paymentMeans struct {
	Code string `xml:"cbc:PaymentMeansCode"`
	IBAN string `xml:"cac:PayeeFinancialAccount>cbc:ID"`
}

type paymentTerms struct {
	Note string `xml:"cbc:Note"`
}

type money struct {
	Currency string `xml:"currencyID,attr"`
	Value    string `xml:",chardata"`
}

type taxTotal struct {
	Amount   money        `xml:"cbc:TaxAmount"`
	Subtotal *taxSubtotal `xml:"cac:TaxSubtotal"`
}

type taxSubtotal struct {
	Taxable  money       `xml:"cbc:TaxableAmount"`
	Tax      money       `xml:"cbc:TaxAmount"`
	Category taxCategory `xml:"cac:TaxCategory"`
}

type taxCategory struct {
	ID         string `xml:"cbc:ID"`
	Percent    string `xml:"cbc:Percent,omitempty"`
	ReasonCode string `xml:"cbc:TaxExemptionReasonCode,omitempty"`
	Reason     string `xml:"cbc:TaxExemptionReason,omitempty"`
	Scheme     string `xml:"cac:TaxScheme>cbc:ID"`
}

type totals struct {
	Lines   money  `xml:"cbc:LineExtensionAmount"`
	Net     money  `xml:"cbc:TaxExclusiveAmount"`
	Gross   money  `xml:"cbc:TaxInclusiveAmount"`
	Prepaid *money `xml:"cbc:PrepaidAmount"`
	Payable money  `xml:"cbc:PayableAmount"`
}

type line struct {
	ID       string    `xml:"cbc:ID"`
	Invoiced *quantity `xml:"cbc:InvoicedQuantity"`
	Credited *quantity `xml:"cbc:CreditedQuantity"`
	Net      money     `xml:"cbc:LineExtensionAmount"`
	Item     item      `xml:"cac:Item"`
	Price    money     `xml:"cac:Price>cbc:PriceAmount"`
}

type quantity struct {
	Unit  string `xml:"unitCode,attr"`
	Value int64  `xml:",chardata"`
}

type item struct {
	Description string      `xml:"cbc:Description,omitempty"`
	Name        string      `xml:"cbc:Name"`
	Tax         taxCategory `xml:"cac:ClassifiedTaxCategory"`
}

// Encode returns the XML of an invoice: a CreditNote for a correction, otherwise an Invoice. The output is
// deterministic. If the invoice breaks a rule of RO e-Factura, Encode returns Violations.
func Encode(i invoice.Invoice) ([]byte, error) {
	d := describe(i)
	if broken := check(&d); len(broken) > 0 {
		return nil, fmt.Errorf("writing invoice %s as XML: %w", i.Label(), broken)
	}

	var out bytes.Buffer
	out.WriteString(xml.Header)
	encoder := xml.NewEncoder(&out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(d); err != nil {
		return nil, fmt.Errorf("writing invoice %s as XML: %w", i.Label(), err)
	}

	out.WriteByte('\n')
	return out.Bytes(), nil
}
