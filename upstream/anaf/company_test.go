package anaf

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// shown returns one field of a profile, such as "seat.city", as JSON.
func shown(t *testing.T, c *company.Company, field string) string {
	t.Helper()
	data, err := json.Marshal(c)
	testkit.NoError(t, err)

	for name := range strings.SplitSeq(field, ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatalf("%s: %v", field, err)
		}

		data = object[name]
	}

	return string(data)
}

func TestCompanyFields(t *testing.T) {
	c := profile(t)
	for field, want := range map[string]string{
		"name":                            `"INVENTATA ȘI FIICELE S.R.L."`,
		"companyType":                     `"SRL"`,
		"tradeNumber":                     `"J12/345/2010"`,
		"euid":                            `"ROONRC.J12/345/2010"`,
		"county":                          `"BUCUREȘTI"`,
		"city":                            `"Sector 3"`,
		"mainNaceCode":                    `"6210"`,
		"registrationDate":                `"2010-02-03"`,
		"registrationStatus":              `"INREGISTRAT din data 03.02.2010"`,
		"stateRegistration":               `"in_operation"`,
		"address":                         `"MUNICIPIUL BUCUREȘTI, SECTOR 3, STR. ÎNCHIPUITĂ, NR.7"`,
		"postalCode":                      `"031472"`,
		"legalForm":                       `"SOCIETATE COMERCIALĂ CU RĂSPUNDERE LIMITATĂ"`,
		"ownershipForm":                   `"PROPR.PRIVATA-CAPITAL PRIVAT AUTOHTON"`,
		"organizationForm":                `"PERSOANA JURIDICA"`,
		"fiscalAuthority":                 `"Administrația Județeană a Finanțelor Publice Cluj"`,
		"vatPayer":                        `true`,
		"vatSince":                        `"2018-05-01"`,
		"vatOnCollection":                 `true`,
		"vatSplit":                        `false`,
		"vatPeriods":                      `[{"from":"2010-03-01","to":"2015-06-30","canceledOn":"2015-07-02","reason":"Anulare la cererea societății"},{"from":"2018-05-01","to":null,"canceledOn":null,"reason":null}]`,
		"inactive":                        `{"status":false,"since":"2016-01-15","reactivatedOn":"2017-01-20","publishedOn":"2016-01-18","struckOffOn":null}`,
		"eInvoice":                        `{"registered":true,"since":"2022-07-01"}`,
		"phone":                           `"0000000000"`,
		"website":                         `null`,
		"seat.street":                     `"Str. Închipuită"`,
		"seat.number":                     `"7"`,
		"seat.details":                    `"AP.2"`,
		"seat.county":                     `"CLUJ"`,
		"seat.city":                       `"Cluj-Napoca"`,
		"seat.postalCode":                 `"400001"`,
		"seat.countyCode":                 `"CJ"`,
		"seat.countrySubentity":           `"RO-CJ"`,
		"seat.eInvoiceCity":               `"Cluj-Napoca"`,
		"seat.sirutaCode":                 `null`,
		"seat.country":                    `null`,
		"fiscalDomicile.street":           `null`,
		"fiscalDomicile.city":             `"Sector 3"`,
		"fiscalDomicile.county":           `"BUCUREȘTI"`,
		"fiscalDomicile.countyCode":       `"B"`,
		"fiscalDomicile.countrySubentity": `"RO-B"`,
		"fiscalDomicile.eInvoiceCity":     `"SECTOR3"`,
		"fiscalDomicile.postalCode":       `"031472"`,
		"sources":                         `null`,
	} {
		if got := shown(t, c, field); got != want {
			t.Errorf("%s = %s, want %s", field, got, want)
		}
	}
}

func TestCompanyVariants(t *testing.T) {
	const general, vat, inactive = "date_generale.", "inregistrare_scop_Tva.", "stare_inactiv."
	const seat, domicile = "adresa_sediu_social.", "adresa_domiciliu_fiscal."
	between := func(from, to any) []any {
		return []any{map[string]any{"data_inceput_ScpTVA": from, "data_sfarsit_ScpTVA": to}}
	}
	tomorrow := ro.Today() + 1
	for _, c := range []struct {
		name    string
		patches []patch
		field   string
		want    string
	}{
		{"CAEN without its zero", []patch{{general + "cod_CAEN", "119"}}, "mainNaceCode", `"0119"`},
		{"CAEN as a number", []patch{{general + "cod_CAEN", 610}}, "mainNaceCode", `"0610"`},
		{"CAEN absent", []patch{{general + "cod_CAEN", ""}}, "mainNaceCode", `null`},
		{"CAEN zero", []patch{{general + "cod_CAEN", "0"}}, "mainNaceCode", `null`},
		{"CAEN without two digits", []patch{{general + "cod_CAEN", "62"}}, "mainNaceCode", `null`},
		{"CAEN of five digits", []patch{{general + "cod_CAEN", "62100"}}, "mainNaceCode", `null`},
		{"postal code without its zero", []patch{{general + "codPostal", "31472"}}, "postalCode", `"031472"`},
		{"postal code as a number", []patch{{general + "codPostal", 31472}}, "postalCode", `"031472"`},
		{"postal code of two digits", []patch{{seat + "scod_Postal", "12"}}, "seat.postalCode", `null`},
		{"postal code abroad", []patch{{seat + "scod_Postal", "1010"}, {seat + "stara", "AUSTRIA"}}, "seat.postalCode",
			`"1010"`},
		{"postal code of a domicile abroad", []patch{{general + "codPostal", "SW1A 1AA"},
			{domicile + "dtara", "MAREA BRITANIE"}}, "postalCode", `"SW1A 1AA"`},
		{"postal code null", []patch{{general + "codPostal", nil}}, "postalCode", `null`},
		{"a space", []patch{{general + "telefon", " "}}, "phone", `null`},
		{"a dash", []patch{{general + "telefon", "-"}}, "phone", `null`},
		{"left out", []patch{{general + "telefon", absent{}}}, "phone", `null`},
		{"an object in the place of text", []patch{{general + "telefon", map[string]any{"a": 1}}}, "phone", `null`},
		{"control and invisible characters", []patch{{general + "denumire", "IN\u0000VEN\u202eTATA\u200b\r\nSA"}},
			"name", `"IN VENTATA SA"`},
		{"an endless name", []patch{{general + "denumire", strings.Repeat("ș", 10_000)}}, "name",
			`"` + strings.Repeat("ș", 500) + `"`},
		{"a day with a time", []patch{{general + "data_inregistrare", "2010-02-03 00:00:00"}}, "registrationDate",
			`"2010-02-03"`},
		{"a day in the other form", []patch{{general + "data_inreg_Reg_RO_e_Factura", "01.01.2024"}}, "eInvoice.since",
			`"2024-01-01"`},
		{"a day in the other form, with a time", []patch{{general + "data_inregistrare", "03.02.2010 00:00:00"}},
			"registrationDate", `"2010-02-03"`},
		{"a day that does not exist, in the other form", []patch{{general + "data_inregistrare", "29.02.2023"}},
			"registrationDate", `null`},
		{"a placeholder day", []patch{{general + "data_inregistrare", "0001-01-01"}}, "registrationDate", `null`},
		{"a day that does not exist", []patch{{general + "data_inregistrare", "2023-02-29"}},
			"registrationDate", `null`},

		{"escapes of HTML", []patch{{general + "denumire", "INVENTATA &amp; FIICELE"}}, "name",
			`"INVENTATA \u0026 FIICELE"`},
		{"the capital without a sector", []patch{{domicile + "ddenumire_Localitate", ""}}, "city", `"București"`},
		{"no domicile", []patch{{"adresa_domiciliu_fiscal", nil}}, "city", `null`},

		{"a period with an open end", []patch{{vat + "perioade_TVA", between("2020-01-01", "9999-12-31")}},
			"vatPeriods", `[{"from":"2020-01-01","to":null,"canceledOn":null,"reason":null}]`},
		{"since a period with an open end", []patch{{vat + "perioade_TVA", between("2020-01-01", "9999-12-31")}},
			"vatSince", `"2020-01-01"`},
		{"a payer whose period has ended", []patch{{vat + "perioade_TVA", between("2020-01-01", "2021-01-01")}},
			"vatSince", `null`},
		{"a payer whose period has not begun", []patch{{vat + "perioade_TVA", between(tomorrow, "")},
			{general + "data", ro.Today()}}, "vatSince", `null`},
		{"not a VAT payer any more", []patch{{vat + "scpTVA", false}}, "vatSince", `null`},
		{"flag as text", []patch{{vat + "scpTVA", "true"}}, "vatPayer", `true`},
		{"never a VAT payer", []patch{{vat + "scpTVA", false}, {vat + "perioade_TVA", []any{}}}, "vatPeriods", `[]`},
		{"no VAT data", []patch{{"inregistrare_scop_Tva", nil}}, "vatPayer", `null`},
		{"VAT is null", []patch{{vat + "scpTVA", nil}}, "vatSince", `null`},
		{"VAT of another kind", []patch{{vat + "scpTVA", []bool{true}}}, "vatPayer", `null`},
		{"periods null", []patch{{vat + "perioade_TVA", nil}}, "vatPeriods", `null`},
		{"periods left out", []patch{{vat + "perioade_TVA", absent{}}}, "vatSince", `null`},
		{"one period as an object", []patch{{vat + "perioade_TVA",
			map[string]any{"data_inceput_ScpTVA": "2020-01-01"}}}, "vatSince", `"2020-01-01"`},
		{"period of nulls", []patch{{vat + "perioade_TVA", []any{nil, map[string]any{"data_inceput_ScpTVA": nil}}}},
			"vatPeriods", `[]`},
		{"no register of inactivity", []patch{{"stare_inactiv", absent{}}}, "inactive", `null`},
		{"no register of VAT on collection", []patch{{"inregistrare_RTVAI", nil}}, "vatOnCollection", `null`},
		{"no register of split VAT", []patch{{"inregistrare_SplitTVA", absent{}}}, "vatSplit", `null`},
		{"no register of e-invoices", []patch{{general + "statusRO_e_Factura", absent{}}}, "eInvoice", `null`},
		{"inactive", []patch{{inactive + "statusInactivi", true}}, "inactive.status", `true`},
		{"inactive but operating", []patch{{inactive + "statusInactivi", true}}, "stateRegistration", `"in_operation"`},

		{"struck off", []patch{{general + "stare_inregistrare", "RADIERE din data 29.03.2024"}}, "stateRegistration",
			`"struck_off"`},
		{"struck off, older text", []patch{{general + "stare_inregistrare", "RADIATĂ din data 29.03.2024"}},
			"stateRegistration", `"struck_off"`},
		{"struck off by its day", []patch{{inactive + "dataRadiere", "2024-03-29"}}, "stateRegistration",
			`"struck_off"`},
		{"to be struck off", []patch{{inactive + "dataRadiere", tomorrow}}, "stateRegistration", `"in_operation"`},
		{"struck off today", []patch{{inactive + "dataRadiere", ro.Today()}}, "stateRegistration", `"struck_off"`},
		{"to be struck off, in words", []patch{{general + "stare_inregistrare", "RADIERE din data 01.01.2900"}},
			"stateRegistration", `"unknown"`},
		{"never struck off", []patch{{inactive + "dataRadiere", "9999-12-31"}}, "inactive.struckOffOn", `null`},
		{"suspended", []patch{{general + "stare_inregistrare", "SUSPENDARE ACTIVITATE din data 01.02.2025"}},
			"stateRegistration", `"suspended"`},
		{"resumed", []patch{{general + "stare_inregistrare", "RELUARE ACTIVITATE din data 01.02.2025"}},
			"stateRegistration", `"in_operation"`},
		{"moved here", []patch{{general + "stare_inregistrare", "TRANSFER(SOSIRE) din data 06.10.2025"}},
			"stateRegistration", `"in_operation"`},
		{"moved away", []patch{{general + "stare_inregistrare", "TRANSFER(PLECARE) din data 06.10.2025"}},
			"stateRegistration", `"in_operation"`},
		{"changed", []patch{{general + "stare_inregistrare", "MODIFICARE PUBLICITATE din data 06.10.2025"}},
			"stateRegistration", `"in_operation"`},
		{"merged", []patch{{general + "stare_inregistrare", "DIZOLVARE FARA LICHIDARE(FUZIUNE) din data 22.08.2016"}},
			"stateRegistration", `"dissolved"`},
		{"unheard of", []patch{{general + "stare_inregistrare", "ALTCEVA"}}, "stateRegistration", `"unknown"`},
		{"without text", []patch{{general + "stare_inregistrare", ""}}, "stateRegistration", `"unknown"`},

		{"new trade number", []patch{{general + "nrRegCom", "J2023000003127"}}, "euid", `"ROONRC.J2023000003127"`},
		{"trade number with spaces", []patch{{general + "nrRegCom", "J12 / 345 / 2010"}}, "euid",
			`"ROONRC.J12/345/2010"`},
		{"trade number with a day", []patch{{general + "nrRegCom", "J40/1234/12.05.2010"}}, "euid",
			`"ROONRC.J40/1234/2010"`},
		{"new trade number, then a day", []patch{{general + "nrRegCom", "J2023000003127 din 05/12/2023"}}, "euid",
			`"ROONRC.J2023000003127"`},
		{"new trade number, mistyped", []patch{{general + "nrRegCom", "J2023000003128"}}, "euid", `null`},
		{"trade number of no county", []patch{{general + "nrRegCom", "J99/1/2020"}}, "euid", `null`},
		{"no trade number", []patch{{general + "nrRegCom", ""}}, "euid", `null`},
		{"placeholder trade number", []patch{{general + "nrRegCom", "-/-/-"}}, "tradeNumber", `null`},
		{"periods of another kind", []patch{{vat + "perioade_TVA", ""}}, "vatPeriods", `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(t, profile(t, c.patches...), c.field); got != c.want {
				t.Errorf("%s = %s, want %s", c.field, got, c.want)
			}
		})
	}
}

// TestAGroupOfAnotherKindIsUnknown verifies that a group that is no object costs only its own values, as null does.
func TestAGroupOfAnotherKindIsUnknown(t *testing.T) {
	for group, field := range map[string]string{
		"inregistrare_scop_Tva": "vatPayer", "inregistrare_RTVAI": "vatOnCollection", "stare_inactiv": "inactive",
		"inregistrare_SplitTVA": "vatSplit", "adresa_sediu_social": "seat", "adresa_domiciliu_fiscal": "fiscalDomicile",
	} {
		for _, value := range []any{[]any{}, "", nil, 0, []any{map[string]any{}}} {
			c := profile(t, patch{group, value})
			if got := shown(t, c, field); got != "null" || c.Name != "INVENTATA ȘI FIICELE S.R.L." {
				t.Errorf("%s is %v: %s is %s of %s", group, value, field, got, c.Name)
			}
		}
	}
}

func TestCompanyType(t *testing.T) {
	for _, c := range []struct{ legalForm, name, want string }{
		{"SOCIETATE COMERCIALĂ CU RĂSPUNDERE LIMITATĂ", "INVENTATA", "SRL"},
		{"SOCIETATE COMERCIALĂ CU RĂSPUNDERE LIMITAT", "INVENTATA", "SRL"},
		{"SOCIETATE COMERCIALĂ CU RĂSPUNDERE LIMITATĂ", "INVENTATA S.R.L.-D.", "SRL-D"},
		{"", "INVENTATA SRL-D", "SRL-D"},
		{"", "INVENTATA S.R.L. - D", "SRL-D"},
		{"SOCIETATE COMERCIALĂ PE ACȚIUNI", "INVENTATA S.A.", "SA"},
		{"SOCIETATE COMERCIALĂ ÎN COMANDITĂ PE ACȚIUNI", "INVENTATA", "SCA"},
		{"SOCIETATE COMERCIALĂ ÎN COMANDITĂ SIMPLĂ", "INVENTATA", "SCS"},
		{"SOCIETATE COMERCIALĂ ÎN NUME COLECTIV", "INVENTATA", "SNC"},
		{"REGIE AUTONOMĂ", "INVENTATA", "RA"},
		{"GRUP DE INTERES ECONOMIC", "INVENTATA", "GIE"},
		{"", "INVENTATA S.R.L.", "SRL"},
		{"", "INVENTATA SNC", "SNC"},
		{"", "EXEMPLU ION PERSOANĂ FIZICĂ AUTORIZATĂ", "PFA"},
		{"", "EXEMPLU ION P.F.A.", "PFA"},
		{"", "PFA EXEMPLU ION", "PFA"},
		{"", "EXEMPLU ION ÎNTREPRINDERE INDIVIDUALĂ", "II"},
		{"", "EXEMPLU ION I.I.", "II"},
		{"", "EXEMPLU ION ÎNTREPRINDERE FAMILIALĂ", "IF"},
		{"", "SA", ""},
		{"", "COMUNA ÎNCHIPUITĂ", ""},
		{"", "ASOCIAȚIA INVENTATA", ""},
	} {
		t.Run(c.legalForm+"/"+c.name, func(t *testing.T) {
			got := ""
			if p := companyType(c.legalForm, c.name); p != nil {
				got = *p
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
