package search

import (
	"reflect"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/ro"
)

func TestRecordsGiveBackTheFirm(t *testing.T) {
	for name, f := range map[string]Firm{
		"all fields": {
			TaxID: 9_999_999_999, Name: `"EXEMPLU" ȘTIINȚĂ SRL`, Form: "SRL", Number: "J40/1/2001",
			EUID: "ROONRC.J40/1/2001", Registered: ro.NewDate(2001, 1, 2),
			State: company.StruckOff, SeatExpired: true, County: 52, City: "Sector 3", SIRUTA: 179169,
			Address: "Str. Exemplu nr. 1", PostalCode: "030001", Website: "www.exemplu.example",
			Codes: []string{"2:6201", "3:6210"}, Main: "6210", Extra: []byte(`{"governance":[]}`),
		},
		"an identifier of its own": {Name: "EXEMPLU", Number: "J40/1/2001", EUID: "ROONRC.J40/2/2001",
			State: company.UnknownState},
		"no state, and the seat expired": {Name: "EXEMPLU", State: company.UnknownState, SeatExpired: true},
		"nothing but a name":             {Name: "EXEMPLU", State: company.UnknownState},
	} {
		t.Run(name, func(t *testing.T) {
			record := appendRecord(nil, &f, spelling.CompanyKey(f.Name))
			got, key := readRecord(record)
			if !reflect.DeepEqual(got, f) || key != spelling.CompanyKey(f.Name) || string(recordKey(record)) != key {
				t.Errorf("read %+v with key %q, want %+v", got, key, f)
			}
		})
	}
}
