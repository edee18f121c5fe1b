package company

import (
	"testing"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/ro"
)

// The cells of a company equal its values in the JSON answer of the search.
func TestColumnsAreThoseOfTheSummary(t *testing.T) {
	text := func(s string) *string { return &s }
	company := Summary{
		TaxID: new(ro.CUI(9900000010)), Name: "EXEMPLU ȘI FIII SRL", CompanyType: text("SRL"),
		TradeNumber: text("J12/1/2020"), County: text("CLUJ"), City: text("Dej"),
		MainNACECode: text("0119"), RegistrationDate: new(ro.NewDate(2020, 1, 2)), StateRegistration: InOperation,
		Address:  text("jud. CLUJ, Dej"),
		VATPayer: new(true), Phone: text("0264"), Website: text("https://exemplu.example"),
	}
	object := newObjectReader(jsontext.MustEncode(company))
	for i, got := range company.cells() {
		if want := cell(object.at(SummaryFields[i])); got != want {
			t.Errorf("%s is %q, want %q", SummaryFields[i], got, want)
		}
	}
}
