package blackbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// The Go client decodes every answer without losing a member: encoding it again gives the gateway's JSON.
func losesNothing(t *testing.T, c *client.Client) {
	testkit.NoError(t, c.Watch(t.Context(), client.DefaultWatchlist, "9900000010", "S-1"))

	for path, value := range map[string]any{
		"/v1/companies/9900000010":                                           &client.Company{},
		"/v1/companies/9900000010?include=balanceSheets,registers":           &client.Company{},
		"/v1/companies/9900000010?include=insolvency,legalRepresentatives":   &client.Company{},
		"/v1/companies/9900000010?date=2026-06-10":                           &client.Company{},
		"/v1/companies?q=exemplu&vatPayer=true":                              &client.CompanyPage{},
		"/v1/companies/9900000010/status?knownAt=2026-06-12":                 &client.CompanyStatus{},
		"/v1/fx-rates?date=2026-06-10":                                       &client.DayRates{},
		"/v1/fx-rates?date=2026-06-10&currency=EUR,XDR":                      &client.DayRates{},
		"/v1/fx-rates/history?currency=EUR&from=2026-06-01&to=2026-06-10":    &client.RateHistory{},
		"/v1/fx-rates/convert?amount=100.10&from=EUR&to=USD&date=2026-06-10": &client.Conversion{},
		"/v1/caen-codes/6210":                                                &client.CAENDetails{},
		"/v1/caen-codes?q=coafor":                                            &client.CAENPage{},
		"/v1/counties":                                                       &client.CountyPage{},
		"/v1/vat-numbers/DE811569869":                                        &client.VATCheck{},
		"/v1/usage":                                                          &client.Usage{},
		"/v1/watchlists":                                                     &[]client.Watchlist{},
		"/v1/watchlists/default/companies":                                   &client.WatchedPage{},
		"/v1/events":                                                         &client.EventPage{},
		"/v1/jobs":                                                           &[]client.Job{},
	} {
		path, query, _ := strings.Cut(path, "?")
		var sent json.RawMessage
		if err := c.Get(t.Context(), path, values(t, query), &sent); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := json.Unmarshal(sent, value); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}

		again, err := json.Marshal(value)
		if err != nil || !reflect.DeepEqual(exact(t, sent), exact(t, again)) {
			t.Errorf("%s: %v\n%s\nis read as\n%s", path, err, sent, again)
		}
	}
}

func TestGoClient(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 1000), withTradeRegister(t))
	g.loaded(t)
	c, err := client.New(client.Options{URL: g.url, Key: w.key})
	testkit.NoError(t, err)

	t.Run("loses nothing", func(t *testing.T) { losesNothing(t, c) })
	t.Run("runs jobs", func(t *testing.T) { runsJobs(t, c) })
}

func values(t *testing.T, query string) map[string][]string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+query, nil)
	testkit.NoError(t, err)

	return r.URL.Query()
}

// exact decodes a JSON text, keeping its numbers as written.
func exact(t *testing.T, text []byte) (value any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	testkit.NoError(t, dec.Decode(&value))

	return value
}

// The Go client looks up lists, watches companies, and runs jobs through a real gateway.
func runsJobs(t *testing.T, c *client.Client) {
	var summary client.BatchSummary
	list := client.Batch{Items: []client.BatchQuery{{TaxID: "RO 9900000010", Reference: "S-1"}, {TaxID: "123"}},
		InOrder: true, Summary: &summary}
	var got []string
	for item, err := range c.Batch(t.Context(), list) {
		testkit.NoError(t, err)
		got = append(got, fmt.Sprintf("%d %d %s", item.Index, item.Status, item.Reference))
	}

	if fmt.Sprintf("%q", got) != `["0 200 S-1" "1 400 "]` || summary.Found != 1 || summary.CreditsCost != 1 ||
		summary.CreditsRemaining == nil {
		t.Errorf("got %v, %+v", got, summary)
	}

	var unknown *client.Problem
	if _, err := c.Company(t.Context(), "9900009990", client.CompanyOptions{}); !errors.As(err, &unknown) ||
		unknown.Code != client.CodeNotFound {
		t.Errorf("got %v", err)
	}

	numbers := client.VATBatch{VATNumbers: []string{"DE 811569869", "XX1"}, InOrder: true}
	var statuses []int
	for item, err := range c.CheckVATNumbers(t.Context(), numbers) {
		testkit.NoError(t, err)
		statuses = append(statuses, item.Status)
	}

	if fmt.Sprint(statuses) != "[200 400]" {
		t.Errorf("got %v", statuses)
	}

	job, err := c.CreateJob(t.Context(),
		client.JobFile{Data: []byte("cui\n9900000010\n"), Type: client.CSVFile, Fields: []string{"name"}})
	testkit.NoError(t, err)

	for now, err := range c.FollowJob(t.Context(), job.ID) {
		testkit.NoError(t, err)
		job = now
	}

	result, err := c.JobResult(t.Context(), job.ID, "csv")
	testkit.NoError(t, err)
	defer result.Close()

	text, err := io.ReadAll(result)
	want := "cui,status,problem,asOf,name\r\n9900000010,200,," + ro.Today().String() + ",EXEMPLU TRANSILVAN S.R.L.\r\n"
	if err != nil || string(text) != want {
		t.Errorf("got %q, %v", text, err)
	}
}
