package blackbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

const taxpayersPath = "/api/PlatitorTvaRest/v9/tva"

// inquiry returns a body in the tax authority's protocol, about today.
func inquiry(cuis ...ro.CUI) string {
	items := make([]string, len(cuis))
	for i, cui := range cuis {
		items[i] = fmt.Sprintf(`{"cui":%d,"data":"%s"}`, cui, ro.Today())
	}
	return "[" + strings.Join(items, ",") + "]"
}

func inquire(body string) request {
	return request{body: body, header: map[string]string{"Content-Type": "application/json;"}}
}

// taxpayer is a record as sent by the tax authority.
var taxpayer = regexp.MustCompile(`^\{"found":\[(\{.*\})\],"notFound":\[\]\}$`)

// TestInquiriesAreAnsweredAsTheTaxAuthorityDoes compares our answer with the registry's own, byte for byte.
func TestInquiriesAreAnsweredAsTheTaxAuthorityDoes(t *testing.T) {
	g := start(t)
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	const nobody ro.CUI = 9900009990
	for _, c := range companies[:3] {
		res, err := http.Post(g.registries.ANAF.URL+taxpayersPath, "application/json",
			strings.NewReader(inquiry(c.CUI)))
		testkit.NoError(t, err)

		theirs := bodyOf(t, res)
		var want struct{ Found []json.RawMessage }
		if err := json.Unmarshal(theirs, &want); err != nil || len(want.Found) != 1 {
			t.Fatalf("%v: %s", err, theirs)
		}

		for _, cache := range []string{"MISS", "HIT"} {
			ours := g.do(t, "POST", taxpayersPath, inquire(inquiry(c.CUI)))
			record := taxpayer.FindSubmatch(ours.body)
			if ours.StatusCode != 200 || record == nil || !bytes.Equal(record[1], bytes.TrimSpace(want.Found[0])) {
				t.Errorf("got  %d %s\nwant %s", ours.StatusCode, ours.body, want.Found[0])
			}
			if got := ours.Header["Content-Type"]; len(got) != 1 || got[0] != "application/json" ||
				ours.Header.Get("x-cache") != cache {
				t.Errorf("%q %v, want %s", got, ours.Header, cache)
			}
		}
		// REST gets it from the same cache.
		if a := g.get(t, "/v1/companies/"+c.CUI.String()); a.Header.Get("x-cache") != "HIT" {
			t.Errorf("REST after an inquiry: %d %s", a.StatusCode, a.Header.Get("x-cache"))
		}
	}

	unknown := g.do(t, "POST", taxpayersPath, inquire(inquiry(nobody)))
	if unknown.StatusCode != 404 || string(unknown.body) != `{"found":[],"notFound":[9900009990]}` ||
		unknown.Header.Get("Content-Type") != "application/json" {
		t.Errorf("unknown: %d %s", unknown.StatusCode, unknown.body)
	}
	if n := g.metric(t, `rodata_requests_total{channel="compat",operation="find_taxpayers",status="200"}`); n != 7 {
		t.Errorf("%v inquiries were counted, want 7", n)
	}
}

// otherTaxRecords compares our answers about the RO e-Factura register and
// about yearly statements with the registry's own.
func otherTaxRecords(t *testing.T, g *gateway) {
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	const register = "/api/registruroefactura/v1/interogare"
	cui := companies[0].CUI
	for _, body := range []string{inquiry(cui), inquiry(9900009990)} {
		res, err := http.Post(g.registries.ANAF.URL+register, "application/json", strings.NewReader(body))
		testkit.NoError(t, err)

		ours := g.do(t, "POST", register, inquire(body))
		if theirs := string(bodyOf(t, res)); string(ours.body) != theirs || ours.StatusCode != res.StatusCode ||
			ours.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got  %d %s\nwant %d %s", ours.StatusCode, ours.body, res.StatusCode, theirs)
		}
	}

	for _, query := range []string{
		"an=2024&cui=" + cui.String(), "an=2014&cui=" + cui.String(), "an=2024&cui=9900009990",
	} {
		res, err := http.Get(g.registries.ANAF.URL + "/bilant?" + query)
		testkit.NoError(t, err)

		ours := g.get(t, "/bilant?"+query)
		var got, want struct {
			An, CUI int
			Deni    string
			I       []object
		}
		theirs := bodyOf(t, res)
		if json.Unmarshal(theirs, &want) != nil || json.Unmarshal(ours.body, &got) != nil ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %d %s\nwant %s", query, ours.StatusCode, ours.body, theirs)
		}
	}
}

func bodyOf(t *testing.T, res *http.Response) []byte {
	t.Helper()
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	testkit.NoError(t, err)

	return body
}
