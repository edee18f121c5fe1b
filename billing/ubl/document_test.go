package ubl

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invoices"
)

func TestGoldenDocuments(t *testing.T) {
	for name, i := range invoices.Examples() {
		got, err := Encode(i)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, _ := Encode(i); !bytes.Equal(got, again) {
			t.Errorf("%s: two encodings differ", name)
		}

		testkit.Golden(t, filepath.Join("testdata", name+".xml"), string(got))
	}
}

// sequences lists the children of every element that we write, in the order of the OASIS UBL 2.1 schemas (Invoice,
// CreditNote, CommonAggregateComponents).
var sequences = map[string]string{
	"Invoice": `UBLExtensions UBLVersionID CustomizationID ProfileID ProfileExecutionID ID CopyIndicator UUID IssueDate
		IssueTime DueDate InvoiceTypeCode Note TaxPointDate DocumentCurrencyCode TaxCurrencyCode PricingCurrencyCode
		PaymentCurrencyCode PaymentAlternativeCurrencyCode AccountingCostCode AccountingCost LineCountNumeric BuyerReference
		InvoicePeriod OrderReference BillingReference DespatchDocumentReference ReceiptDocumentReference
		StatementDocumentReference OriginatorDocumentReference ContractDocumentReference AdditionalDocumentReference
		ProjectReference Signature AccountingSupplierParty AccountingCustomerParty PayeeParty BuyerCustomerParty
		SellerSupplierParty TaxRepresentativeParty Delivery DeliveryTerms PaymentMeans PaymentTerms PrepaidPayment
		AllowanceCharge TaxExchangeRate PricingExchangeRate PaymentExchangeRate PaymentAlternativeExchangeRate TaxTotal
		WithholdingTaxTotal LegalMonetaryTotal InvoiceLine`,
	"CreditNote": `UBLExtensions UBLVersionID CustomizationID ProfileID ProfileExecutionID ID CopyIndicator UUID IssueDate
		IssueTime TaxPointDate CreditNoteTypeCode Note DocumentCurrencyCode TaxCurrencyCode PricingCurrencyCode
		PaymentCurrencyCode PaymentAlternativeCurrencyCode AccountingCostCode AccountingCost LineCountNumeric BuyerReference
		InvoicePeriod DiscrepancyResponse OrderReference BillingReference DespatchDocumentReference
		ReceiptDocumentReference ContractDocumentReference AdditionalDocumentReference StatementDocumentReference
		OriginatorDocumentReference Signature AccountingSupplierParty AccountingCustomerParty PayeeParty
		BuyerCustomerParty SellerSupplierParty TaxRepresentativeParty Delivery DeliveryTerms PaymentMeans PaymentTerms
		TaxExchangeRate PricingExchangeRate PaymentExchangeRate PaymentAlternativeExchangeRate AllowanceCharge TaxTotal
		LegalMonetaryTotal CreditNoteLine`,
	"InvoicePeriod": "StartDate StartTime EndDate EndTime DurationMeasure DescriptionCode Description",
	"BillingReference": "InvoiceDocumentReference SelfBilledInvoiceDocumentReference " +
		"CreditNoteDocumentReference",
	"InvoiceDocumentReference": "ID CopyIndicator UUID IssueDate IssueTime DocumentTypeCode DocumentType",
	"AccountingSupplierParty":  "CustomerAssignedAccountID AdditionalAccountID DataSendingCapability Party",
	"AccountingCustomerParty":  "CustomerAssignedAccountID SupplierAssignedAccountID AdditionalAccountID Party",
	"Party": `MarkCareIndicator MarkAttentionIndicator WebsiteURI LogoReferenceID EndpointID IndustryClassificationCode
		PartyIdentification PartyName Language PostalAddress PhysicalLocation PartyTaxScheme PartyLegalEntity Contact`,
	"PostalAddress": `ID AddressTypeCode AddressFormatCode Postbox Floor Room StreetName AdditionalStreetName BlockName
		BuildingName BuildingNumber InhouseMail Department MarkAttention MarkCare PlotIdentification CitySubdivisionName
		CityName PostalZone CountrySubentity CountrySubentityCode Region District TimezoneOffset AddressLine Country`,
	"Country": "IdentificationCode Name",
	"PartyTaxScheme": "RegistrationName CompanyID TaxLevelCode ExemptionReasonCode ExemptionReason " +
		"RegistrationAddress TaxScheme",
	"TaxScheme": "ID Name TaxTypeCode CurrencyCode",
	"PartyLegalEntity": "RegistrationName CompanyID RegistrationDate RegistrationExpirationDate " +
		"CompanyLegalFormCode CompanyLegalForm",
	"Contact":  "ID Name Telephone Telefax ElectronicMail Note",
	"Delivery": "ID Quantity MinimumQuantity MaximumQuantity ActualDeliveryDate ActualDeliveryTime",
	"PaymentMeans": "ID PaymentMeansCode PaymentDueDate PaymentChannelCode InstructionID InstructionNote " +
		"PaymentID CardAccount PayerFinancialAccount PayeeFinancialAccount",
	"PayeeFinancialAccount": "ID Name AliasName AccountTypeCode AccountFormatCode CurrencyCode PaymentNote " +
		"FinancialInstitutionBranch",
	"PaymentTerms": "ID PaymentMeansID PrepaidPaymentReferenceID Note",
	"TaxTotal":     "TaxAmount RoundingAmount TaxEvidenceIndicator TaxIncludedIndicator TaxSubtotal",
	"TaxSubtotal": "TaxableAmount TaxAmount CalculationSequenceNumeric TransactionCurrencyTaxAmount " +
		"Percent BaseUnitMeasure PerUnitAmount TierRange TierRatePercent TaxCategory",
	"TaxCategory": "ID Name Percent BaseUnitMeasure PerUnitAmount TaxExemptionReasonCode " +
		"TaxExemptionReason TierRange TierRatePercent TaxScheme",
	"ClassifiedTaxCategory": "ID Name Percent BaseUnitMeasure PerUnitAmount TaxExemptionReasonCode " +
		"TaxExemptionReason TierRange TierRatePercent TaxScheme",
	"LegalMonetaryTotal": "LineExtensionAmount TaxExclusiveAmount TaxInclusiveAmount AllowanceTotalAmount " +
		"ChargeTotalAmount PrepaidAmount PayableRoundingAmount PayableAmount",
	"InvoiceLine": `ID UUID Note InvoicedQuantity LineExtensionAmount TaxPointDate AccountingCostCode AccountingCost
		PaymentPurposeCode FreeOfChargeIndicator InvoicePeriod OrderLineReference DespatchLineReference
		ReceiptLineReference BillingReference DocumentReference PricingReference OriginatorParty Delivery PaymentTerms
		AllowanceCharge TaxTotal WithholdingTaxTotal Item Price`,
	"CreditNoteLine": `ID UUID Note CreditedQuantity LineExtensionAmount TaxPointDate AccountingCostCode AccountingCost
		PaymentPurposeCode FreeOfChargeIndicator InvoicePeriod DiscrepancyResponse OrderLineReference DespatchLineReference
		ReceiptLineReference BillingReference DocumentReference PricingReference OriginatorParty Delivery PaymentTerms
		TaxTotal AllowanceCharge Item Price`,
	"Item": "Description PackQuantity PackSizeNumeric CatalogueIndicator Name HazardousRiskIndicator " +
		"AdditionalInformation Keyword BrandName ModelName BuyersItemIdentification SellersItemIdentification " +
		"CommodityClassification ClassifiedTaxCategory",
	"Price": "PriceAmount BaseQuantity",
}

// The elements of every example are in the order of the schema.
func TestElementsStandInTheOrderOfTheSchema(t *testing.T) {
	for name, i := range invoices.Examples() {
		text, err := Encode(i)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		type open struct {
			name string
			last int // position of the last child in the sequence
		}
		var path []open
		for dec := xml.NewDecoder(bytes.NewReader(text)); ; {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}

			switch token := token.(type) {
			case xml.StartElement:
				if len(path) > 0 {
					parent := &path[len(path)-1]
					place := slices.Index(strings.Fields(sequences[parent.name]), token.Name.Local)
					if place < parent.last {
						t.Errorf("%s: the schema does not allow %s at this place in %s", name, token.Name.Local,
							parent.name)
					}

					parent.last = max(place, 0)
				}

				path = append(path, open{name: token.Name.Local})
			case xml.EndElement:
				path = path[:len(path)-1]
			}
		}
	}
}

func TestEveryRuleFindsItsViolation(t *testing.T) {
	cases := map[string]struct {
		example string
		spoil   func(*document)
	}{
		"BR-RO-065":             {"business", func(d *document) { d.Seller.TaxScheme.CompanyID = "" }},
		"BR-RO-081":             {"business", func(d *document) { d.Seller.Address.Street = " " }},
		"BR-RO-082":             {"union", func(d *document) { d.Customer.Address.Street = "" }},
		"BR-RO-091":             {"business", func(d *document) { d.Seller.Address.City = "" }},
		"BR-RO-092":             {"union", func(d *document) { d.Customer.Address.City = "" }},
		"BR-RO-100":             {"business", func(d *document) { d.Seller.Address.County = "RO-B" }},
		"BR-RO-101":             {"bucharest", func(d *document) { d.Customer.Address.City = "SECTOR7" }},
		"BR-RO-110":             {"business", func(d *document) { d.Seller.Address.County = "RO-XX" }},
		"BR-RO-111":             {"consumer", func(d *document) { d.Customer.Address.County = "" }},
		"BR-RO-A999":            {"business", func(d *document) { d.InvoiceLines = make([]line, 1000) }},
		"BR-CO-25":              {"unpaid", func(d *document) { d.DueDate = "" }},
		"BR-AE-02":              {"union", func(d *document) { d.Customer.TaxScheme.Scheme = notVAT }},
		"BR-RO-L of the number": {"business", func(d *document) { d.ID = strings.Repeat("9", 201) }},
		"BR-RO-L of the seller": {"business",
			func(d *document) { d.Seller.Legal.Name = strings.Repeat("ș", 201) }},
		"BR-RO-L of the capital": {"business",
			func(d *document) { d.Seller.Legal.Form = strings.Repeat("ș", 1001) }},
		"BR-RO-L of the customer": {"business",
			func(d *document) { d.Customer.Legal.Name = strings.Repeat("ș", 201) }},
		"BR-RO-L of the street": {"business",
			func(d *document) { d.Customer.Address.Street = strings.Repeat("ș", 151) }},
		"BR-RO-L of the city": {"business",
			func(d *document) { d.Customer.Address.City = strings.Repeat("ș", 51) }},
		"BR-RO-L of the post code": {"business",
			func(d *document) { d.Customer.Address.Post = strings.Repeat("1", 21) }},
		"BR-RO-L of the mail": {"business",
			func(d *document) { d.Customer.Contact.Email = strings.Repeat("a", 101) }},
		"BR-RO-L of a note": {"euro", func(d *document) { d.Notes[0] = strings.Repeat("ș", 301) }},
		"BR-RO-L of an item": {"business",
			func(d *document) { d.InvoiceLines[0].Item.Name = strings.Repeat("ș", 101) }},
		"BR-RO-L of a description": {"correction",
			func(d *document) { d.CreditLines[0].Item.Description = strings.Repeat("ș", 201) }},
		"BR-RO-065 without any": {"consumer", func(d *document) { d.Seller.TaxScheme = nil }},
	}
	tried := map[string]bool{}
	for name, test := range cases {
		d := describe(invoices.Examples()[test.example])
		if broken := check(&d); broken != nil {
			t.Fatalf("%s: unchanged, it breaks %v", name, broken)
		}

		test.spoil(&d)
		want, _, _ := strings.Cut(name, " ")
		tried[want] = true
		if broken := check(&d); len(broken) != 1 || broken[0].Rule != want {
			t.Errorf("%s: the broken rules are %v", name, broken)
		}
	}

	for _, r := range rules {
		if !tried[r.name] {
			t.Errorf("no case breaks %s", r.name)
		}
	}
}

func TestTextsAtTheirLimitPass(t *testing.T) {
	d := invoices.Draft()
	d.Customer.Name = strings.Repeat("ș", 200)
	d.Customer.Address.Street = strings.Repeat("ț", 150)
	d.Customer.Address.City = strings.Repeat("Â", 50)
	d.Items[0].Name = strings.Repeat("ă", 300) // shortened, with a description
	text := testkit.Must(Encode(invoices.Must(d)))

	for _, want := range []string{
		"<cbc:Name>" + strings.Repeat("ă", 99) + "…</cbc:Name>",
		"<cbc:Description>" + strings.Repeat("ă", 199) + "…</cbc:Description>",
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the document has no %s", want)
		}
	}
}

func TestRefusedInvoicesNameTheRule(t *testing.T) {
	d := invoices.Draft()
	d.Customer.Name = strings.Repeat("n", 201)
	_, err := Encode(invoices.Must(d))
	var broken Violations
	if !errors.As(err, &broken) || broken[0].Rule != "BR-RO-L" ||
		!strings.Contains(err.Error(), "invoice RDT-0000042") {
		t.Errorf("got %v", err)
	}
}

// The amounts of a correction are positive: the type of a credit note expresses the refund.
func TestAmountsOfACorrectionArePositive(t *testing.T) {
	original := invoices.Examples()["unpaid"] // with a refund line
	correction := testkit.Must(original.Correct(invoice.Correction{ID: "other", Series: "RDT", Number: 44,
		IssueDate: original.IssueDate, Reason: "test"}))
	d := describe(correction)
	if d.Totals.Gross.Value != original.Gross.String() || d.CreditLines[0].Credited.Value != 1 ||
		d.CreditLines[1].Credited.Value != -1 {
		t.Errorf("the correction is over %s in lines of %d and %d", d.Totals.Gross.Value,
			d.CreditLines[0].Credited.Value,
			d.CreditLines[1].Credited.Value)
	}
}

func TestMarkupInNamesIsText(t *testing.T) {
	d := invoices.Draft()
	d.Customer.Name = `<b>&"SRL"</b>` + "\x00"
	text := testkit.Must(Encode(invoices.Must(d)))
	var back document
	if err := xml.Unmarshal(text, &back); err != nil || bytes.Contains(text, []byte("<b>")) {
		t.Errorf("%v in\n%s", err, text)
	}
}
