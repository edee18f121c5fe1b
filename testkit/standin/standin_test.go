package standin_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/conversation"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/testkit/standin"
)

// noon is a time before the day's fixing is published.
var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, ro.Bucharest)

func start(t *testing.T, o standin.Options) *standin.Registries {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}

	return standin.For(t, o)
}

// send sends a request as a client that follows no redirect.
func send(t *testing.T, q conversation.Request) (conversation.Answer, error) {
	t.Helper()
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), q.Method, q.Address, strings.NewReader(q.Body))
	testkit.NoError(t, err)

	maps.Copy(r.Header, q.Header)
	res, err := transport.RoundTrip(r)
	if err != nil {
		return conversation.Answer{}, err
	}
	defer res.Body.Close()

	body, err := io.ReadAll(res.Body)
	return conversation.Answer{Status: res.StatusCode, Header: res.Header, Body: string(body)}, err
}

func get(t *testing.T, url string) string {
	t.Helper()
	a, err := send(t, conversation.Request{Method: http.MethodGet, Address: url})
	if err != nil || a.Status != http.StatusOK {
		t.Fatalf("%s: %d %v", url, a.Status, err)
	}

	return a.Body
}

const taxpayers = "/api/PlatitorTvaRest/v9/tva"

// post queries the register of taxpayers.
func post(t *testing.T, r *standin.Registries, body string) (conversation.Answer, error) {
	t.Helper()
	return send(t, conversation.Request{Method: http.MethodPost, Address: r.ANAF.URL + taxpayers, Body: body})
}

// ask returns the body of a query about companies today.
func ask(numbers ...ro.CUI) string {
	var items []string
	for _, n := range numbers {
		items = append(items, fmt.Sprintf(`{"cui":%d,"data":"2026-11-20"}`, n))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// TestConversations compares the stand-ins with what was recorded of the registries, or is documented: testdata.
func TestConversations(t *testing.T) {
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	conversation.RunAll(t, "testdata/*.txt", func(t *testing.T) *conversation.Conversation {
		c := &conversation.Conversation{Send: send, Values: map[string]string{
			"company3": companies[3].CUI.String(), "company12": companies[12].CUI.String(),
			"company13": companies[13].CUI.String(),
			"farmer":    companies[10].CUI.String(), "nonProfit": companies[6].CUI.String(),
			"register8": companies[8].RegisterNumber,
		}}
		for _, n := range []int{100, 101, 500, 501} {
			c.Values[fmt.Sprint(n)] = ask(invented.CUIs(10, n)...)
		}

		c.Steps = map[string]func(*testing.T, string){"start": func(_ *testing.T, how string) { // for the whole file
			o := standin.Options{Strict: how == "strict", NoNomenclature: how == "without the nomenclature"}
			if text, ok := strings.CutPrefix(how, "at "); ok {
				at, err := time.ParseInLocation(time.DateTime, text, ro.Bucharest)
				testkit.NoError(t, err)
				o.Now = func() time.Time { return at }
			}

			for name, r := range named(start(t, o)) {
				c.Values[name] = r.URL
			}
		}}
		return c
	})
}

func named(r *standin.Registries) map[string]*standin.Registry {
	return map[string]*standin.Registry{"anaf": r.ANAF, "files": r.Files, "onrc": r.ONRC, "bnr": r.BNR,
		"vies": r.VIES.Registry}
}
