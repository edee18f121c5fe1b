package api

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// A desk handles a list like a batch: in order, each item with the status of a single look-up and the requested fields.
func TestCompanyDesk(t *testing.T) {
	failing := ro.CUI(9900000118)
	desk := &company.Desk{Logger: slog.New(slog.DiscardHandler), Trade: &fakeTrade{}, Companies: fakeCompanies{
		exampleCUI: nil, secondCUI: nil,
		failing: &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: errors.New("too slow")},
	}}
	items := []company.BatchRequest{
		{TaxID: secondCUI.String()}, {TaxID: "RO 9900000010", Date: "2020-01-01"}, {TaxID: "x"}, {TaxID: "9900000126"},
		{TaxID: failing.String()},
		{TaxID: "9900000010", Date: "someday"},
	}
	got, err := desk.LookUp(t.Context(), account.Caller{}, items, []company.Field{"taxId", "vatPayer"}, time.Second)
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
	if string(got[0].Profile) != `{"taxId":9900000100,"vatPayer":null}` || !got[0].Stored ||
		got[0].RetrievedAt.IsZero() {
		t.Errorf("got %s, %+v", got[0].Profile, got[0])
	}
	if want := (ro.CompanyDay{CUI: exampleCUI, Day: ro.NewDate(2020, 1, 1)}); got[1].Company != want {
		t.Errorf("got %v, want %v", got[1].Company, want)
	}
	if got[4].Problem == nil || got[4].Profile != nil {
		t.Errorf("got %+v", got[4])
	}

	asked := desk.Asked(t.Context(), items)
	want := []ro.CompanyDay{{CUI: secondCUI}, {CUI: exampleCUI, Day: ro.NewDate(2020, 1, 1)}, {}, {CUI: 9900000126},
		{CUI: failing}, {}}
	if !slices.Equal(asked, want) {
		t.Errorf("asked about %v, want %v", asked, want)
	}

	distinct := make(company.DistinctCompanies)
	for _, item := range append(items, items...) {
		distinct.Add(item)
	}
	if len(distinct) != 4 {
		t.Errorf("%d distinct companies, want 4", len(distinct))
	}
}

func TestCellReader(t *testing.T) {
	r := company.NewCellReader([]company.Field{"name", "seat.city", "vatPayer", "phone", "list", "absent"})
	for _, test := range []struct {
		profile string
		want    []string
	}{
		{`{"name":"A \"B\"","seat":{"city":"Bacău"},"vatPayer":true,"phone":null,"list":[1,2]}`,
			[]string{`A "B"`, "Bacău", "true", "", "[1,2]", ""}},
		{"", make([]string, 6)},
		{`{"absent":"x","seat":{"city":"Iași"}}`, []string{"", "Iași", "", "", "", "x"}},
		{`{"seat":null}`, make([]string, 6)},
	} {
		if got := r.Read(nil, []byte(test.profile)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.profile, got, test.want)
		}
	}
}
