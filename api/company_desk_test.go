package api

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
)

// A desk answers a list as a batch does: in its order, each item with the status of a look-up alone, and the fields asked for.
func TestCompanyDesk(t *testing.T) {
	failing := CUI(9900000118)
	desk := &CompanyDesk{Logger: slog.New(slog.DiscardHandler), Trade: &fakeTrade{}, Companies: fakeCompanies{
		exampleCUI: nil, secondCUI: nil, failing: &Failure{Registry: "anaf", Kind: TimedOut, Err: errors.New("too slow")},
	}}
	items := []BatchRequest{
		{TaxID: secondCUI.String()}, {TaxID: "RO 9900000010", Date: "2020-01-01"}, {TaxID: "x"}, {TaxID: "9900000126"}, {TaxID: failing.String()},
		{TaxID: "9900000010", Date: "someday"},
	}
	got, err := desk.LookUp(t.Context(), account.Caller{}, items, []Field{"taxId", "vatPayer"}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var statuses []int
	for _, o := range got {
		statuses = append(statuses, o.Status)
	}
	if want := []int{200, 200, 400, 404, 504, 400}; !slices.Equal(statuses, want) {
		t.Errorf("got %v, want %v", statuses, want)
	}
	if string(got[0].Profile) != `{"taxId":9900000100,"vatPayer":null}` || !got[0].Stored || got[0].RetrievedAt.IsZero() {
		t.Errorf("got %s, %+v", got[0].Profile, got[0])
	}
	if want := (CompanyDay{exampleCUI, NewDate(2020, 1, 1)}); got[1].Company != want {
		t.Errorf("got %v, want %v", got[1].Company, want)
	}
	if got[4].Problem == nil || got[4].Profile != nil {
		t.Errorf("got %+v", got[4])
	}

	asked := desk.Asked(t.Context(), items)
	if want := []CompanyDay{{secondCUI, 0}, {exampleCUI, NewDate(2020, 1, 1)}, {}, {9900000126, 0}, {failing, 0}, {}}; !slices.Equal(asked, want) {
		t.Errorf("asked about %v, want %v", asked, want)
	}
	distinct := make(DistinctCompanies)
	for _, item := range append(items, items...) {
		distinct.Add(item)
	}
	if len(distinct) != 4 {
		t.Errorf("%d distinct companies, want 4", len(distinct))
	}
}

func TestCellsOfFields(t *testing.T) {
	got := CellsOf([]byte(`{"name":"A \"B\"","seat":{"city":"Bacău"},"vatPayer":true,"phone":null,"list":[1,2]}`), []Field{"name", "seat.city", "vatPayer", "phone", "list", "absent"})
	if want := []string{`A "B"`, "Bacău", "true", "", "[1,2]", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := CellsOf(nil, []Field{"name"}); !slices.Equal(got, []string{""}) {
		t.Errorf("without a profile: %q", got)
	}
}
