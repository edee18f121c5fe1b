package onrc

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/siruta"
)

// row returns a row of the main table with the given cells, by column.
func row(cells map[int]string) string {
	var all [firmWidth]string
	for at, cell := range cells {
		all[at] = cell
	}
	return strings.Join(all[:], "^")
}

func TestFirm(t *testing.T) {
	tests := map[string]struct {
		cells   map[int]string
		want    search.Firm
		dropped reasons
	}{
		"with everything": {
			map[int]string{
				firmName: `"HOPE EXEMPLU"  SRL`, firmTaxID: "9900000029", firmNumber: "J12/2/2010",
				firmDay:  "02/02/2010 00:00:00",
				firmEUID: "ROONRC.J12/2/2010", firmForm: "srl", firmCountry: "România", firmCounty: "Cluj",
				firmPlace:  "Cluj-Napoca",
				firmStreet: "Str. Şcolii", firmHouse: "3", firmBlock: "B2", firmStair: "A", firmFloor: "PARTER",
				firmFlat:       "12",
				firmPostalCode: "31472", firmRest: "camera 1, etaj 2", firmWeb: "HTTP://WWW.Exemplu.EXAMPLE/",
			},
			search.Firm{
				TaxID: 9900000029, Name: `"HOPE EXEMPLU" SRL`, Form: "SRL", Number: "J12/2/2010",
				EUID:       "ROONRC.J12/2/2010",
				Registered: ro.NewDate(2010, 2, 2), County: 12, City: "Cluj-Napoca", SIRUTA: 54975,
				PostalCode: "031472", Website: "www.exemplu.example",
				Address: "jud. Cluj, Cluj-Napoca, Str. Școlii, nr. 3, bl. B2, sc. A, et. PARTER, ap. 12, camera 1, " +
					"etaj 2",
			}, reasons{},
		},
		"with next to nothing": {
			map[int]string{firmName: "EXEMPLU", firmNumber: " j12/9999/1992"},
			search.Firm{Name: "EXEMPLU", Number: "J12/9999/1992", EUID: "ROONRC.J12/9999/1992"},
			reasons{noTaxID: 1, noDay: 1},
		},
		"with cells that are not understood": {
			map[int]string{
				firmName: "EXEMPLU", firmTaxID: "12345678", firmNumber: "X", firmDay: "ieri", firmForm: "N/A",
				firmEUID:    "-",
				firmCountry: "ROMANIA", firmCounty: "Niciunde", firmPlace: "Nicăieri", firmPostalCode: "12",
				firmWeb: "contact@exemplu.example",
			},
			search.Firm{Name: "EXEMPLU", Number: "X", EUID: "ROONRC.X", City: "Nicăieri",
				Address: "jud. Niciunde, Nicăieri"},
			reasons{wrongTaxID: 1, wrongDay: 1, unknownCounty: 1, wrongPostalCode: 1, notWebsite: 1},
		},
		"in a sector": {
			map[int]string{firmName: "EXEMPLU", firmTaxID: "RO9900000029", firmNumber: "J40/1/2020",
				firmDay:    "2020-01-01",
				firmCounty: "Municipiul Bucureşti", firmPlace: "Bucureşti Sectorul 3", firmStreet: "Exemplu"},
			search.Firm{TaxID: 9900000029, Name: "EXEMPLU", Number: "J40/1/2020", EUID: "ROONRC.J40/1/2020",
				Registered: ro.NewDate(2020, 1, 1),
				County:     40, City: "Sector 3", SIRUTA: 179169, Address: "București, Sector 3, Exemplu"}, reasons{},
		},
		"in the sector of its own column": {
			map[int]string{firmName: "EXEMPLU", firmTaxID: "9900000029", firmNumber: "J40/1/2020",
				firmDay:    "2020-01-01",
				firmCounty: "Bucureşti", firmPlace: "Bucureşti", firmSector: "3"},
			search.Firm{TaxID: 9900000029, Name: "EXEMPLU", Number: "J40/1/2020", EUID: "ROONRC.J40/1/2020",
				Registered: ro.NewDate(2020, 1, 1),
				County:     40, City: "Sector 3", SIRUTA: 179169, Address: "București, Sector 3"}, reasons{},
		},
		"in the capital without a sector": {
			map[int]string{firmName: "EXEMPLU &amp; FIII", firmTaxID: "9900000029", firmNumber: "J40/1/2020",
				firmDay: "2020-01-01", firmCounty: "Bucureşti"},
			search.Firm{TaxID: 9900000029, Name: "EXEMPLU & FIII", Number: "J40/1/2020", EUID: "ROONRC.J40/1/2020",
				Registered: ro.NewDate(2020, 1, 1),
				County:     40, City: "București", Address: "București"}, reasons{unknownPlace: 1},
		},
		"abroad": {
			map[int]string{firmName: "EXEMPLU", firmTaxID: "9900000029", firmNumber: "J40/1/2020",
				firmDay:     "2020-01-01",
				firmCountry: "Olanda", firmPlace: "Amsterdam", firmPostalCode: "1012 AB"},
			search.Firm{TaxID: 9900000029, Name: "EXEMPLU", Number: "J40/1/2020", EUID: "ROONRC.J40/1/2020",
				Registered: ro.NewDate(2020, 1, 1),
				City:       "Amsterdam", PostalCode: "1012 AB", Address: "Olanda, Amsterdam"}, reasons{},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := &firmReader{places: newGazetteer(siruta.Load()), dropped: reasons{}}
			got, ok := r.read(row(test.cells))
			if !ok || !reflect.DeepEqual(got, test.want) {
				t.Errorf("read\n%+v, want\n%+v", got, test.want)
			}
			if !maps.Equal(r.dropped, test.dropped) {
				t.Errorf("dropped %v, want %v", r.dropped, test.dropped)
			}
		})
	}
}

func TestFirmWithoutAName(t *testing.T) {
	r := &firmReader{places: newGazetteer(siruta.Load()), dropped: reasons{}}
	if f, ok := r.read(row(map[int]string{firmName: " - ", firmNumber: "J40/1/2020"})); ok ||
		r.dropped[namelessFirm] != 1 {
		t.Errorf("read %+v, dropped %v", f, r.dropped)
	}
}

func TestRepresentatives(t *testing.T) {
	var r Representatives
	dropped := reasons{}
	for _, p := range [][2]string{
		{"EXEMPLU ANA", "administrator"}, {"EXEMPLU  ANA", "administrator"},
		{"EXEMPLU DAN", "preşedinte al consiliului"},
		{"EXEMPLU INSOLVENCY SPRL", "lichidator judiciar"}, {"EXEMPLU ZOE", "Administrator Special"},
		{"", "administrator"},
		{"EXEMPLU MIHAI", "administrator judiciar"}, {"EXEMPLU VASILE", ""},
	} {
		r.add(p[0], p[1], dropped)
	}

	want := Representatives{
		Governance: []Representative{{"EXEMPLU ANA", "administrator"}, {"EXEMPLU DAN", "președinte al consiliului"},
			{"EXEMPLU VASILE", ""}},
		Procedural: []Representative{{"EXEMPLU INSOLVENCY SPRL", "lichidator judiciar"},
			{"EXEMPLU ZOE", "Administrator Special"}, {"EXEMPLU MIHAI", "administrator judiciar"}},
	}
	got, err := ExtraOf(search.Firm{Extra: (&Extra{Representatives: r}).encode()})
	if err != nil || !reflect.DeepEqual(got.Representatives, want) {
		t.Errorf("read back %+v, %v; want %+v", got, err, want)
	}
	if !maps.Equal(dropped, reasons{namelessPerson: 1, repeatedPerson: 1}) {
		t.Errorf("dropped %v", dropped)
	}

	none, err := ExtraOf(search.Firm{Extra: new(Extra).encode()})
	if err != nil || none.Governance == nil || none.Procedural == nil ||
		len(none.Governance)+len(none.Procedural) != 0 {
		t.Errorf("none are %+v, %v", none, err)
	}
}

// The codes of proceedings are stored with the nomenclature's names, also for a company that was struck off.
func TestProceedings(t *testing.T) {
	names := map[string]string{"1048": "funcţiune", "1107": "insolvenţă", "1070": "faliment", "1084": "radiată",
		"1055": "dizolvare  fără lichidare", "2069": "sediu expirat"}
	for name, c := range map[string]struct {
		codes []string
		state company.StateRegistration
		want  []company.StateCode
	}{
		"none": {[]string{"1048", "2069"}, company.InOperation, []company.StateCode{}},
		"two, one of them twice": {[]string{"1107", "1048", "1070", "1107"}, company.Bankrupt,
			[]company.StateCode{{Code: "1070", Name: "faliment"}, {Code: "1107", Name: "insolvență"}}},
		"by its name alone": {[]string{"1055"}, company.Dissolved,
			[]company.StateCode{{Code: "1055", Name: "dizolvare fără lichidare"}}},
		"struck off afterwards": {[]string{"1084", "1070"}, company.StruckOff,
			[]company.StateCode{{Code: "1070", Name: "faliment"}}},
		"not in the nomenclature":  {[]string{"1139"}, company.Insolvent, []company.StateCode{{Code: "1139"}}},
		"struck off, nothing else": {[]string{"1084"}, company.StruckOff, []company.StateCode{}},
	} {
		firm := firmInStates(t, names, c.codes...)
		if firm.State != c.state {
			t.Fatalf("%s: %+v", name, firm)
		}
		if got, err := ExtraOf(firm); err != nil || !reflect.DeepEqual(got.Proceedings, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

// firmInStates returns a company whose states have the given codes. The nomenclature maps codes to names.
func firmInStates(t *testing.T, nomenclature map[string]string, codes ...string) search.Firm {
	t.Helper()
	j := &join{ranks: ranks(nomenclature), stateNames: nomenclature, dropped: reasons{}}
	j.reader = &firmReader{places: newGazetteer(siruta.Load()), dropped: j.dropped}
	rows := []record{{firmTable, row(map[int]string{firmName: "EXEMPLU SRL", firmNumber: "J40/1/2020"})}}
	for _, code := range codes {
		rows = append(rows, record{stateTable, code})
	}

	firms := j.firmsOf(rows)
	if len(firms) != 1 {
		t.Fatalf("%v: %+v", codes, firms)
	}

	return firms[0]
}

// Code 2069 sets SeatExpired, in any order and beside any state. The name in the nomenclature does not matter.
func TestSeatExpired(t *testing.T) {
	names := map[string]string{"1048": "funcţiune", "1107": "insolvenţă", "2069": "altfel", "9999": "sediu expirat"}
	for name, c := range map[string]struct {
		codes []string
		state company.StateRegistration
		want  bool
	}{
		"in operation":      {[]string{"1048", "2069"}, company.InOperation, true},
		"in another order":  {[]string{"2069", "1107", "1048"}, company.Insolvent, true},
		"no other state":    {[]string{"2069"}, company.UnknownState, true},
		"not expired":       {[]string{"1048", "1107"}, company.Insolvent, false},
		"only a name":       {[]string{"1048", "9999"}, company.InOperation, false},
		"no state whatever": {nil, company.UnknownState, false},
	} {
		if f := firmInStates(t, names, c.codes...); f.SeatExpired != c.want || f.State != c.state {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
