package fleettest

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// oracle holds the correct answers, taken directly from the registries.
type oracle struct {
	companies []company
	fixings   []fixing
}

// company is the compared part of a company.
type company struct {
	TaxID       int64  `json:"taxId"`
	Name        string `json:"name"`
	TradeNumber string `json:"tradeNumber"`
	Address     string `json:"address"`
	VATPayer    bool   `json:"vatPayer"`
}

// fixing is a rate of a day.
type fixing struct {
	day, currency string
	rate          json.Number
}

// companiesAsked is the number of companies that callers request: as many as fit into one request to the tax authority.
const companiesAsked = 100

func newOracle(t *testing.T, registries *standin.Registries) *oracle {
	t.Helper()
	all, err := standin.Companies()
	testkit.NoError(t, err)

	var questions []map[string]any
	for _, c := range all[:companiesAsked] {
		questions = append(questions, map[string]any{"cui": c.CUI, "data": "2026-11-20"})
	}

	body, err := json.Marshal(questions)
	testkit.NoError(t, err)

	res, err := http.Post(registries.ANAF.URL+"/api/PlatitorTvaRest/v9/tva", "application/json",
		strings.NewReader(string(body)))
	testkit.NoError(t, err)
	defer res.Body.Close()

	var answer struct {
		Found []struct {
			General struct {
				CUI          int64
				Denumire     string
				Adresa       string
				RegisterCode string `json:"nrRegCom"`
			} `json:"date_generale"`
			VAT struct {
				ScpTVA bool
			} `json:"inregistrare_scop_Tva"`
		}
	}
	testkit.NoError(t, json.NewDecoder(res.Body).Decode(&answer))

	o := &oracle{fixings: fixings(t, registries.BNR.URL)}
	for _, f := range answer.Found {
		o.companies = append(o.companies,
			company{
				f.General.CUI, commas.Replace(f.General.Denumire), f.General.RegisterCode,
				commas.Replace(f.General.Adresa),
				f.VAT.ScpTVA,
			})
	}

	if len(o.companies) != companiesAsked || len(o.fixings) < 100 {
		t.Fatalf("the registries know %d companies and %d rates", len(o.companies), len(o.fixings))
	}

	return o
}

// commas replaces letters with a cedilla by letters with a comma below, like the gateway.
var commas = strings.NewReplacer("ş", "ș", "ţ", "ț", "Ş", "Ș", "Ţ", "Ț")

// fixings are rates of the euro and the dollar.
func fixings(t *testing.T, bank string) []fixing {
	t.Helper()
	res, err := http.Get(bank + "/files/xml/years/nbrfxrates2025.xml")
	testkit.NoError(t, err)
	defer res.Body.Close()

	var year struct {
		Days []struct {
			Date  string `xml:"date,attr"`
			Rates []struct {
				Currency string `xml:"currency,attr"`
				Rate     string `xml:",chardata"`
			} `xml:"Rate"`
		} `xml:"Body>Cube"`
	}
	testkit.NoError(t, xml.NewDecoder(res.Body).Decode(&year))

	var all []fixing
	for _, d := range year.Days {
		for _, r := range d.Rates {
			if r.Currency == "EUR" || r.Currency == "USD" {
				all = append(all, fixing{d.Date, r.Currency, json.Number(strings.TrimRight(r.Rate, "0"))})
			}
		}
	}

	return all
}

// warm makes each edge cache the data that callers will request.
func (o *oracle) warm(t *testing.T, edges []*edge) {
	t.Helper()
	for _, e := range edges {
		var asking sync.WaitGroup
		for _, c := range o.companies {
			asking.Go(func() { o.learn(t, e.url+c.path(), c.check) })
		}

		asking.Go(func() { o.learn(t, e.url+o.fixings[0].path(), o.fixings[0].check) })
		asking.Wait()
	}
}

func (o *oracle) learn(t *testing.T, url string, check func([]byte) error) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()

	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%d %s", res.StatusCode, body)
	}
	if err == nil {
		err = check(body)
	}
	if err != nil {
		t.Errorf("%s: %v", url, err)
	}
}

func (c company) path() string { return fmt.Sprint("/v1/companies/", c.TaxID) }

// check returns the error in an answer about the company.
func (c company) check(body []byte) error {
	var got company
	if err := json.Unmarshal(body, &got); err != nil {
		return err
	}
	if got != c {
		return fmt.Errorf("got %+v, want %+v", got, c)
	}

	return nil
}

func (f fixing) path() string { return "/v1/fx-rates?date=" + f.day + "&currency=" + f.currency }

// check returns the error in an answer about the rate.
func (f fixing) check(body []byte) error {
	var got struct {
		Date  string
		Items []struct {
			Currency string
			Rate     json.Number
		}
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return err
	}
	if got.Date != f.day || len(got.Items) != 1 || got.Items[0].Currency != f.currency || got.Items[0].Rate != f.rate {
		return fmt.Errorf("got %s, want %+v", body, f)
	}

	return nil
}
