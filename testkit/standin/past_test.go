package standin_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// dated is the part of a record for the requested day, and the periods.
type dated struct {
	General struct {
		Day      string `json:"data"`
		EInvoice bool   `json:"statusRO_e_Factura"`
	} `json:"date_generale"`
	VAT struct {
		Payer   bool `json:"scpTVA"`
		Periods []struct {
			From    string `json:"data_inceput_ScpTVA"`
			To      string `json:"data_sfarsit_ScpTVA"`
			Entered string `json:"data_anul_imp_ScpTVA"`
		} `json:"perioade_TVA"`
	} `json:"inregistrare_scop_Tva"`
	Inactive struct {
		Status    bool   `json:"statusInactivi"`
		Published string `json:"dataPublicare"`
	} `json:"stare_inactiv"`
	Split struct {
		Status bool `json:"statusSplitTVA"`
	} `json:"inregistrare_SplitTVA"`
}

// onDay requests a company on a day.
func onDay(t *testing.T, r *standin.Registries, company standin.Company, day string) dated {
	t.Helper()
	a, err := post(t, r, fmt.Sprintf(`[{"cui":%s,"data":%q}]`, company.CUI, day))
	testkit.NoError(t, err)

	var answer struct{ Found []dated }
	if err := json.Unmarshal([]byte(a.body), &answer); err != nil || len(answer.Found) != 1 ||
		answer.Found[0].General.Day != day {
		t.Fatalf("%s: %s %v", day, a.body, err)
	}

	return answer.Found[0]
}

// TestPast verifies the statuses of the requested day, besides complete periods. The VAT registrations of two companies
// were cancelled retroactively. One company's periods are listed oldest first, and the other's newest first.
func TestPast(t *testing.T) {
	r := start(t, standin.Options{})
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	for n, first := range map[int]string{12: "2017-10-01", 13: "2021-01-13"} {
		for day, want := range map[string]struct{ vat, inactive, eInvoice bool }{
			"2017-09-30": {},
			"2017-10-01": {vat: true},
			"2020-12-01": {vat: true},
			"2020-12-02": {inactive: true},
			"2020-12-17": {inactive: true},
			"2020-12-18": {},
			"2021-01-13": {vat: true},
			"2022-06-30": {vat: true},
			"2022-07-01": {vat: true, eInvoice: n == 12},
		} {
			got := onDay(t, r, companies[n], day)
			if got.VAT.Payer != want.vat || got.Inactive.Status != want.inactive ||
				got.General.EInvoice != want.eInvoice {
				t.Errorf("company %d on %s: %+v", n, day, got)
			}

			p := got.VAT.Periods
			if len(p) != 2 || p[0].From != first || got.Inactive.Published != "2020-12-11" {
				t.Fatalf("company %d on %s: %+v", n, day, got)
			}
			if closed := p[n%2]; closed.To != "2020-12-02" || closed.Entered != "2020-12-29" {
				t.Errorf("company %d: %+v", n, p)
			}
		}
	}

	splits, inactive := 0, 0
	for _, c := range companies {
		if before, since := onDay(t, r, c, "2020-01-31"), onDay(t, r, c, "2020-02-01"); before.Split.Status {
			splits++
			if since.Split.Status {
				t.Errorf("%s still splits VAT payments", c.CUI)
			}
		}

		if c.Inactivity.To != 0 {
			last, end := onDay(t, r, c, (c.Inactivity.To-1).String()), onDay(t, r, c, c.Inactivity.To.String())
			if inactive++; !last.Inactive.Status || end.Inactive.Status {
				t.Errorf("%s: inactive on %v: %t, %t", c.CUI, c.Inactivity, last.Inactive.Status, end.Inactive.Status)
			}
		}
	}

	if splits < 3 || inactive < 3 {
		t.Errorf("%d companies split VAT payments, %d were inactive", splits, inactive)
	}
}
