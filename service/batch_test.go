package service

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/anaf"
)

// everyCompany is a register that knows every number.
func everyCompany(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
	address := strings.Repeat("Strada Exemplului, ", 50)
	return anaf.NewRecord(fmt.Appendf(nil, `{"date_generale":{"cui":%d,"denumire":"EXEMPLU SRL",
		"stare_inregistrare":"INREGISTRAT","adresa":%q}}`, asked.CUI, address)), nil
}

// BenchmarkBatch measures our own part of a thousand stored companies: at most 10 ms.
func BenchmarkBatch(b *testing.B) {
	s := newService(b, everyCompany)
	s.serve(b, api.Registries{Companies: s.companies, Batch: company.BatchLimits{Keyed: 1000, Anonymous: 1000}})
	var cuis []string
	for _, cui := range invented.CUIs(100, 1000) {
		cuis = append(cuis, cui.String())
	}

	list := []byte(`{"taxIds":[` + strings.Join(cuis, ",") + `]}`)
	for _, form := range []string{"application/json", "application/x-ndjson"} {
		b.Run(form, func(b *testing.B) {
			w := &countingWriter{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				r := httptest.NewRequest("POST", "/v1/companies/batch", bytes.NewReader(list))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", form)
				s.ServeHTTP(w, r)
			}

			if w.found != 1000*b.N {
				b.Errorf("%d companies in %d answers", w.found, b.N)
			}
		})
	}
}

// countingWriter counts the companies found.
type countingWriter struct {
	header http.Header
	found  int
}

func (w *countingWriter) Header() http.Header { return w.header }
func (w *countingWriter) WriteHeader(int)     {}
func (w *countingWriter) Flush()              {}
func (w *countingWriter) Write(p []byte) (int, error) {
	w.found += bytes.Count(p, []byte(`"status":200`))
	return len(p), nil
}
