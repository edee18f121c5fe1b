package profile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

const sentStatement = `{"an":2024,"cui":9900000010,"deni":"EXEMPLU SRL","caen":6210,"den_caen":"Activități", "i":[{"indicator":"I13","val_indicator":5,"val_den_indicator":"Cifra de afaceri neta"}]}`

// sentBy fetches a statement from a tax authority that sends the given one.
func sentBy(t *testing.T, body string) func(context.Context, anaf.Filing) (*anaf.Statement, error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	client, err := anaf.NewClient(anaf.Options{URL: server.URL})
	testkit.NoError(t, err)

	return client.Statement
}

// taxRecords returns tax records with bulk statements of some years. Other statements come from fetch.
func taxRecords(t *testing.T, bulk []int, fetch func(context.Context, anaf.Filing) (*anaf.Statement, error),
	eInvoice func(context.Context, ro.CompanyDay) (*anaf.Record, error),
) *TaxRecords {
	t.Helper()
	c := openCache(t)
	store := bulkStore(t, bulk)
	sheets := NewSheets(c, func() *statements.Store { return store }, cache.Plain(fetch), slog.Default())
	r := NewRegister(c, DefaultLifetimes, cache.Plain(sentRecord), new(trade), sheets)
	t.Cleanup(r.Close)
	return NewTaxRecords(c, DefaultLifetimes, r, RegisterLoaders{anaf.EInvoices: cache.Plain(eInvoice)})
}

func raw(t *testing.T, answer op.Answer[company.Record], err error) string {
	t.Helper()
	testkit.NoError(t, err)

	text, err := answer.Value.Raw()
	testkit.NoError(t, err)

	return string(text)
}

func TestStatementRecordIsAsItWasSent(t *testing.T) {
	records := taxRecords(t, []int{2023}, sentBy(t, sentStatement), nil)
	for _, from := range []string{op.Miss, op.Hit} {
		answer, err := records.StatementRecord(t.Context(), known, 2024)
		if got := raw(t, answer, err); got != sentStatement || answer.Cache != from || answer.RetrievedAt.IsZero() {
			t.Errorf("%s: got %s, %+v", from, got, answer.Freshness)
		}
	}
}

func TestStatementRecordOfTheBulkStatements(t *testing.T) {
	records := taxRecords(t, []int{2023, 2025}, func(context.Context, anaf.Filing) (*anaf.Statement, error) {
		return nil, errors.New("not asked")
	}, nil)
	if _, err := records.register.Company(t.Context(), today(known)); err != nil {
		t.Fatal(err)
	}

	for year, activity := range map[int]string{2023: "", 2025: "Cultivarea altor plante din culturi nepermanente"} {
		answer, err := records.StatementRecord(t.Context(), known, year)
		text := raw(t, answer, err)
		prefix := fmt.Sprintf(`{"an":%d,"cui":9900000010,"deni":"EXEMPLU SRL","caen":119,"den_caen":%q,"i":[{"indicator":"I20","val_indicator":null,"val_den_indicator":"Numar mediu de salariati"},`, year, activity)
		if !strings.HasPrefix(text, prefix) || !strings.Contains(text, `"Pierdere  neta"`) || answer.Cache != op.Hit {
			t.Errorf("got %s, want %s", text, prefix)
		}

		var read struct{ I []struct{ Indicator string } }
		if err := json.Unmarshal([]byte(text), &read); err != nil || len(read.I) != 20 || read.I[19].Indicator != "I1" {
			t.Errorf("got %+v, %v", read, err)
		}
	}
}

func TestStatementRecordInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := taxRecords(t, nil, (&office{latency: time.Minute}).statement, nil)
		began := time.Now()
		_, err := records.StatementRecord(t.Context(), known, 2024)
		if f := new(op.Failure); !errors.As(err, &f) || f.Kind != op.TimedOut || time.Since(began) != recordPatience {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
	})
}

func TestEInvoiceRecord(t *testing.T) {
	asked := 0
	records := taxRecords(t, nil, (&office{}).statement,
		func(_ context.Context, of ro.CompanyDay) (*anaf.Record, error) {
			if asked++; of.CUI != known {
				return nil, op.ErrUnknown
			}
			return anaf.NewRecord([]byte(`{"cui":9900000010}`)), nil
		})
	for _, from := range []string{op.Miss, op.Hit} {
		answer, err := records.EInvoiceRecord(t.Context(), today(known))
		if got := raw(t, answer, err); got != `{"cui":9900000010}` || answer.Cache != from {
			t.Errorf("%s: got %s, %+v", from, got, answer.Freshness)
		}

		answer, err = records.EInvoiceRecord(t.Context(), today(unknown))
		if !errors.Is(err, op.ErrUnknown) || answer.Value != nil || answer.Cache != from ||
			answer.RetrievedAt.IsZero() {
			t.Errorf("%s: got %+v, %v", from, answer, err)
		}
	}

	if asked != 2 {
		t.Errorf("the registry was asked %d times", asked)
	}
}
