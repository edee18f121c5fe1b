package profile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// countingRegister answers in batches, and counts them.
type countingRegister struct {
	mu    sync.Mutex
	sizes []int
	err   error
	// record returns the record of a company on a day; "" for none.
	record func(ro.CompanyDay) string
}

func (r *countingRegister) ask(_ context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
	r.mu.Lock()
	r.sizes = append(r.sizes, len(companies))
	err := r.err
	r.mu.Unlock()
	<-time.After(300 * time.Millisecond)
	if err != nil {
		return nil, err
	}

	results := make(map[ro.CompanyDay]anaf.Result, len(companies))
	for _, company := range companies {
		if text := r.record(company); text != "" {
			results[company] = anaf.Result{Record: anaf.NewRecord([]byte(text))}
		} else {
			results[company] = anaf.Result{Err: op.ErrUnknown}
		}
	}

	return results, nil
}

// fail makes every call fail from now on, or succeed again.
func (r *countingRegister) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

func (r *countingRegister) calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.sizes)
}

// smallRegisters has all smaller registers. Each company is a farmer since 2019, not a non-profit, and with one
// exception in RO e-Factura since 2022.
type smallRegisters map[*anaf.SmallRegister]*countingRegister

func newSmallRegisters() smallRegisters {
	from2019 := ro.NewDate(2019, time.January, 1)
	return smallRegisters{
		anaf.Farmers: {record: func(c ro.CompanyDay) string {
			return fmt.Sprintf(`{"cui":%d,"dataInceputRegAgric":"2019-01-01","statusRegAgric":%t}`, c.CUI, c.Day == 0 ||
				c.Day >= from2019)
		}},
		anaf.NonProfits: {record: func(c ro.CompanyDay) string {
			return fmt.Sprintf(`{"cui":%d,"dataInceputRegCult":"","statusRegCult":false}`, c.CUI)
		}},
		anaf.EInvoices: {record: func(c ro.CompanyDay) string {
			if c.CUI == unknown {
				return ""
			}
			return `{"registru":"Registrul RO e-Factura","dataInscriere":"2022-07-01"}`
		}},
	}
}

// ofRegisters runs a test with registers that are called as in the gateway: they take turns with the lookup, and a call
// contains all waiting companies.
func ofRegisters(t *testing.T, test func(t *testing.T, r smallRegisters, records *TaxRecords)) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)))
		c := openCache(t)
		lookup := ration.NewLookup(func(context.Context, []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
			return nil, errors.New("nobody asks")
		}, ration.LookupOptions{})
		defer lookup.Close()

		r := newSmallRegisters()
		register := NewRegister(c, DefaultLifetimes, cache.Plain(sentRecord), new(trade), nil)
		defer register.Close()
		load := RegisterLoaders{}
		for of, counted := range r {
			load[of] = ration.NewBatchLookup(lookup, of.MaxBatch, counted.ask).Record
		}

		records := NewTaxRecords(c, DefaultLifetimes, register, load)
		defer records.Close()
		test(t, r, records)
	})
}

// line formats an answer on one line.
func line(t *testing.T, a op.Answer[*company.Registers]) string {
	t.Helper()
	text := fmt.Sprintf("%s %s %s %s", shown(a.Value.Farmers.Registered), shown(a.Value.NonProfits.Registered),
		shown(a.Value.EInvoice.Registered), a.Cache)
	for _, s := range a.Value.Sources {
		text += fmt.Sprintf(", %s %s", strings.TrimPrefix(s.Name, "anaf-"), s.Cache)
		if s.AsOf != nil {
			text += " " + s.AsOf.String()
		}
		if s.Stale {
			text += " stale"
		}
		if (s.RetrievedAt == nil) != (s.AsOf == nil) {
			t.Errorf("the source is incomplete: %+v", s)
		}
	}

	return text
}

func of(t *testing.T, records *TaxRecords, asked ro.CompanyDay) string {
	t.Helper()
	return line(t, records.Registers(t.Context(), []ro.CompanyDay{asked}, recordPatience)[0])
}

func TestRegistersAreThreeValued(t *testing.T) {
	ofRegisters(t, func(t *testing.T, r smallRegisters, records *TaxRecords) {
		day := ro.Today().String()
		r[anaf.NonProfits].fail(&op.Failure{Registry: "anaf", Kind: op.Broken, Err: errors.New("a reset")})
		for n, want := range []string{
			"true null true MISS, farmers MISS " + day + ", nonprofits MISS, efactura MISS " + day,
			"true null true MISS, farmers HIT " + day + ", nonprofits MISS, efactura HIT " + day,
		} {
			if got := of(t, records, today(known)); got != want {
				t.Errorf("look %d: got  %s\nwant %s", n, got, want)
			}
		}

		r[anaf.NonProfits].fail(nil)
		want := "true false true MISS, farmers HIT " + day + ", nonprofits MISS " + day + ", efactura HIT " + day
		if got := of(t, records, today(known)); got != want {
			t.Errorf("after the register is back: got  %s\nwant %s", got, want)
		}

		want = "true false false MISS, farmers MISS " + day + ", nonprofits MISS " + day + ", efactura MISS " + day
		if got := of(t, records, today(unknown)); got != want {
			t.Errorf("not in RO e-Factura: got  %s\nwant %s", got, want)
		}

		want = strings.ReplaceAll(want, "MISS", "HIT")
		if got := of(t, records, today(unknown)); got != want {
			t.Errorf("remembered: got  %s\nwant %s", got, want)
		}
		if n := r[anaf.Farmers].calls(); n != 2 {
			t.Errorf("asked the farmers %d times", n)
		}
	})
}

func TestRegistersOfADayInThePast(t *testing.T) {
	ofRegisters(t, func(t *testing.T, r smallRegisters, records *TaxRecords) {
		past := ro.CompanyDay{CUI: known, Day: ro.NewDate(2018, time.June, 30)}
		want := "false false false MISS, farmers MISS 2018-06-30, nonprofits MISS 2018-06-30, efactura MISS 2018-06-30"
		if got := of(t, records, past); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if got := of(t, records, past); got != strings.ReplaceAll(want, "MISS", "HIT") {
			t.Errorf("again: got %s", got)
		}
		if got := of(t, records, today(known)); !strings.HasPrefix(got, "true false true MISS") {
			t.Errorf("today: got %s", got)
		}
	})
}

// A register's answer is served after the register has failed, and marked as stale.
func TestStaleRegisters(t *testing.T) {
	ofRegisters(t, func(t *testing.T, r smallRegisters, records *TaxRecords) {
		of(t, records, today(known))
		day := ro.Today().String()
		<-time.After(3 * 24 * time.Hour)
		r[anaf.Farmers].fail(&op.Failure{Registry: "anaf", Kind: op.Broken, Err: errors.New("a page")})
		if got := of(t, records, today(known)); !strings.HasPrefix(got,
			"true false true MISS, farmers HIT "+day+" stale, ") {
			t.Errorf("got %s", got)
		}
	})
}

// A thousand companies take fourteen calls: two of five hundred to each of two registers, and ten of a hundred.
func TestRegistersOfAThousandCompaniesTakeFewCalls(t *testing.T) {
	ofRegisters(t, func(t *testing.T, r smallRegisters, records *TaxRecords) {
		companies := make([]ro.CompanyDay, 1000)
		for i := range companies {
			companies[i] = today(ro.CUI(9_900_100_000 + i))
		}

		for _, c := range []struct {
			name string
			most time.Duration
		}{{"asked", 20 * time.Second}, {"stored", 0}} {
			began := time.Now()
			for i, answer := range records.Registers(t.Context(), companies, 25*time.Second) {
				if got := line(t, answer); !strings.HasPrefix(got, "true false true") {
					t.Fatalf("%s: company %d: %s", c.name, i, got)
				}
			}

			if took := time.Since(began); took > c.most {
				t.Errorf("%s: took %s, want at most %s", c.name, took, c.most)
			} else {
				t.Logf("%s: took %s", c.name, took)
			}
		}

		for of, want := range map[*anaf.SmallRegister]int{anaf.Farmers: 2, anaf.NonProfits: 2, anaf.EInvoices: 10} {
			if n := r[of].calls(); n != want {
				t.Errorf("%s: %d calls, want %d", of.Source, n, want)
			}
		}
	})
}

// Entries that are not known in time are null, but are still fetched.
func TestRegistersInTime(t *testing.T) {
	ofRegisters(t, func(t *testing.T, r smallRegisters, records *TaxRecords) {
		companies := make([]ro.CompanyDay, 1000) // more than lists may request concurrently
		for i := range companies {
			companies[i] = today(ro.CUI(9_900_100_000 + i))
		}

		began, missing := time.Now(), 0
		for _, answer := range records.Registers(t.Context(), companies, 2*time.Second) {
			if answer.Value.EInvoice.Registered == nil {
				missing++
				if answer.MaxAge != 0 || answer.Value.EInvoice.Entries != nil {
					t.Errorf("an answer with missing entries may be kept for %s: %+v", answer.MaxAge,
						answer.Value.EInvoice)
				}
			}
		}

		if took := time.Since(began); took != 2*time.Second || missing == 0 {
			t.Errorf("took %s, %d are missing", took, missing)
		}

		<-time.After(time.Minute)
		synctest.Wait()
		calls := r[anaf.EInvoices].calls()
		for _, answer := range records.Registers(t.Context(), companies, time.Second) {
			if answer.Cache != op.Hit || answer.Value.EInvoice.Registered == nil {
				t.Fatalf("a minute later: %s", line(t, answer))
			}
		}

		if r[anaf.EInvoices].calls() != calls {
			t.Error("the entry was requested again")
		}
	})
}

func TestForgottenRegistersAreAskedAgain(t *testing.T) {
	ofRegisters(t, func(t *testing.T, r smallRegisters, records *TaxRecords) {
		for n, forget := range []func() error{
			func() error { return nil },
			func() error { return records.Forget(t.Context(), known) },
			func() error { return records.Drop(known) },
		} {
			of(t, records, today(known))
			testkit.NoError(t, forget())

			of(t, records, today(known))
			if f, e := r[anaf.Farmers].calls(), r[anaf.EInvoices].calls(); f != n+1 || e != n+1 {
				t.Errorf("step %d: asked %d and %d times", n, f, e)
			}
		}
	})
}

func TestRegistersAsJSON(t *testing.T) {
	ofRegisters(t, func(t *testing.T, _ smallRegisters, records *TaxRecords) {
		answer := records.Registers(t.Context(), []ro.CompanyDay{today(known)}, recordPatience)[0]
		want := `{"farmers":{"registered":true,"from":"2019-01-01","to":null},"nonProfits":{"registered":false,"from":null,"to":null},` +
			`"eInvoice":{"registered":true,"from":"2022-07-01","to":null,"entries":[{"register":"Registrul RO e-Factura","category":null,"state":null,"registeredOn":"2022-07-01","renouncedOn":null,"struckOffOn":null,"b2gOptionOn":null}]}}`
		if got, err := json.Marshal(answer.Value); err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	})
}

// BenchmarkStoredRegisters measures the registers of a thousand stored companies.
func BenchmarkStoredRegisters(b *testing.B) {
	c := openCache(b)

	r := newSmallRegisters()
	load := RegisterLoaders{}
	for of, from := range r {
		load[of] = cache.Plain(func(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
			return anaf.NewRecord([]byte(from.record(asked))), nil
		})
	}

	records := NewTaxRecords(c, DefaultLifetimes, nil, load)
	companies := make([]ro.CompanyDay, 1000)
	for i := range companies {
		companies[i] = today(ro.CUI(9_900_100_000 + i))
	}

	records.Registers(b.Context(), companies, time.Minute)
	b.ReportAllocs()
	for b.Loop() {
		for _, answer := range records.Registers(b.Context(), companies, time.Minute) {
			if answer.Cache != op.Hit {
				b.Fatal("not stored")
			}
		}
	}
}

// A panic fails one record only.
func TestRegisterSurvivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openCache(t)
		of := &anaf.SmallRegister{Source: "anaf-farmers", MaxBatch: 1,
			Entry: func(*anaf.Record, ro.Date) (company.EInvoiceEntry, error) { panic("a mistake of ours") }}
		r := newSmallRegister(c, DefaultLifetimes, of, cache.Plain(sentRecord))
		defer r.later.end()
		var fetches sync.WaitGroup
		answers := r.requestAll(t.Context(), []ro.CompanyDay{today(invented.CUI(1))}, &fetches)
		fetches.Wait()
		if a := answers[0]; a.err == nil || a.source.Name != "anaf-farmers" {
			t.Errorf("got %+v", a)
		}
	})
}
