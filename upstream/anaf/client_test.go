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

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

func TestProfilesAsksAsTheRegisterWants(t *testing.T) {
	a, b := invented(1), invented(2)
	before := api.Today()
	c := register(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked []struct {
			CUI  json.Number `json:"cui"`
			Date api.Date    `json:"data"`
		}
		if err := json.Unmarshal(body, &asked); err != nil || len(asked) != 2 {
			t.Errorf("asked %s: %v", body, err)
			return
		}
		if strings.Contains(string(body), `"`+a.String()) || asked[0].CUI.String() != a.String() {
			t.Errorf("%s does not ask for the number %s", body, a)
		}
		if asked[0].Date < before || asked[0].Date > api.Today() {
			t.Errorf("asked for day %s", asked[0].Date)
		}
		if r.Method != "POST" || r.URL.Path != "/api/PlatitorTvaRest/v9/tva" || r.Header.Get("Content-Type") != "application/json" ||
			r.UserAgent() != "Mozilla/5.0" || !r.Close {
			t.Errorf("asked %s %s, headers %v", r.Method, r.URL, r.Header)
		}
		io.WriteString(w, found([]map[string]any{company(b), company(a)}))
	})
	results, err := c.Profiles(t.Context(), []api.CUI{a, b})
	if err != nil {
		t.Fatal(err)
	}
	for _, cui := range []api.CUI{a, b} {
		if r := results[cui]; r.Err != nil || r.Company.TaxID != cui {
			t.Errorf("%s: %+v", cui, r)
		}
	}
}

func TestProfilesOfUnknownNumbers(t *testing.T) {
	known, unknown := invented(1), invented(2)
	for _, c := range []struct {
		name   string
		status int
		body   string
		asked  []api.CUI
	}{
		{"some", http.StatusOK, found([]map[string]any{company(known)}, unknown), []api.CUI{known, unknown}},
		{"all, with status 404", http.StatusNotFound, found(nil, unknown), []api.CUI{unknown}},
		{"all, with status 200", http.StatusOK, found(nil, unknown), []api.CUI{unknown}},
		{"as text", http.StatusNotFound, `{"notFound":["` + unknown.String() + `"]}`, []api.CUI{unknown}},
		{"found is null", http.StatusNotFound, `{"found":null,"notFound":[` + unknown.String() + `]}`, []api.CUI{unknown}},
		{"in the envelope", http.StatusOK, `{"cod":200,"message":"SUCCESS","found":[],"notFound":[` + unknown.String() + `]}`, []api.CUI{unknown}},
		{"in the envelope, its code as text", http.StatusOK, `{"cod":"200","message":"SUCCESS","found":[],"notFound":[` + unknown.String() + `]}`, []api.CUI{unknown}},
		{"after a byte order mark", http.StatusNotFound, "\ufeff \r\n" + found(nil, unknown), []api.CUI{unknown}},
	} {
		t.Run(c.name, func(t *testing.T) {
			results, err := answering(t, c.status, c.body).Profiles(t.Context(), c.asked)
			if err != nil {
				t.Fatal(err)
			}
			if r := results[unknown]; r.Err != api.ErrUnknown || r.Company != nil {
				t.Errorf("unknown number: %+v", r)
			}
			if r, asked := results[known]; asked && (r.Err != nil || r.Company == nil) {
				t.Errorf("known number: %+v", r)
			}
		})
	}
}

func TestProfilesFailsOnWhatIsNoAnswer(t *testing.T) {
	cui := invented(1)
	whole := found([]map[string]any{company(cui)})
	with := func(patches ...patch) string { return found([]map[string]any{company(cui, patches...)}) }
	for _, c := range []struct {
		name   string
		status int
		body   string
		cause  string
	}{
		{"firewall page", 200, "<html><head><title>Request Rejected</title></head><body>Support ID: 1</body></html>", "firewall"},
		{"maintenance page", 200, "<!DOCTYPE html><html><head><title>Mentenanta sistem</title></head></html>", "maintenance"},
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
		{"null lists", 200, `{"found":null,"notFound":null}`, "neither found nor missing"},
		{"lists of another kind", 200, `{"found":"x","notFound":true}`, "neither found nor missing"},
		{"internal error", 500, `{"found":[],"notFound":[` + cui.String() + `]}`, "failed"},
		{"proxy error", 520, "error code: 520", "not JSON"},
		{"our mistake", 400, "Bad Request", "rejected"},
		{"our mistake, in JSON", 400, `{"message":"too many"}`, "rejected"},
		{"another company", 200, found([]map[string]any{company(invented(2))}), "neither found nor missing"},
		{"found twice", 200, found([]map[string]any{company(cui), company(cui)}), "2 times"},
		{"found and missing", 200, found([]map[string]any{company(cui)}, cui), "both found and missing"},
		{"no name", 200, with(patch{"date_generale.denumire", " "}), "no name"},
		{"name of another kind", 200, with(patch{"date_generale.denumire", []string{"x"}}), "no name"},
		{"no word on VAT", 200, with(patch{"inregistrare_scop_Tva", absent{}}), "VAT"},
		{"VAT is null", 200, with(patch{"inregistrare_scop_Tva.scpTVA", nil}), "VAT"},
		{"VAT of another kind", 200, with(patch{"inregistrare_scop_Tva.scpTVA", []bool{true}}), "VAT"},
		{"no general data", 200, with(patch{"date_generale", absent{}}), "neither found nor missing"},
		{"general data of another kind", 200, with(patch{"date_generale", "x"}), "neither found nor missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			results, err := answering(t, c.status, c.body).Profiles(t.Context(), []api.CUI{cui})
			var f *api.Failure
			if !errors.As(err, &f) {
				t.Fatalf("%v, results %v", err, results)
			}
			if f.Kind != api.Broken || f.Registry != "anaf" || !strings.Contains(err.Error(), c.cause) {
				t.Errorf("kind %d of %s: %q does not name %q", f.Kind, f.Registry, err, c.cause)
			}
			if errors.Is(err, api.ErrUnknown) {
				t.Error("it counts as an unknown number")
			}
			if rejected := errors.Is(err, upstream.ErrRejected); rejected != (c.cause == "rejected") {
				t.Errorf("our mistake: %t", rejected)
			}
		})
	}
}

func TestProfilesOneBrokenRecordSpoilsOnlyItself(t *testing.T) {
	good, bad, absentOne, twice := invented(1), invented(2), invented(3), invented(4)
	body := found([]map[string]any{
		company(good), company(bad, patch{"inregistrare_scop_Tva.scpTVA", "perhaps"}),
		company(twice), company(twice), company(invented(5)), {"date_generale": 7},
	})
	results, err := answering(t, 200, body).Profiles(t.Context(), []api.CUI{good, bad, absentOne, twice})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 4 {
		t.Errorf("%d results", len(results))
	}
	if r := results[good]; r.Err != nil || r.Company.TaxID != good {
		t.Errorf("the good one: %+v", r)
	}
	for _, cui := range []api.CUI{bad, absentOne, twice} {
		var f *api.Failure
		if r := results[cui]; !errors.As(r.Err, &f) || f.Kind != api.Broken {
			t.Errorf("%s: %+v", cui, r)
		}
	}
}

func TestProfilesTimesOut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the server does not see the client leave
		<-r.Context().Done()
	}))
	defer server.Close()
	c, err := NewClient(Options{URL: server.URL, Timeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var f *api.Failure
	if _, err := c.Profiles(t.Context(), []api.CUI{invented(1)}); !errors.As(err, &f) || f.Kind != api.TimedOut {
		t.Errorf("got %v", err)
	}
}

func TestNewClientDefaults(t *testing.T) {
	if _, err := NewClient(Options{}); err != nil {
		t.Error(err)
	}
	if _, err := NewClient(Options{URL: "http://registry.example"}); err == nil || !strings.Contains(err.Error(), "https") {
		t.Errorf("an address without encryption: %v", err)
	}
}

// FuzzDecode promises that no answer, whatever it is, ends in a panic, in a
// company that was not asked for, or in one without a word on VAT.
func FuzzDecode(f *testing.F) {
	cui := invented(1)
	f.Add(200, []byte(found([]map[string]any{company(cui)})))
	f.Add(404, []byte(found(nil, cui)))
	f.Add(200, []byte(`{"cod":"200","found":{"date_generale":{"cui":"9900000010","denumire":1},"inregistrare_scop_Tva":{"scpTVA":"true","perioade_TVA":{}}}}`))
	f.Add(200, []byte(`{"found":[null,[],{}],"notFound":[null,"x",1e99]}`))
	f.Add(200, []byte("<html>Request Rejected</html>"))
	asked := []api.CUI{cui, invented(2)}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		a, err := decode(status, body)
		if err != nil {
			return
		}
		c := &Client{resolve: func(int, int, string) (string, int, bool) { return "Cluj-Napoca", 54975, true }}
		results, err := c.results(asked, a)
		if err != nil {
			return
		}
		if len(results) != len(asked) {
			t.Fatalf("%d results", len(results))
		}
		for cui, r := range results {
			switch {
			case (r.Company == nil) == (r.Err == nil):
				t.Errorf("%s: %+v", cui, r)
			case r.Company != nil && (r.Company.TaxID != cui || r.Company.Name == "" || r.Company.VATPayer == nil):
				t.Errorf("%s: %+v", cui, r.Company)
			}
			if _, err := json.Marshal(r.Company); err != nil {
				t.Error(err)
			}
		}
	})
}
