package upload

import "testing"

// The days of rows are found by the name of their column, however it is written. Other days of a row are not its day.
func TestNamesOfDays(t *testing.T) {
	for name, isDay := range map[string]bool{
		"date": true, "Data": true, "data facturii": true, "DATA_FACTURĂ": true, "Data documentului": true,
		"data doc.": true, "Data emiterii": true, "data emitere": true, "Invoice Date": true, "invoice_date": true,
		"issue date": true, "Data livrării": true, "Data operaţiunii": true, "dată bon": true,
		"Data scadenței": false, "due date": false, "data nașterii": false, "datum": false,
	} {
		got, err := read("CUI;"+name+"\n9900000010;31.03.2026\n", CSV, "", Limits{})
		if want := map[bool]int{true: 1, false: -1}[isDay]; err != nil || got.Date != want {
			t.Errorf("%s: the column of days is %d, want %d, %v", name, got.Date, want, err)
		}
	}
}
