package profile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/anaf"
)

const (
	known   ro.CUI = 9900000010
	unknown ro.CUI = 9900000029
)

// today returns a company as of today.
func today(cui ro.CUI) ro.CompanyDay { return ro.CompanyDay{CUI: cui} }

func allToday(cuis []ro.CUI) []ro.CompanyDay {
	companies := make([]ro.CompanyDay, len(cuis))
	for i, cui := range cuis {
		companies[i] = today(cui)
	}
	return companies
}

// authority is a register that counts its requests.
type authority struct {
	mu    sync.Mutex // companies may be fetched concurrently
	asked int
	err   error
	// general has further members of the known company's general data, such as `,"cod_CAEN":"6210"`.
	general string
}

func (a *authority) profile(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
	a.mu.Lock()
	a.asked++
	a.mu.Unlock()
	switch {
	case a.err != nil:
		return nil, a.err
	case asked.CUI != known:
		return nil, op.ErrUnknown
	}

	return anaf.NewRecord(fmt.Appendf(nil, `{"date_generale":{"cui":%d,"denumire":"EXEMPLU ȘTIINȚĂ SRL"%s},
		"inregistrare_scop_Tva":{"scpTVA":true,"perioade_TVA":[{"data_inceput_ScpTVA":"2020-01-02"}]},
		"stare_inactiv":{"statusInactivi":false}}`, asked.CUI, a.general)), nil
}

// recordOf returns the record of an invented company.
func recordOf(cui ro.CUI) *anaf.Record {
	return anaf.NewRecord(fmt.Appendf(nil, `{"date_generale":{"cui":%d,"denumire":"EXEMPLU SRL"}}`, cui))
}

// within runs a test on a fake clock, with a register in front of an authority.
func within(t *testing.T, test func(*testing.T, *Register, *authority)) {
	synctest.Test(t, func(t *testing.T) {
		a := new(authority)
		test(t, serving(t, a.profile), a)
		synctest.Wait()
	})
}

type body struct {
	TaxID   int64
	Name    string
	Sources []struct {
		Name, Cache, AsOf, RetrievedAt string
		Stale                          bool
	}
}

func read(t *testing.T, answer op.Answer[*company.Company]) body {
	t.Helper()
	var b body
	testkit.NoError(t, json.Unmarshal(answer.Document.JSON, &b))
	if len(b.Sources) != 1 || b.Sources[0].Name != "anaf" {
		t.Fatalf("sources: %+v", b.Sources)
	}

	return b
}

func TestMissThenHit(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		first, err := r.Company(t.Context(), today(known))
		testkit.NoError(t, err)

		second, err := r.Company(t.Context(), today(known))
		testkit.NoError(t, err)
		if first.Cache != op.Miss || read(t, first).Sources[0].Cache != op.Miss {
			t.Error("the first call is not a MISS")
		}
		if second.Cache != op.Hit || read(t, second).Sources[0].Cache != op.Hit || a.asked != 1 {
			t.Errorf("the second call is not a HIT; the authority was asked %d times", a.asked)
		}
		if first.Document.ETag() != second.Document.ETag() {
			t.Errorf("one state of a company has two tags: %s, %s", first.Document.ETag(), second.Document.ETag())
		}

		third, _ := r.Company(t.Context(), today(known))
		if third.Document != second.Document {
			t.Error("a hit was encoded again")
		}
		if b := read(t, second); b.TaxID != int64(known) || b.Name != "EXEMPLU ȘTIINȚĂ SRL" ||
			b.Sources[0].AsOf != "2000-01-01" {
			t.Errorf("%+v", b)
		}
	})
}

// The document of an answer is the encoding of its value, whatever the answer comes from.
func TestDocumentEncodesTheValue(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		for name, asked := range map[string]ro.CompanyDay{
			"today": today(known), "today's day": {CUI: known, Day: ro.Today()},
			"a past day": {CUI: known, Day: ro.Today() - 9},
		} {
			for _, cached := range []string{op.Miss, op.Hit} {
				answer, err := r.Company(t.Context(), asked)
				testkit.NoError(t, err)
				want := testkit.Must(op.EncodeDocument(answer.Value)).JSON
				if got := answer.Document.JSON; string(got) != string(want) {
					t.Errorf("%s (%s): the document is\n%s, and the value\n%s", name, cached, got, want)
				}
			}
		}
	})
}

func TestStaleCopyOutlivesTheAuthority(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		if _, err := r.Company(t.Context(), today(known)); err != nil {
			t.Fatal(err)
		}

		a.err = &op.Failure{Registry: "anaf", Kind: op.Broken, Err: errors.New("page of a firewall")}
		<-time.After(20 * 24 * time.Hour)
		answer, err := r.Company(t.Context(), today(known))
		testkit.NoError(t, err)
		if b := read(t, answer); answer.Cache != op.Hit || !b.Sources[0].Stale || b.Sources[0].AsOf != "2000-01-01" {
			t.Errorf("after 20 days of failure: %s, %+v", answer.Cache, b.Sources)
		}

		<-time.After(20 * 24 * time.Hour)
		if _, err := r.Company(t.Context(), today(known)); !errors.Is(err, a.err) {
			t.Errorf("after 40 days of failure: %v", err)
		}
	})
}

func TestUnknownIsRemembered(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		start := time.Now()
		for range 3 {
			answer, err := r.Company(t.Context(), today(unknown))
			if !errors.Is(err, op.ErrUnknown) || !answer.RetrievedAt.Equal(start) || !answer.FreshUntil.After(start) {
				t.Errorf("%v, retrieved at %s, fresh until %s", err, answer.RetrievedAt, answer.FreshUntil)
			}

			<-time.After(time.Minute)
		}

		if a.asked != 1 {
			t.Errorf("the registry was asked %d times for an unknown number", a.asked)
		}
	})
}

func TestForget(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		for range 2 {
			if answer, err := r.Company(t.Context(), today(known)); err != nil || answer.Cache != op.Miss {
				t.Fatalf("%s, %v", answer.Cache, err)
			}
			testkit.NoError(t, r.Forget(t.Context(), known))
		}
	})
}

func TestFetchKnowsOnWhoseBehalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller := account.Caller{Address: netip.MustParseAddr("192.0.2.7")}
		r := serving(t, func(ctx context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
			if got := op.CallerOf(ctx); got != caller {
				t.Errorf("the caller of the request is %+v", got)
			}
			return recordOf(asked.CUI), nil
		})
		if _, err := r.Company(op.WithCaller(t.Context(), caller), today(known)); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkHit(b *testing.B) {
	r := serving(b, new(authority).profile)
	if _, err := r.Company(b.Context(), today(known)); err != nil {
		b.Fatal(err)
	}

	b.ReportAllocs()
	for b.Loop() {
		if answer, err := r.Company(b.Context(), today(known)); err != nil || answer.Cache != op.Hit {
			b.Fatal(answer.Cache, err)
		}
	}
}

// serving returns a register in front of a tax authority, for the duration of a test.
func serving(t testing.TB, fetch func(context.Context, ro.CompanyDay) (*anaf.Record, error)) *Register {
	r := NewRegister(openCache(t), DefaultLifetimes, cache.Plain(fetch), new(trade), nil)
	t.Cleanup(r.Close)
	return r
}

// openCache returns an empty cache in memory.
func openCache(t testing.TB) *cache.Cache {
	c := testkit.Must(cache.Open(cache.Options{}))
	testkit.CloseAfter(t, c)
	return c
}
