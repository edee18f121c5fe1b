package anaf

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

func date(text string) ro.Date { return testkit.Must(ro.ParseDate(text)) }

// pastRecord is the record of a company with a past. It lists the VAT registrations newest first, and has dates in both
// formats.
const pastRecord = `{
	"date_generale": {"cui": %d, "data": "2024-12-12", "denumire": "EXEMPLU CU TRECUT SRL", "statusRO_e_Factura": true, "data_inreg_Reg_RO_e_Factura": "01.01.2024"},
	"inregistrare_scop_Tva": {"scpTVA": true, "perioade_TVA": [
		{"data_inceput_ScpTVA": "2021-01-13", "data_sfarsit_ScpTVA": " "},
		{"data_inceput_ScpTVA": "2017-10-01", "data_sfarsit_ScpTVA": "2020-12-02", "data_anul_imp_ScpTVA": "2020-12-29", "mesaj_ScpTVA": "din oficiu"}]},
	"inregistrare_RTVAI": {"dataInceputTvaInc": "2018-01-01", "dataSfarsitTvaInc": "2019-01-01", "dataActualizareTvaInc": "2018-12-20", "dataPublicareTvaInc": "2018-12-21", "statusTvaIncasare": false},
	"stare_inactiv": {"dataInactivare": "2020-12-02", "dataReactivare": "2020-12-18", "dataPublicare": "2020-12-11", "statusInactivi": false},
	"inregistrare_SplitTVA": {"dataInceputSplitTVA": "2018-03-01", "dataAnulareSplitTVA": "2020-02-01", "statusSplitTVA": false}}`

func TestView(t *testing.T) {
	at := time.Date(2024, 12, 12, 10, 0, 0, 0, time.UTC)
	v, err := NewRecord(fmt.Appendf(nil, pastRecord, invented.CUI(1))).View(0, at, nil)
	testkit.NoError(t, err)

	for status, want := range map[history.Status]map[string]string{
		history.VATPayer: {"2017-09-30": "false", "2020-12-01": "true", "2020-12-02": "false",
			"2021-01-13": "true", "2024-12-12": "true"},
		history.VATOnCollection: {"2017-12-31": "unknown", "2018-12-31": "true", "2019-01-01": "false"},
		history.VATSplit:        {"2018-02-28": "unknown", "2018-03-01": "true", "2020-02-01": "false"},
		history.Inactive:        {"2020-12-02": "true", "2020-12-18": "false"},
		history.EInvoice:        {"2023-12-31": "unknown", "2024-01-01": "true"},
	} {
		for day, want := range want {
			value, _ := v.StatusOn(status, date(day))
			got := "unknown"
			if value != nil {
				got = fmt.Sprint(*value)
			}
			if got != want {
				t.Errorf("%s on %s: %s, want %s", status, day, got, want)
			}
		}

		if v.Contradicts(status) {
			t.Errorf("%s: the entries contradict the register's statement", status)
		}
	}

	cancelled := v.Timelines[history.VATPayer].Entries[0]
	if cancelled.ToRecorded != date("2020-12-29") || cancelled.Reason != "din oficiu" {
		t.Errorf("the oldest registration is %+v", cancelled)
	}
	if v.Day != date("2024-12-12") || !strings.Contains(fmt.Sprint(v.Identity), "EXEMPLU CU TRECUT SRL") {
		t.Errorf("got %+v", v)
	}
}

// Values that the record lacks are unknown on every day.
func TestViewOfBareRecord(t *testing.T) {
	at := time.Date(2024, 12, 12, 10, 0, 0, 0, time.UTC)
	v, err := NewRecord(fmt.Appendf(nil, `{"date_generale": {"cui": %d, "denumire": "EXEMPLU"}}`, invented.CUI(1))).View(0,
		at, nil)
	testkit.NoError(t, err)

	for s := range history.StatusCount {
		if value, _ := v.StatusOn(s, v.Day); value != nil {
			t.Errorf("%s is %v", s, *value)
		}
	}
}
