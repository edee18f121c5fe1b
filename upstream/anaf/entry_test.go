package anaf

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

const registeredSince = `{"cui" : 9900000010,"denumire":"EXEMPLU S.R.L.","registru":"Registrul RO e-Factura","dataInscriere":"2022-07-01","dataOptiuneB2G":null}`

func TestEInvoicesAsksAsTheRegisterWants(t *testing.T) {
	c := register(t, func(w http.ResponseWriter, r *http.Request) {
		var asked []struct {
			CUI  json.Number `json:"cui"`
			Date ro.Date     `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked) != 3 ||
			asked[0].Date != ro.Today() {
			t.Errorf("the request is %+v: %v", asked, err)
		}
		if r.Method != "POST" || r.URL.Path != "/api/registruroefactura/v1/interogare" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the request is %s %s", r.Method, r.URL)
		}

		fmt.Fprintf(w, `{"found":[%s,{"cui":%d,"stare":"1"}, {"cui":%[2]d,"stare":"2"}],"notFound":[%d]}`,
			registeredSince, invented.CUI(2), invented.CUI(3))
	})
	results, err := c.Entries(EInvoices)(t.Context(), asOfToday(9900000010, invented.CUI(2), invented.CUI(3)))
	testkit.NoError(t, err)

	for cui, want := range map[ro.CUI]string{
		9900000010:      registeredSince,
		invented.CUI(2): fmt.Sprintf(`{"cui":%d,"stare":"1"},{"cui":%[1]d,"stare":"2"}`, invented.CUI(2)),
	} {
		raw, err := results[today(cui)].Record.Raw()
		if err != nil || string(raw) != want {
			t.Errorf("%s: got %s, %v", cui, raw, err)
		}
	}

	if results[today(invented.CUI(3))].Err != op.ErrUnknown {
		t.Errorf("the unregistered company: %+v", results[today(invented.CUI(3))])
	}
}

func TestEInvoicesOfNobody(t *testing.T) {
	c := answering(t, 404, fmt.Sprintf(`{"found":[],"notFound":[%d]}`, invented.CUI(1)))
	results, err := c.Entries(EInvoices)(t.Context(), asOfToday(invented.CUI(1)))
	if err != nil || results[today(invented.CUI(1))].Err != op.ErrUnknown {
		t.Errorf("got %+v, %v", results, err)
	}
}

func TestEInvoicesFails(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"a page": {200, "<html>Request Rejected</html>"}, "too many": {400, "prea multe cui-uri"},
		"another 404":               {404, `{"error":"no"}`},
		"neither found nor missing": {200, `{"found":[],"notFound":[]}`},
		"both":                      {200, `{"found":[` + registeredSince + `],"notFound":[9900000010]}`},
		"an error":                  {200, `{"cod":500,"message":"EROARE"}`},
	} {
		_, err := answering(t, c.status, c.body).Entries(EInvoices)(t.Context(), asOfToday(9900000010))
		if wantKind(t, err, op.Broken); err == nil {
			t.Error(name)
		}
	}
}

// The answer of a live call in July 2026, as shown by public clients: unknown numbers count as found, too.
func TestFarmersAndNonProfits(t *testing.T) {
	const never = `{"cui":%d,"data":"2026-07-01","denumire":"","adresa":"","nrRegCom":"","telefon":"","fax":"","codPostal":"","act":"","stare_inregistrare":"","dataInceput%[2]s":"","dataAnulare%[2]s":"","status%[2]s":false}`
	const ever = `{"cui":%d,"data":"2026-07-01","denumire":"ASOCIAȚIA EXEMPLU","dataInceput%[2]s":"2019-01-14","dataAnulare%[2]s":" ","status%[2]s":true}`
	for path, c := range map[string]struct {
		field string
		of    *SmallRegister
	}{
		"/RegAgric/api/v2/ws/agric": {"RegAgric", Farmers},
		"/RegCult/api/v2/ws/cult":   {"RegCult", NonProfits},
	} {
		client := register(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != "POST" || r.URL.Path != path {
				t.Errorf("the request is %s %s", r.Method, r.URL)
			}

			fmt.Fprintf(w, `{"cod":200,"message":"SUCCESS","found":[%s,%s],"notFound":[%d]}`,
				fmt.Sprintf(never, invented.CUI(1), c.field), fmt.Sprintf(ever, invented.CUI(2), c.field),
				invented.CUI(3))
		})
		results, err := client.Entries(c.of)(t.Context(), asOfToday(invented.CUI(1), invented.CUI(2), invented.CUI(3)))
		testkit.NoError(t, err)
		if results[today(invented.CUI(3))].Err != op.ErrUnknown {
			t.Errorf("%s: not found is %+v", path, results[today(invented.CUI(3))])
		}

		for n, want := range map[int]string{1: `{"registered":false,"from":null,"to":null,"entries":null}`,
			2: `{"registered":true,"from":"2019-01-14","to":null,"entries":null}`} {
			entry, err := c.of.Entry(results[today(invented.CUI(n))].Record, 0)
			if got, _ := json.Marshal(entry); err != nil || string(got) != want {
				t.Errorf("%s: got %s, %v; want %s", path, got, err, want)
			}
		}
	}
}

func TestFarmersFails(t *testing.T) {
	day := func(fields string) string {
		return fmt.Sprintf(`{"found":[{"cui":%d%s}],"notFound":[]}`, invented.CUI(1), fields)
	}
	for name, c := range map[string]struct {
		status int
		body   string
		asked  ro.Date
	}{
		"a page":         {200, "<html>Request Rejected</html>", 0},
		"an error":       {200, `{"cod":500,"message":"EROARE"}`, 0},
		"left out":       {200, `{"cod":200,"message":"SUCCESS","found":[],"notFound":[]}`, 0},
		"without status": {200, day(`,"dataInceputRegAgric":"2019-01-14"`), 0},
		"another shape":  {200, `{"version":10,"records":[{"id":1}]}`, 0},
		"another day":    {200, day(`,"data":"2026-07-01","statusRegAgric":true`), 735000},
	} {
		_, err := answering(t, c.status, c.body).Entries(Farmers)(t.Context(),
			[]ro.CompanyDay{{CUI: invented.CUI(1), Day: c.asked}})
		if wantKind(t, err, op.Broken); err == nil {
			t.Error(name)
		}
	}
}

func TestEntriesOfEInvoices(t *testing.T) {
	on := ro.NewDate(2024, 6, 30)
	for name, c := range map[string]struct{ records, want string }{
		"the register's word": {`{"stare":"Înregistrat","dataInscriere":"2022-07-01"}`, "true 2022-07-01 -"},
		"its word against a day": {`{"stare":"ÎNREGISTRAT","dataInscriere":"2022-07-01","dataRadiere":"2023-01-01"}`,
			"true 2022-07-01 2023-01-01"},
		"it says no": {`{"stare":"neînregistrat","dataInscriere":"2022-07-01","dataRadiere":"01.01.2024"}`,
			"false 2022-07-01 2024-01-01"},
		"no, in other words":      {`{"stare":"Nu este înregistrat","dataInscriere":""}`, "false - -"},
		"struck off":              {`{"stare":"radiat","dataRadiere":"2024-01-01"}`, "false - 2024-01-01"},
		"unknown words, its days": {`{"stare":"X","dataInscriere":"2022-07-01"}`, "true 2022-07-01 -"},
		"its days, renounced": {`{"dataInscriere":"2022-07-01","dataRenuntare":"2024-06-30"}`,
			"false 2022-07-01 2024-06-30"},
		"its days, later":      {`{"dataInscriere":"2022-07-01","dataRenuntare":"2024-07-01","dataRadiere":"2025-01-01"}`, "true 2022-07-01 2024-07-01"},
		"not yet":              {`{"dataInscriere":"2024-07-01"}`, "false 2024-07-01 -"},
		"registered again":     {`{"dataInscriere":"2024-01-01","dataRenuntare":"2023-01-01"}`, "true 2024-01-01 -"},
		"nothing said":         {`{"stare":"X"}`, "- - -"},
		"one of several holds": {`{"stare":"radiat","dataInscriere":"2020-01-01"},{"stare":"inscris","dataInscriere":"2022-07-01"},{"stare":"X"}`, "true 2022-07-01 -"},
		"none of several":      {`{"stare":"radiat","dataInscriere":"2020-01-01"},{"stare":"radiat","dataInscriere":"2021-01-01"}`, "false 2021-01-01 -"},
		"one cannot be read":   {`{"stare":"radiat"},{"stare":"X"}`, "- - -"},
	} {
		e, err := NewRecord([]byte(c.records)).eInvoiceEntry(on)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}

		got := "-"
		if e.Registered != nil {
			got = fmt.Sprint(*e.Registered)
		}

		for _, d := range []*ro.Date{e.From, e.To} {
			if d == nil {
				got += " -"
			} else {
				got += " " + d.String()
			}
		}

		if n := strings.Count(c.records, "{"); got != c.want || len(e.Entries) != n {
			t.Errorf("%s: got %s and %d entries, want %s and %d", name, got, len(e.Entries), c.want, n)
		}
	}
}

func TestWordsOfAnEInvoiceEntry(t *testing.T) {
	e, err := NewRecord([]byte(`{"cui":1,"denumire":"EXEMPLU","registru":"Registrul RO  e-Factura","categorie":"operator economic","dataInscriere":"2022-07-01","dataRenuntare":"2023-01-02","dataRadiere":"2023-01-03","dataOptiuneB2G":"2022-07-04","stare":"Neînregistrat"}`)).eInvoiceEntry(ro.Today())
	want := `[{"register":"Registrul RO e-Factura","category":"operator economic","state":"Neînregistrat","registeredOn":"2022-07-01","renouncedOn":"2023-01-02","struckOffOn":"2023-01-03","b2gOptionOn":"2022-07-04"}]`
	if got, _ := json.Marshal(e.Entries); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestStateSince(t *testing.T) {
	for text, want := range map[string]string{
		"DIZOLVARE din data 29.03.2024": "dissolved 2024-03-29", "RADIERE din data 01.02.2020": "struck_off 2020-02-01",
		"DIZOLVARE FARA LICHIDARE(FUZIUNE) din data 05.06.2021": "dissolved 2021-06-05", "RADIATĂ": "struck_off",
		"": "unknown",
	} {
		state, since := StateSince(text)
		got := string(state)
		if since != nil {
			got += " " + since.String()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
