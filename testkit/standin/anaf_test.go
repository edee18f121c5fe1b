package standin_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

const eInvoices = "/api/registruroefactura/v1/interogare"

// TestTaxpayerRequests checks the tax authority's answers to good and bad requests.
func TestTaxpayerRequests(t *testing.T) {
	hundredAndOne := make([]ro.CUI, 101)
	for i := range hundredAndOne {
		hundredAndOne[i] = 9900000010
	}

	for _, c := range []struct {
		name, method, path, body string
		status                   int
		contains                 string
	}{
		{"one found", "POST", taxpayers, ask(9900000010), 200, `"notFound":[]`},
		{"found and not found", "POST", taxpayers, ask(9900009990, 9900000010), 200, `"notFound":[9900009990]`},
		{"none found", "POST", taxpayers, ask(9900009990, 99999999), 404,
			`{"found":[],"notFound":[9900009990,99999999]}`},
		{"digits in a string", "POST", taxpayers, `[{"cui":"9900000010","data":"2026-11-20"}]`, 200,
			`"cui":9900000010`},
		{"a hundred", "POST", taxpayers, ask(hundredAndOne[:100]...), 200, `"found"`},
		{"more than a hundred", "POST", taxpayers, ask(hundredAndOne...), 400, "101"},
		{"not JSON", "POST", taxpayers, "cui=1", 400, ""},
		{"not an array", "POST", taxpayers, `{"cui":1,"data":"2026-11-20"}`, 400, ""},
		{"empty array", "POST", taxpayers, `[]`, 400, ""},
		{"a prefix", "POST", taxpayers, `[{"cui":"RO19","data":"2026-11-20"}]`, 400, "RO19"},
		{"no number", "POST", taxpayers, `[{"data":"2026-11-20"}]`, 400, ""},
		{"a bad date", "POST", taxpayers, `[{"cui":19,"data":"20.11.2026"}]`, 400, "20.11.2026"},
		{"GET", "GET", taxpayers, "", 405, ""},
		{"in RO e-Factura", "POST", eInvoices, ask(9900000010), 200,
			`{"found":[{"cui":9900000010,"denumire":"EXEMPLU TRANSILVAN S.R.L.","adresa":"JUD. CLUJ, ` +
				`MUN. CLUJ-NAPOCA, STR. EXEMPLULUI, NR.2","registru":"Registrul RO e-Factura","categorie":"operator economic","dataInscriere":"2022-07-01",` +
				`"dataRenuntare":"","dataRadiere":"","dataOptiuneB2G":null,"stare":"înregistrat"}],"notFound":[]}`},
		{"in RO e-Factura and not", "POST", eInvoices, ask(9900009990, 9900000010), 200, `"notFound":[9900009990]`},
		{"not in RO e-Factura", "POST", eInvoices, ask(9900009990), 404, `{"found":[],"notFound":[9900009990]}`},
		{"in RO e-Factura, more than a hundred", "POST", eInvoices, ask(hundredAndOne...), 400, "101"},
		{"in RO e-Factura, GET", "GET", eInvoices, "", 405, ""},
		{"a retired path", "POST", "/PlatitorTvaRest/api/v8/ws/tva", ask(9900000010), 404, "<html>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, standin.Options{})
			a, err := send(t, client(t), c.method, r.ANAF.URL+c.path, c.body)
			if err != nil || a.status != c.status || !strings.Contains(a.body, c.contains) {
				t.Errorf("status %d, error %v:\n%s", a.status, err, a.body)
			}
		})
	}
}

// TestStrict checks that the first request within a second is accepted and the second one is rejected.
func TestStrict(t *testing.T) {
	r := start(t, standin.Options{Strict: true})
	if a, err := post(t, r, ask(9900000010)); err != nil || a.status != http.StatusOK {
		t.Fatalf("first: %d %v", a.status, err)
	}
	if a := get(t, r.ANAF.URL+"/bilant?an=2024&cui=9900000010"); a.status != http.StatusTooManyRequests ||
		a.header.Get("Retry-After") != "1" {
		t.Errorf("second: %d %v", a.status, a.header)
	}
}

// TestFaultNumbers checks that each number triggers its fault, alone and together with other numbers.
func TestFaultNumbers(t *testing.T) {
	r := start(t, standin.Options{})
	statuses := map[int]bool{}
	for _, n := range standin.FaultNumbers {
		statuses[n.Status] = true
		if !n.CUI.Valid() {
			t.Errorf("%d has a wrong control digit", n.CUI)
		}
		if n.Fault == standin.Hang || n.CUI == standin.NumberOmitted { // covered by separate tests below
			continue
		}

		alone, errAlone := post(t, r, ask(n.CUI))
		batch, errBatch := post(t, r, ask(9900000010, n.CUI))
		scripted, errScripted := post(t, r, ask(9900009990), "X-Sim-Fault", "none")
		if n.Fault != (standin.Fault{}) {
			scripted, errScripted = post(t, r, ask(9900009990), "X-Sim-Fault", n.Fault.String())
			if batch.body != alone.body || (errBatch == nil) != (errAlone == nil) {
				t.Errorf("%d in a batch: %d %v", n.CUI, batch.status, errBatch)
			}
		}

		if alone.status != scripted.status || alone.body != scripted.body || (errAlone == nil) != (errScripted == nil) {
			t.Errorf("%d (%s): %d %s %v", n.CUI, n.Happens, alone.status, alone.body, errAlone)
		}
	}

	for _, status := range []int{200, 404, 502, 503, 504} {
		if !statuses[status] {
			t.Errorf("no number causes a %d", status)
		}
	}
}

// TestOmittedNumber checks that an otherwise correct answer omits the number from both lists.
func TestOmittedNumber(t *testing.T) {
	r := start(t, standin.Options{})
	alone, err := post(t, r, ask(standin.NumberOmitted))
	if err != nil || alone.body != `{"found":[],"notFound":[]}` {
		t.Errorf("alone: %s %v", alone.body, err)
	}

	others, err := post(t, r, ask(9900000010))
	testkit.NoError(t, err)

	batch, err := post(t, r, ask(9900000010, standin.NumberOmitted))
	if err != nil || batch.body != others.body {
		t.Errorf("in a batch: %s %v", batch.body, err)
	}
}

// TestRecord checks that records have exactly the fields of the tax authority's records.
func TestRecord(t *testing.T) {
	r := start(t, standin.Options{})
	a, err := post(t, r, ask(9900000010))
	testkit.NoError(t, err)

	const want = `{"date_generale":{"cui":9900000010,"data":"2026-11-20","denumire":"EXEMPLU TRANSILVAN S.R.L.",` +
		`"adresa":"JUD. CLUJ, MUN. CLUJ-NAPOCA, STR. EXEMPLULUI, NR.2","nrRegCom":"J12/101/2012","telefon":"0000 000001","fax":"",` +
		`"codPostal":"400335","act":"","stare_inregistrare":"INREGISTRAT din data 05.03.2012","data_inregistrare":"2012-03-05",` +
		`"cod_CAEN":"6210","iban":"","statusRO_e_Factura":true,"data_inreg_Reg_RO_e_Factura":"2022-07-01",` +
		`"organFiscalCompetent":"Administraţia Judeţeană a Finanţelor Publice Cluj",` +
		`"forma_de_proprietate":"PROPR.PRIVATA-CAPITAL PRIVAT AUTOHTON","forma_organizare":"PERSOANA JURIDICA",` +
		`"forma_juridica":"SOCIETATE COMERCIALĂ CU RĂSPUNDERE LIMITATĂ"},` +
		`"inregistrare_scop_Tva":{"scpTVA":true,"perioade_TVA":[{"data_inceput_ScpTVA":"2012-04-04","data_sfarsit_ScpTVA":"",` +
		`"data_anul_imp_ScpTVA":"","mesaj_ScpTVA":""}]},` +
		`"inregistrare_RTVAI":{"dataInceputTvaInc":"","dataSfarsitTvaInc":"","dataActualizareTvaInc":"","dataPublicareTvaInc":"","tipActTvaInc":"","statusTvaIncasare":false},` +
		`"stare_inactiv":{"dataInactivare":"","dataReactivare":"","dataPublicare":"","dataRadiere":"","statusInactivi":false},` +
		`"inregistrare_SplitTVA":{"dataInceputSplitTVA":"","dataAnulareSplitTVA":"","statusSplitTVA":false},` +
		`"adresa_sediu_social":{"scod_Judet":"12","scod_JudetAuto":"CJ","scod_Localitate":"103","scod_Postal":"400335","sdenumire_Judet":"CLUJ",` +
		`"sdenumire_Localitate":"Mun. Cluj-Napoca","sdenumire_Strada":"Str. Exemplului","sdetalii_Adresa":"","snumar_Strada":"2","stara":""},` +
		`"adresa_domiciliu_fiscal":{"dcod_Judet":"12","dcod_JudetAuto":"CJ","dcod_Localitate":"103","dcod_Postal":"400335","ddenumire_Judet":"CLUJ",` +
		`"ddenumire_Localitate":"Mun. Cluj-Napoca","ddenumire_Strada":"Str. Exemplului","ddetalii_Adresa":"","dnumar_Strada":"2","dtara":""}}`
	if a.body != `{"found":[`+want+`],"notFound":[]}` {
		t.Errorf("got\n%s", a.body)
	}
}

// TestCompanies checks that there are enough companies, with valid numbers and invented names, in all states, forms and
// counties, all known to the tax authority.
func TestCompanies(t *testing.T) {
	companies, err := standin.Companies()
	testkit.NoError(t, err)
	if len(companies) < 200 {
		t.Errorf("%d companies", len(companies))
	}

	names, registers := map[string]bool{}, map[string]bool{}
	states, formsSeen := map[standin.State]int{}, map[string]int{}
	invented := regexp.MustCompile(`^(EXEMPLU|INVENTAT|ÎNCHIPUIT|FICTIV|PLĂSMUIT|IMAGINAR) `)
	register := regexp.MustCompile(`^([JFC]\d{1,2}/\d{1,5}/\d{4}|[JFC]\d{13})$`)
	var numbers []ro.CUI
	for _, c := range companies {
		if !c.CUI.Valid() || !strings.HasPrefix(c.CUI.String(), "99000") {
			t.Errorf("%s: number %d", c.Name, c.CUI)
		}
		if !invented.MatchString(c.Name) || names[c.Name] || strings.ContainsAny(c.Name, "şţŞŢ") {
			t.Errorf("name %q", c.Name)
		}
		if !register.MatchString(c.RegisterNumber) || registers[c.RegisterNumber] {
			t.Errorf("%s: register number %s", c.Name, c.RegisterNumber)
		}
		if len(c.RegisterNumber) == 14 && !strings.Contains(c.RegisterNumber, "/") &&
			!validRegisterNumber(c.RegisterNumber) {
			t.Errorf("%s: check digit of %s", c.Name, c.RegisterNumber)
		}
		if c.Since < c.Registered {
			t.Errorf("%s: %s before the registration on %s", c.Name, c.Since, c.Registered)
		}

		for i, p := range c.VAT {
			if p.From < c.Registered || p.To != 0 && p.To <= p.From || i > 0 && c.VAT[i-1].To >= p.From {
				t.Errorf("%s: VAT periods %v", c.Name, c.VAT)
			}
		}

		names[c.Name], registers[c.RegisterNumber] = true, true
		states[c.State]++
		formsSeen[c.Form]++
		numbers = append(numbers, c.CUI)
	}

	for s := standin.Registered; s <= standin.StruckOff; s++ {
		if states[s] == 0 {
			t.Errorf("no company in state %d", s)
		}
	}

	if len(formsSeen) != 6 {
		t.Errorf("forms %v", formsSeen)
	}

	checkRecords(t, numbers)
}

// checkRecords requests all numbers from the tax authority and checks the variety that readers have to handle.
func checkRecords(t *testing.T, numbers []ro.CUI) {
	r := start(t, standin.Options{})
	counties, shapes, found := map[string]bool{}, map[string]int{}, 0
	for len(numbers) > 0 {
		batch := numbers[:min(100, len(numbers))]
		numbers = numbers[len(batch):]
		a, err := post(t, r, ask(batch...))
		testkit.NoError(t, err)
		if strings.ContainsAny(a.body, "șțȘȚ") {
			t.Error("the tax authority's record has a comma-below letter")
		}

		var records struct {
			Found []map[string]map[string]any `json:"found"`
		}
		testkit.NoError(t, json.Unmarshal([]byte(a.body), &records))

		found += len(records.Found)
		for _, record := range records.Found {
			counties[record["adresa_domiciliu_fiscal"]["dcod_Judet"].(string)] = true
			note(shapes, record)
		}
	}

	if found != 240 || len(counties) != 42 {
		t.Errorf("%d records in %d counties", found, len(counties))
	}

	for _, shape := range []string{"no fax", "null postal code", "short CAEN", "short postal code", "blank street",
		"foreign seat",
		"on collection", "three periods", "newest period first", "oldest period first", "dotted day of e-Factura",
		"ISO day of e-Factura", "never a payer", "inactive", "struck off", "no legal form", "sector", "village"} {
		if shapes[shape] == 0 {
			t.Errorf("no record with %s", shape)
		}
	}
}

func note(shapes map[string]int, record map[string]map[string]any) {
	general, seat := record["date_generale"], record["adresa_sediu_social"]
	_, fax := general["fax"]
	postal, _ := general["codPostal"].(string)
	locality, _ := seat["sdenumire_Localitate"].(string)
	periods := record["inregistrare_scop_Tva"]["perioade_TVA"].([]any)
	order := 0
	if len(periods) > 1 {
		from := func(i int) string { return periods[i].(map[string]any)["data_inceput_ScpTVA"].(string) }
		order = strings.Compare(from(0), from(len(periods)-1))
	}

	eInvoice := general["data_inreg_Reg_RO_e_Factura"].(string)
	for shape, is := range map[string]bool{
		"no fax":                  !fax,
		"null postal code":        general["codPostal"] == nil,
		"short postal code":       len(postal) == 5,
		"short CAEN":              len(general["cod_CAEN"].(string)) == 3,
		"no legal form":           general["forma_juridica"] == "",
		"blank street":            seat["sdenumire_Strada"] == " ",
		"foreign seat":            seat["stara"] != "",
		"sector":                  strings.HasPrefix(locality, "Sector "),
		"village":                 strings.HasPrefix(locality, "Sat "),
		"on collection":           record["inregistrare_RTVAI"]["statusTvaIncasare"] == true,
		"three periods":           len(periods) == 3,
		"newest period first":     order > 0,
		"oldest period first":     order < 0,
		"dotted day of e-Factura": strings.Contains(eInvoice, "."),
		"ISO day of e-Factura":    strings.Contains(eInvoice, "-"),
		"never a payer":           len(periods) == 0,
		"inactive":                record["stare_inactiv"]["statusInactivi"] == true,
		"struck off":              record["stare_inactiv"]["dataRadiere"] != "",
	} {
		if is {
			shapes[shape]++
		}
	}
}

// validRegisterNumber checks the last digit of a register number in the new format: the sum of the other digits and of
// the letter's value (J 4, F 0, C 7).
func validRegisterNumber(n string) bool {
	sum := map[byte]int{'J': 4, 'F': 0, 'C': 7}[n[0]]
	for _, d := range n[1:13] {
		sum += int(d - '0')
	}
	return sum%10 == int(n[13]-'0')
}

// TestStatements checks that filed years have all indicators, from I20 down, and that all other years have empty lists.
func TestStatements(t *testing.T) {
	r := start(t, standin.Options{})
	for _, c := range []struct {
		name, query string
		status      int
		items       int
	}{
		{"last year", "an=2025&cui=9900000010", 200, 20},
		{"the first year there is", "an=2014&cui=9900000010", 200, 20},
		{"before that", "an=2013&cui=9900000010", 200, 0},
		{"this year", "an=2026&cui=9900000010", 200, 0},
		{"an unknown company", "an=2024&cui=9900009990", 200, 0},
		{"a sole trader", "an=2024&cui=9900000060", 200, 0},
		{"no year", "cui=9900000010", 400, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := get(t, r.ANAF.URL+"/bilant?"+c.query)
			if a.status != c.status {
				t.Fatalf("status %d", a.status)
			}
			if a.status != http.StatusOK {
				return
			}

			var statement struct {
				Name  string `json:"deni"`
				Items []struct {
					Code  string `json:"indicator"`
					Value int64  `json:"val_indicator"`
				} `json:"i"`
			}
			testkit.NoError(t, json.Unmarshal([]byte(a.body), &statement))
			if len(statement.Items) != c.items || (statement.Name == "") != (c.items == 0) ||
				!strings.Contains(a.body, `"i":[`) {
				t.Fatalf("got %s", a.body)
			}
			if c.items == 0 {
				return
			}

			value := map[string]int64{}
			for _, i := range statement.Items {
				value[i.Code] = i.Value
			}
			if statement.Items[0].Code != "I20" || value["I14"]-value["I15"] != value["I16"]-value["I17"] ||
				value["I2"] != value["I3"]+value["I4"]+value["I5"] {
				t.Errorf("figures %v", value)
			}
		})
	}
}
