package anaf

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream"
)

func TestProfilesAsksAsTheRegisterWants(t *testing.T) {
	a, b := invented.CUI(1), invented.CUI(2)
	before := ro.Today()
	c := register(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked []struct {
			CUI  json.Number `json:"cui"`
			Date ro.Date     `json:"data"`
		}
		if err := json.Unmarshal(body, &asked); err != nil || len(asked) != 2 {
			t.Errorf("the request is %s: %v", body, err)
			return
		}
		if strings.Contains(string(body), `"`+a.String()) || asked[0].CUI.String() != a.String() {
			t.Errorf("%s does not ask for the number %s", body, a)
		}
		if asked[0].Date < before || asked[0].Date > ro.Today() {
			t.Errorf("the requested day is %s", asked[0].Date)
		}

		if r.Method != "POST" || r.URL.Path != "/api/PlatitorTvaRest/v9/tva" ||
			r.Header.Get("Content-Type") != "application/json" ||
			r.UserAgent() != "Mozilla/5.0" || !r.Close {
			t.Errorf("the request is %s %s, headers %v", r.Method, r.URL, r.Header)
		}

		io.WriteString(w, found([]map[string]any{companyRecord(b), companyRecord(a)}))
	})
	results, err := c.Profiles(t.Context(), asOfToday(a, b))
	testkit.NoError(t, err)

	for _, cui := range []ro.CUI{a, b} {
		if r := results[today(cui)]; r.Err != nil || taxID(t, r.Record) != cui {
			t.Errorf("%s: %+v", cui, r)
		}
	}
}

// TestProfilesOnDays verifies that one call requests each company on its own day, and that a record for another day is
// accepted only for today.
func TestProfilesOnDays(t *testing.T) {
	past, other := ro.NewDate(2025, 3, 31), ro.NewDate(2024, 1, 1)
	asked := []ro.CompanyDay{
		{CUI: invented.CUI(1), Day: past}, {CUI: invented.CUI(2), Day: past}, {CUI: invented.CUI(3)},
		{CUI: invented.CUI(4), Day: past},
		{CUI: invented.CUI(5), Day: past},
	}
	var questions []question
	c := register(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&questions); err != nil {
			t.Error(err)
		}

		io.WriteString(w, found([]map[string]any{
			companyRecord(invented.CUI(1), patch{"date_generale.data", "2025-03-31"}),
			companyRecord(invented.CUI(2), patch{"date_generale.data", "31.03.2025"}),
			companyRecord(invented.CUI(3), patch{"date_generale.data", other}),
			companyRecord(invented.CUI(4), patch{"date_generale.data", other}),
			companyRecord(invented.CUI(5), patch{"date_generale.data", ""}),
		}))
	})
	results, err := c.Profiles(t.Context(), asked)
	testkit.NoError(t, err)

	for i, company := range asked {
		wantDay := company.Day
		if wantDay == 0 {
			wantDay = ro.Today()
		}
		if questions[i].CUI != company.CUI || questions[i].Date != wantDay {
			t.Errorf("requested %s on %s", questions[i].CUI, questions[i].Date)
		}

		r := results[company]
		if bad := i == 3; (r.Err != nil) != bad || (r.Record == nil) != bad {
			t.Errorf("%s: %+v", company, r)
		}
		if misdated := i == 2 || i == 3; r.Misdated != misdated {
			t.Errorf("%s: misdated %t", company, r.Misdated)
		}
	}

	wantKind(t, results[asked[3]].Err, op.Broken)

	// An answer does not count against the registry if all of its records are for other days.
	c = answering(t, 200, found([]map[string]any{companyRecord(invented.CUI(1), patch{"date_generale.data", other})}))
	if results, err := c.Profiles(t.Context(), asked[:1]); err != nil || !results[asked[0]].Misdated {
		t.Errorf("%v, %v", results, err)
	}
}

// TestPeriodsThatDisagree verifies that records of past days are counted if their periods contradict the register's
// status, and that the status takes precedence. Ends are exclusive.
func TestPeriodsThatDisagree(t *testing.T) {
	periods := patch{"inregistrare_scop_Tva.perioade_TVA",
		[]map[string]any{{"data_inceput_ScpTVA": "2017-10-01", "data_sfarsit_ScpTVA": "2020-12-02"}}}
	for day, says := range map[string]map[bool]bool{
		"2017-09-30": {true: true, false: false},
		"2017-10-01": {true: false, false: true},
		"2020-12-01": {true: false, false: true},
		"2020-12-02": {true: true, false: false},
	} {
		for payer, disagrees := range says {
			asked := ro.CompanyDay{CUI: invented.CUI(1), Day: date(day)}
			record := companyRecord(asked.CUI, periods, patch{"inregistrare_scop_Tva.scpTVA", payer},
				patch{"date_generale.data", day})
			results, err := answering(t, 200, found([]map[string]any{record})).Profiles(t.Context(),
				[]ro.CompanyDay{asked})
			if err != nil || results[asked].Err != nil || results[asked].Disagrees != disagrees {
				t.Errorf("%s, payer %t: %+v, %v", day, payer, results[asked], err)
				continue
			}
			if c, err := results[asked].Record.Company(nil); err != nil || *c.VATPayer != payer {
				t.Errorf("%s: payer %v, %v", day, c.VATPayer, err)
			}
		}
	}
}

func TestProfilesOfUnknownNumbers(t *testing.T) {
	known, unknown := invented.CUI(1), invented.CUI(2)
	for _, c := range []struct {
		name   string
		status int
		body   string
		asked  []ro.CUI
	}{
		{"some", http.StatusOK, found([]map[string]any{companyRecord(known)}, unknown), []ro.CUI{known, unknown}},
		{"all, with status 404", http.StatusNotFound, found(nil, unknown), []ro.CUI{unknown}},
		{"all, with status 200", http.StatusOK, found(nil, unknown), []ro.CUI{unknown}},
		{"as text", http.StatusNotFound, `{"notFound":["` + unknown.String() + `"]}`, []ro.CUI{unknown}},
		{"found is null", http.StatusNotFound, `{"found":null,"notFound":[` + unknown.String() + `]}`,
			[]ro.CUI{unknown}},
		{"in the envelope", http.StatusOK, `{"cod":200,"message":"SUCCESS","found":[],"notFound":[` + unknown.String() +
			`]}`, []ro.CUI{unknown}},
		{"in the envelope, its code as text", http.StatusOK,
			`{"cod":"200","message":"SUCCESS","found":[],"notFound":[` + unknown.String() + `]}`, []ro.CUI{unknown}},
		{"after a byte order mark", http.StatusNotFound, "\ufeff \r\n" + found(nil, unknown), []ro.CUI{unknown}},
	} {
		t.Run(c.name, func(t *testing.T) {
			results, err := answering(t, c.status, c.body).Profiles(t.Context(), asOfToday(c.asked...))
			testkit.NoError(t, err)
			if r := results[today(unknown)]; r.Err != op.ErrUnknown || r.Record != nil {
				t.Errorf("unknown number: %+v", r)
			}
			if r, asked := results[today(known)]; asked && (r.Err != nil || r.Record == nil) {
				t.Errorf("known number: %+v", r)
			}
		})
	}
}

func TestProfilesFailsOnWhatIsNoAnswer(t *testing.T) {
	cui := invented.CUI(1)
	whole := found([]map[string]any{companyRecord(cui)})
	with := func(patches ...patch) string { return found([]map[string]any{companyRecord(cui, patches...)}) }
	for _, c := range []struct {
		name   string
		status int
		body   string
		cause  string
	}{
		{"firewall page", 200, "<html><head><title>Request Rejected</title></head><body>Support ID: 1</body></html>",
			"firewall"},
		{"maintenance page", 200, "<!DOCTYPE html><html><head><title>Mentenanta sistem</title></head></html>",
			"maintenance"},
		{"maintenance page with 404", 404, "<html><title>Mentenanta sistem</title></html>", "maintenance"},
		{"404 page", 404, "<html><body>Not Found</body></html>", "not JSON"},
		{"404 without lists", 404, `{"error":"no such path"}`, "failed"},
		{"error envelope", 200, `{"cod":500,"message":"EROARE INTERNA"}`, "error 500"},
		{"error envelope, its code as text", 200, `{"cod":"500","message":"EROARE"}`, "error 500"},
		{"error envelope around lists", 200, `{"cod":500,"found":[],"notFound":[` + cui.String() + `]}`, "error 500"},
		{"empty", 200, "", "empty"},
		{"only spaces", 200, " \n", "empty"},
		{"empty object", 200, "{}", "neither found nor notFound"},
		{"array", 200, "[]", "not JSON"},
		{"null", 200, "null", "not JSON"},
		{"truncated", 200, whole[:len(whole)/2], "reading JSON"},
		{"two documents", 200, whole + whole, "reading JSON"},
		{"not UTF-8", 200, strings.Replace(whole, "INVENTATA", "INVENTAT\xc3", 1), "UTF-8"},
		{"null lists", 200, `{"found":null,"notFound":null}`, "neither found nor notFound"},
		{"lists of another kind", 200, `{"found":"x","notFound":true}`, "neither found nor notFound"},
		{"internal error", 500, `{"found":[],"notFound":[` + cui.String() + `]}`, "failed"},
		{"proxy error", 520, "error code: 520", "not JSON"},
		{"our mistake", 400, "Bad Request", "rejected"},
		{"our mistake, in JSON", 400, `{"message":"too many"}`, "rejected"},
		{"another company", 200, found([]map[string]any{companyRecord(invented.CUI(2))}), "neither found nor missing"},
		{"found twice", 200, found([]map[string]any{companyRecord(cui), companyRecord(cui)}), "2 times"},
		{"found and missing", 200, found([]map[string]any{companyRecord(cui)}, cui), "both found and missing"},
		{"no name", 200, with(patch{"date_generale.denumire", " "}), "no name"},
		{"name of another kind", 200, with(patch{"date_generale.denumire", []string{"x"}}), "no name"},
		{"no general data", 200, with(patch{"date_generale", absent{}}), "neither found nor missing"},
		{"general data of another kind", 200, with(patch{"date_generale", "x"}), "neither found nor missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			results, err := answering(t, c.status, c.body).Profiles(t.Context(), asOfToday(cui))
			var f *op.Failure
			if !errors.As(err, &f) {
				t.Fatalf("%v, results %v", err, results)
			}
			if f.Kind != op.Broken || f.Registry != "anaf" || !strings.Contains(err.Error(), c.cause) {
				t.Errorf("kind %d of %s: %q does not name %q", f.Kind, f.Registry, err, c.cause)
			}
			if errors.Is(err, op.ErrUnknown) {
				t.Error("the error counts as an unknown number")
			}
			if rejected := errors.Is(err, upstream.ErrRejected); rejected != (c.cause == "rejected") {
				t.Errorf("rejected: %t", rejected)
			}
		})
	}
}

func TestProfilesOneBrokenRecordSpoilsOnlyItself(t *testing.T) {
	good, bad, absentOne, twice := invented.CUI(1), invented.CUI(2), invented.CUI(3), invented.CUI(4)
	body := found([]map[string]any{
		companyRecord(good), companyRecord(bad, patch{"date_generale.denumire", "-"}),
		companyRecord(twice), companyRecord(twice), companyRecord(invented.CUI(5)), {"date_generale": 7},
	})
	results, err := answering(t, 200, body).Profiles(t.Context(), asOfToday(good, bad, absentOne, twice))
	testkit.NoError(t, err)
	if len(results) != 4 {
		t.Errorf("%d results", len(results))
	}
	if r := results[today(good)]; r.Err != nil || taxID(t, r.Record) != good {
		t.Errorf("the valid record: %+v", r)
	}

	for _, cui := range []ro.CUI{bad, absentOne, twice} {
		var f *op.Failure
		if r := results[today(cui)]; !errors.As(r.Err, &f) || f.Kind != op.Broken {
			t.Errorf("%s: %+v", cui, r)
		}
	}
}

func TestProfilesTimesOut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // otherwise the server does not notice the client's disconnection
		<-r.Context().Done()
	}))
	defer server.Close()
	c, err := NewClient(Options{URL: server.URL, Timeout: 20 * time.Millisecond})
	testkit.NoError(t, err)

	var f *op.Failure
	if _, err := c.Profiles(t.Context(), asOfToday(invented.CUI(1))); !errors.As(err, &f) || f.Kind != op.TimedOut {
		t.Errorf("got %v", err)
	}
}

func TestNewClientDefaults(t *testing.T) {
	if _, err := NewClient(Options{}); err != nil {
		t.Error(err)
	}
	if _, err := NewClient(Options{URL: "http://registry.example"}); err == nil ||
		!strings.Contains(err.Error(), "https") {
		t.Errorf("an address without encryption: %v", err)
	}
}

// FuzzDecode verifies that no answer causes a panic, a company that was not requested, or a company without a name.
func FuzzDecode(f *testing.F) {
	cui := invented.CUI(1)
	f.Add(200, []byte(found([]map[string]any{companyRecord(cui)})))
	f.Add(404, []byte(found(nil, cui)))
	f.Add(200, []byte(`{"cod":"200","found":{"date_generale":{"cui":"9900000010","denumire":1},"inregistrare_scop_Tva":{"scpTVA":"true","perioade_TVA":{}}}}`))
	f.Add(200, []byte(`{"found":[null,[],{}],"notFound":[null,"x",1e99]}`))
	f.Add(200, []byte("<html>Request Rejected</html>"))
	asked := []ro.CUI{cui, invented.CUI(2)}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		a, err := decode[taxpayer](status, body)
		if err != nil {
			return
		}

		resolve := func(int, int, string) (string, int, bool) { return "Cluj-Napoca", 54975, true }
		results, err := new(Client).results(asOfToday(asked...), ro.Today(), a)
		if err != nil {
			return
		}
		if len(results) != len(asked) {
			t.Fatalf("%d results", len(results))
		}

		for company, r := range results {
			switch {
			case (r.Record == nil) == (r.Err == nil):
				t.Errorf("%s: %+v", company, r)
			case r.Record != nil:
				c, err := r.Record.Company(resolve)
				if err != nil || c.TaxID != company.CUI || c.Name == "" || (c.VATPayer == nil) != r.Incomplete {
					t.Errorf("%s: %+v, %v", company, c, err)
				}
				if _, err := json.Marshal(c); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// taxID returns the number of a record's company.
func taxID(t *testing.T, r *Record) ro.CUI {
	t.Helper()
	c, err := r.Company(nil)
	testkit.NoError(t, err)

	return c.TaxID
}

func TestRecordsWithoutVATData(t *testing.T) {
	lacking := []patch{{"inregistrare_scop_Tva", absent{}}}
	whole, null := []patch{}, []patch{{"inregistrare_scop_Tva", nil}}
	var answer string
	c := register(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })
	for i, step := range []struct {
		name    string
		records [][]patch
		refused bool
	}{
		{"one company", [][]patch{lacking}, false},
		{"one of two", [][]patch{lacking, whole}, false},
		{"half of four", [][]patch{lacking, whole, null, whole}, false},
		{"most of three", [][]patch{lacking, whole, null}, true},
		{"one company, after that", [][]patch{null}, true},
		{"half of two, after that", [][]patch{null, whole}, false},
		{"one company that says so", [][]patch{whole}, false},
		{"one company, all being well again", [][]patch{lacking}, false},
		{"all", [][]patch{lacking, lacking, lacking, lacking}, true},
	} {
		var records []map[string]any
		var cuis []ro.CUI
		for n, patches := range step.records {
			cuis = append(cuis, invented.CUI(n))
			records = append(records, companyRecord(cuis[n], patches...))
		}

		answer = found(records)
		results, err := c.Profiles(t.Context(), asOfToday(cuis...))
		if step.refused {
			if wantKind(t, err, op.Broken); err == nil || !strings.Contains(err.Error(), "changed in shape") ||
				Blames(err) {
				t.Errorf("%d, %s: %v", i, step.name, err)
			}

			continue
		}

		if err != nil {
			t.Errorf("%d, %s: %v", i, step.name, err)
			continue
		}

		for n, patches := range step.records {
			profile, err := results[today(cuis[n])].Record.Company(nil)
			testkit.NoError(t, err)

			incomplete := len(patches) > 0
			if results[today(cuis[n])].Incomplete != incomplete || (profile.VATPayer == nil) != incomplete ||
				(profile.VATPeriods == nil) != incomplete {
				t.Errorf("%d, %s: company %d: %+v, payer %v", i, step.name, n, results[today(cuis[n])],
					profile.VATPayer)
			}
		}
	}
}
