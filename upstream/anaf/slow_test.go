package anaf

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream"
)

// slow is the tax authority on a fake clock: each answer takes a time and has a record for each company.
type slow time.Duration

// Do implements upstream.Doer.
func (takes slow) Do(_ context.Context, r upstream.Request) (*upstream.Response, error) {
	var asked []question
	if err := json.Unmarshal(r.Body, &asked); err != nil {
		return nil, err
	}

	var records []map[string]any
	for _, q := range asked {
		record := companyRecord(q.CUI, patch{"date_generale.data", q.Date})
		record["cui"], record["statusRegAgric"], record["statusRegCult"] = q.CUI, false, false
		records = append(records, record)
	}

	<-time.After(time.Duration(takes))
	return &upstream.Response{Status: 200, Body: []byte(found(records))}, nil
}

// TestACallTakesTheRegistersTime verifies that no register's records come later than its answer.
func TestACallTakesTheRegistersTime(t *testing.T) {
	for _, takes := range []time.Duration{time.Second, 4 * time.Second, 6500 * time.Millisecond} {
		c := &Client{upstream: slow(takes)}
		calls := map[string]Fetch{"taxpayers": c.Profiles}
		for _, r := range SmallRegisters {
			calls[r.Source] = c.Entries(r)
		}

		for name, call := range calls {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var companies []ro.CompanyDay
					for i := range MaxBatch {
						companies = append(companies, today(invented.CUI(i+1)))
					}

					began := time.Now()
					results, err := call(t.Context(), companies)
					if err != nil || len(results) != MaxBatch {
						t.Fatal(len(results), err)
					}
					if took := time.Since(began); took != takes {
						t.Errorf("took %s, the register %s", took, takes)
					}
				})
			})
		}
	}
}
