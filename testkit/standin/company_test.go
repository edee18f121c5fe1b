package standin_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// TestCompanies verifies that the companies are nobody's, since their numbers begin with 99000 and their names say that
// they are invented, and that they are of all states, forms and counties.
func TestCompanies(t *testing.T) {
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	seen := map[any]bool{}
	invented := regexp.MustCompile(`^(EXEMPLU|INVENTAT|ÎNCHIPUIT|FICTIV|PLĂSMUIT|IMAGINAR) `)
	register := regexp.MustCompile(`^([JFC]\d{1,2}/\d{1,5}/\d{4}|[JFC]\d{13})$`)
	var numbers []ro.CUI
	for _, c := range companies {
		if !c.CUI.Valid() || !strings.HasPrefix(c.CUI.String(), "99000") || !invented.MatchString(c.Name) ||
			strings.ContainsAny(c.Name, "şţŞŢ") || !register.MatchString(c.RegisterNumber) || seen[c.Name] ||
			seen[c.RegisterNumber] {
			t.Errorf("%s %s %s", c.CUI, c.Name, c.RegisterNumber)
		}

		seen[c.Name], seen[c.RegisterNumber], seen[c.State], seen["form "+c.Form] = true, true, true, true
		numbers = append(numbers, c.CUI)
	}

	for s := standin.Registered; s <= standin.StruckOff; s++ {
		if !seen[s] {
			t.Errorf("no company in state %d", s)
		}
	}

	checkRecords(t, numbers)
}

// shapes are the sorts of records that readers have to handle.
var shapes = map[string]*regexp.Regexp{
	"no fax":                  regexp.MustCompile(`"telefon":"[^"]*","codPostal"`),
	"null postal code":        regexp.MustCompile(`"codPostal":null`),
	"short postal code":       regexp.MustCompile(`"codPostal":"\d{5}"`),
	"short CAEN":              regexp.MustCompile(`"cod_CAEN":"\d{3}"`),
	"no legal form":           regexp.MustCompile(`"forma_juridica":""`),
	"blank street":            regexp.MustCompile(`"sdenumire_Strada":" "`),
	"foreign seat":            regexp.MustCompile(`"stara":"[A-Z]`),
	"sector":                  regexp.MustCompile(`"sdenumire_Localitate":"Sector `),
	"village":                 regexp.MustCompile(`"sdenumire_Localitate":"Sat `),
	"on collection":           regexp.MustCompile(`"statusTvaIncasare":true`),
	"corrected collection":    regexp.MustCompile(`"tipActTvaInc":"Decizie"`),
	"past collection":         regexp.MustCompile(`"tipActTvaInc":"Radiere"`),
	"split VAT":               regexp.MustCompile(`"dataAnulareSplitTVA":"2020-02-01","statusSplitTVA":false`),
	"three periods":           regexp.MustCompile(`(data_inceput_ScpTVA.*){3}`),
	"never a payer":           regexp.MustCompile(`"perioade_TVA":\[\]`),
	"dotted day of e-Factura": regexp.MustCompile(`"data_inreg_Reg_RO_e_Factura":"\d\d\.`),
	"inactive":                regexp.MustCompile(`"statusInactivi":true`),
	"active again":            regexp.MustCompile(`"dataReactivare":"\d.*"statusInactivi":false`),
	"struck off":              regexp.MustCompile(`"dataRadiere":"\d`),
}

// checkRecords requests all companies from the tax authority and verifies the variety of their records.
func checkRecords(t *testing.T, numbers []ro.CUI) {
	t.Helper()
	r := start(t, standin.Options{})
	counties, seen, found := map[string]bool{}, map[string]bool{}, 0
	for batch := range slices.Chunk(numbers, 100) {
		a, err := post(t, r, ask(batch...))
		testkit.NoError(t, err)
		if strings.ContainsAny(a.Body, "șțȘȚ") {
			t.Error("the tax authority's record has a comma-below letter")
		}

		var records struct{ Found []json.RawMessage }
		testkit.NoError(t, json.Unmarshal([]byte(a.Body), &records))

		found += len(records.Found)
		for _, record := range records.Found {
			counties[regexp.MustCompile(`"dcod_Judet":"\d+"`).FindString(string(record))] = true
			for shape, of := range shapes {
				seen[shape] = seen[shape] || of.Match(record)
			}
		}
	}

	if found != len(numbers) || len(counties) != 42 {
		t.Errorf("%d records in %d counties", found, len(counties))
	}

	for shape := range shapes {
		if !seen[shape] {
			t.Errorf("no record with %s", shape)
		}
	}
}

// TestFaultNumbers verifies that each number triggers its fault, alone and together with other numbers, and that the
// trade register has only the one that the tax authority omits.
func TestFaultNumbers(t *testing.T) {
	r := start(t, standin.Options{})
	firms := get(t, firmsOf(t, r))
	for _, n := range standin.FaultNumbers {
		if listed := strings.Contains(firms, n.CUI.String()); listed != (n.CUI == standin.NumberOmitted) {
			t.Errorf("%d: the trade register lists it: %t", n.CUI, listed)
		}
		if n.Fault == (standin.Fault{}) || n.Fault == standin.Hang {
			continue
		}

		alone, errAlone := post(t, r, ask(n.CUI))
		batch, errBatch := post(t, r, ask(9900000010, n.CUI))
		r.ANAF.Queue(n.Fault)
		scripted, errScripted := post(t, r, ask(9900000010))
		if !n.CUI.Valid() || batch.Body != alone.Body || alone.Status != scripted.Status ||
			alone.Body != scripted.Body || (errAlone == nil) != (errScripted == nil) ||
			(errBatch == nil) != (errAlone == nil) {
			t.Errorf("%d (%s): %d %s %v, in a batch %d %v", n.CUI, n.Happens, alone.Status, alone.Body, errAlone,
				batch.Status, errBatch)
		}
	}
}
