package anaf

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/upstream"
)

// filed returns the body of an answer with the given indicators.
func filed(f Filing, indicators string) string {
	return fmt.Sprintf(`{"an":%d,"cui":%d,"deni":"EXEMPLU SRL","caen":119,"den_caen":"Cultivarea altor plante","i":%s}`,
		f.Year, f.CUI, indicators)
}

func row(code, label, value string) string {
	return fmt.Sprintf(`{"indicator":%q,"val_indicator":%s,"val_den_indicator":%q}`, code, value, label)
}

func TestStatementAsksAsTheRegisterWants(t *testing.T) {
	f := Filing{invented.CUI(1), 2024}
	c := register(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" || r.URL.String() != "/bilant?an=2024&cui="+f.CUI.String() ||
			r.UserAgent() != "Mozilla/5.0" || !r.Close {
			t.Errorf("the request is %s %s, headers %v", r.Method, r.URL, r.Header)
		}

		fmt.Fprint(w, filed(f, "["+row("I20", " Numar  mediu de salariati ", "3")+","+
			row("I13", "Cifra de afaceri netă\t", "38180875856")+"]"))
	})
	s, err := c.Statement(t.Context(), f)
	testkit.NoError(t, err)
	if s.Activity == nil || *s.Activity != "0119" || len(s.Indicators) != 2 {
		t.Fatalf("got %+v", s)
	}

	turnover, people := s.Indicators[0], s.Indicators[1]
	if turnover.Code != "I13" || turnover.Label != "Cifra de afaceri netă" || *turnover.Value != 38_180_875_856 {
		t.Errorf("the first indicator is %+v", turnover)
	}
	if people.Label != "Numar mediu de salariati" || *people.Value != 3 {
		t.Errorf("the second indicator is %+v", people)
	}
}

func TestStatementIsKeptByteForByte(t *testing.T) {
	f := Filing{invented.CUI(1), 2024}
	sent := "\n" + filed(f, "["+row("I20", " Numar  mediu de salariati ", "3")+" , "+row("I13", "Cifra de afaceri neta",
		"5")+"]") + "\n"
	s, err := answering(t, http.StatusOK, sent).Statement(t.Context(), f)
	testkit.NoError(t, err)

	text, err := json.Marshal(s)
	testkit.NoError(t, err)

	stored := new(Statement)
	testkit.NoError(t, json.Unmarshal(text, stored))
	if raw, err := stored.Record().Raw(); err != nil || string(raw) != sent {
		t.Errorf("got %q, %v", raw, err)
	}
	if *stored.Activity != "0119" || len(stored.Indicators) != 2 || stored.Indicators[0].Code != "I13" ||
		stored.Size() < int64(len(sent)) {
		t.Errorf("got %+v", stored)
	}
}

func TestStatementThatWasNotFiled(t *testing.T) {
	f := Filing{invented.CUI(1), 2025}
	for name, body := range map[string]string{
		"an empty list":         fmt.Sprintf(`{"an":2025,"cui":%d,"deni":"","caen":null,"den_caen":"","i":[]}`, f.CUI),
		"null for a list":       fmt.Sprintf(`{"an":2025,"cui":%d,"deni":null,"i":null}`, f.CUI),
		"nothing but the list":  `{"i":[]}`,
		"after byte order mark": "\ufeff" + filed(f, "[]"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, status := range []int{http.StatusOK, http.StatusNotFound} {
				if s, err := answering(t, status, body).Statement(t.Context(), f); err != op.ErrUnknown || s != nil {
					t.Errorf("status %d: %+v, %v", status, s, err)
				}
			}
		})
	}
}

func TestStatementFailsOnWhatIsNoAnswer(t *testing.T) {
	f := Filing{invented.CUI(1), 2024}
	good := "[" + row("I1", "ACTIVE IMOBILIZATE - TOTAL", "1") + "]"
	for _, c := range []struct {
		name   string
		status int
		body   string
		cause  string
	}{
		{"firewall page", 200, "<html><head><title>Request Rejected</title></head><body>Support ID: 1</body></html>",
			"firewall"},
		{"maintenance page", 200, "<!DOCTYPE html><html><title>Mentenanta sistem</title></html>", "maintenance"},
		{"404 page", 404, "<html><body>Not Found</body></html>", "not JSON"},
		{"404 without a list", 404, `{"error":"no such path"}`, "failed"},
		{"an error in the envelope", 200, `{"cod":500,"message":"eroare","i":[]}`, "error 500"},
		{"a failure with a list", 500, filed(f, good), "failed"},
		{"nothing", 200, "", "empty"},
		{"cut short", 200, filed(f, good)[:60], "JSON"},
		{"an array", 200, "[]", "not JSON"},
		{"no list", 200, `{"an":2024,"deni":"EXEMPLU SRL"}`, "no list"},
		{"another company", 200, filed(Filing{invented.CUI(2), 2024}, good), "another"},
		{"another year", 200, filed(Filing{invented.CUI(1), 2023}, good), "another"},
		{"an indicator without a code", 200, filed(f, `[{"val_indicator":1,"val_den_indicator":"Stocuri"}]`),
			"no code"},
		{"an indicator that is a number", 200, filed(f, `[7]`), "no code"},
		{"not UTF-8", 200, filed(f, "[\"\xff\"]"), "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := answering(t, c.status, c.body).Statement(t.Context(), f)
			wantKind(t, err, op.Broken)
			if s != nil || err == nil || !strings.Contains(err.Error(), c.cause) {
				t.Errorf("got %+v, %v; want a cause with %q", s, err, c.cause)
			}
		})
	}
}

func TestStatementThatTheRegisterRefuses(t *testing.T) {
	_, err := answering(t, http.StatusBadRequest, "an and cui are numbers").Statement(t.Context(),
		Filing{invented.CUI(1), 2024})
	if !errors.Is(err, upstream.ErrRejected) {
		t.Errorf("got %v", err)
	}
}

func TestAmounts(t *testing.T) {
	f := Filing{invented.CUI(1), 2024}
	whole := func(n int64) *int64 { return &n }
	for text, want := range map[string]*int64{
		"0": whole(0), "-7": whole(-7), "9007199254740993": whole(9_007_199_254_740_993), `"41"`: whole(41),
		`" 41 "`: whole(41),
		"1000.0": whole(1000), "1e3": whole(1000), "12.5": nil, "1e300": nil, "null": nil, `""`: nil, `"zece"`: nil,
		"true": nil, "{}": nil,
	} {
		t.Run(text, func(t *testing.T) {
			s, err := decodeStatement(http.StatusOK, []byte(filed(f, "["+row("I1", "Stocuri", text)+"]")), &f)
			testkit.NoError(t, err)

			got := s.Indicators[0].Value
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Errorf("%s is read as %v", text, got)
			}
		})
	}
}

func TestStatementOfTheStandIn(t *testing.T) {
	c, err := NewClient(Options{URL: standin.For(t, standin.Options{}).ANAF.URL})
	testkit.NoError(t, err)

	filings := 0
	for n := range 40 {
		s, err := c.Statement(t.Context(), Filing{invented.CUI(n), 2021})
		if err != nil {
			if err != op.ErrUnknown {
				t.Fatal(err)
			}
			continue
		}

		filings++
		codes := slices.IsSortedFunc(s.Indicators, func(a, b company.Indicator) int {
			return ordinal(a.Code) - ordinal(b.Code)
		})
		if len(s.Indicators) != 20 || !codes || s.Activity == nil {
			t.Errorf("company %d filed %+v", n, s)
		}
	}

	if filings == 0 {
		t.Error("no statement was filed")
	}
}

// FuzzDecodeStatement verifies that no answer makes the decoder panic, and that every decoded indicator has a code and
// a label of bounded length.
func FuzzDecodeStatement(f *testing.F) {
	filing := Filing{invented.CUI(1), 2024}
	f.Add(200, []byte(filed(filing, "["+row("I20", "Numar mediu de salariati", "3")+","+
		row("I1", "ACTIVE IMOBILIZATE - TOTAL ", "-1.0")+"]")))
	f.Add(200, []byte(filed(filing, `[null,{"indicator":1,"val_den_indicator":" "},{"val_indicator":"x"}]`)))
	f.Add(404, []byte(`{"i":null}`))
	f.Add(200, []byte("<html>Request Rejected</html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		s, err := decodeStatement(status, body, &filing)
		if (s == nil) == (err == nil) {
			t.Fatalf("got %+v and %v", s, err)
		}
		if err != nil {
			return
		}

		for _, i := range s.Indicators {
			if i.Code == "" || i.Label == "" || len(i.Label) > 4*maxText {
				t.Errorf("indicator %+v", i)
			}
		}
	})
}
