package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/siruta"
)

// maxWeight is the maximum size of a page in bytes: compressed, with the styles and scripts that it loads.
const maxWeight = 64 << 10

func TestWeight(t *testing.T) {
	s := newSite(t)
	for path, f := range s.files {
		if f.contentType != htmlType {
			continue
		}

		for l := range languages {
			s.checkWeight(t, path, l, f.bodies()[l])
		}
	}
}

// TestWeightOfLivePages weighs each kind of live page, filled.
func TestWeightOfLivePages(t *testing.T) {
	full := map[string]string{
		"/companies/{cui}":           "/companies/9900000010",
		"/companies/{cui}/status":    "/companies/9900000010/status?date=2020-12-05&knownAt=2021-02-01",
		"/companies/{cui}/history":   "/companies/9900000010/history",
		"/companies/{cui}/registers": "/companies/9900000010/registers",
		"/companies":                 "/companies?q=Cluj-Napoca",
		"/caen":                      "/caen",
		"/caen/{code}":               "/caen/G",
		"/places":                    "/places",
		"/places/{siruta}":           "/places/127",
		"/rates":                     "/rates",
		"/rates/{currency}":          "/rates/EUR?span=all&amount=100&day=2026-06-10",
	}
	s := fullSite(t)
	for _, p := range livePages {
		address, ok := full[p.pattern]
		if !ok {
			t.Errorf("no address of %s is weighed", p.pattern)
			continue
		}

		for l := range languages {
			w := get(s, address+separator(address)+"lang="+l.String())
			if w.Code != http.StatusOK {
				t.Fatalf("%s at %q: status %d", p.pattern, address, w.Code)
			}

			t.Logf("%s in %s: %d bytes", address, l, s.checkWeight(t, address, l, w.Body.Bytes()))
		}
	}
}

// checkWeight checks the size of everything that a browser loads for a page: the page, the styles, the scripts that
// its entry module imports, and the sentences of its language. It returns the size in bytes.
func (s *Site) checkWeight(t *testing.T, path string, l language, body []byte) int {
	t.Helper()
	loaded := make(map[string]int)
	for _, match := range asset.FindAllSubmatch(body, -1) {
		s.load(string(match[1]), l, loaded)
	}

	total := packed(body)
	for _, size := range loaded {
		total += size
	}
	if total > maxWeight || len(loaded) < 3 {
		t.Errorf("%s in %s weighs %d bytes compressed, of at most %d: %d, %v", path, l, total, maxWeight,
			packed(body), loaded)
	}

	return total
}

var asset = regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`)

// packedAssets are the sizes of assets, which many pages load.
var packedAssets = make(map[string]int)

// load adds the sizes of an asset and of the assets that it imports.
func (s *Site) load(path string, l language, loaded map[string]int) {
	if _, ok := loaded[path]; ok {
		return
	}

	body := s.files[path].bodies()[l]
	key := path + " " + l.String()
	if _, ok := packedAssets[key]; !ok {
		packedAssets[key] = packed(body)
	}

	loaded[path] = packedAssets[key]
	for _, match := range regexp.MustCompile(`(?:from|import) '\./([^']+)'`).FindAllSubmatch(body, -1) {
		s.load(path[:strings.LastIndex(path, "/")+1]+string(match[1]), l, loaded)
	}
}

// packed returns the size of a body after compression.
func packed(body []byte) int {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	w.Write(body)
	w.Close()
	return compressed.Len()
}

// fullSite returns a site over registries that answer every question.
func fullSite(t *testing.T) *Site {
	trade := newFakeTrade()
	trade.items = nil
	for i := range rowsOfPage {
		trade.items = append(trade.items, company.Summary{
			TaxID: new(ro.CUI(9900000010 + i)), Name: fmt.Sprintf("EXEMPLU %d PRESTĂRI SERVICII SRL", i),
			StateRegistration: company.InOperation,
			County:            new("CLUJ"), City: new("Cluj-Napoca"), TradeNumber: new(fmt.Sprintf("J12/%d/2012", i)),
			MainNACECode: new("6210"),
		})
	}

	profile := exampleProfile()
	profile.MainNACECode = new("6210")
	return liveSite(t, api.Registries{
		Companies:    oldCompany(profile),
		TaxRegisters: allRegisters{}, CompanyHistory: longHistory{}, Receipts: sameReceipt{},
		Trade: trade, Fixings: &fakeFixings{}, Classification: caen.Load(), Gazetteer: siruta.Load(),
	}, unlimited)
}

// oldCompany returns a company with statements of all years, whose figures differ, and with peers.
func oldCompany(profile *company.Company) *sector {
	n := func(n int) *int64 { return new(int64(n)) }
	s := newSector(400, company.BalanceSheet{CAENCode: new("6210")})
	s.profile, s.sheets = profile, nil
	for year := company.LastFiledYear(); year >= company.FirstFiledYear; year-- {
		s.sheets = append(s.sheets, company.BalanceSheet{Year: year, Form: company.SmallForm, CAENCode: new("6210"),
			Turnover: n(year * 12345), NetResult: n((year*12345)%1e6 - 5e5), Employees: n(year % 37),
			Equity: n((year * 98765) % 1e7), Debts: n((year * 54321) % 1e7)})
	}

	return s
}

// allRegisters have an entry for each company.
type allRegisters struct{}

func (allRegisters) Registers(_ context.Context, companies []ro.CompanyDay,
	_ time.Duration) []op.Answer[*company.Registers] {
	answers := make([]op.Answer[*company.Registers], len(companies))
	for i := range answers {
		entry := company.RegisterEntry{Registered: new(true), From: on("2019-01-01"),
			To: on("2024-06-30")}
		answers[i].Value = &company.Registers{Farmers: entry, NonProfits: entry}
	}
	return answers
}

// longHistory has more facts than a page shows.
type longHistory struct{}

func (longHistory) Supplier(context.Context, company.Found, ro.CUI, ro.Date, ro.Date) (company.Supplier, error) {
	return company.Supplier{TaxErr: op.ErrUnknown}, nil
}

func (longHistory) Status(_ context.Context, cui ro.CUI, day,
	knownAt ro.Date) (op.Answer[*company.Status], error) {
	known := company.StatusOnDay{Value: new(true), From: on("2012-03-05"), To: on("2020-12-02"),
		EnteredOn: on("2020-12-29"), Reason: new("Anulare (exemplu)")}
	all := company.StatusesOnDay{VATPayer: known, VATOnCollection: known, VATSplit: known, Inactive: known,
		EInvoice: known}
	status := &company.Status{
		TaxID: cui, Name: "EXEMPLU CLUJ SRL", Date: day, KnownAt: &knownAt, StatusesOnDay: all, Now: &all,
		ChangedRetroactively: new(true),
		Sources:              exampleProfile().Sources, Record: longHistory{},
	}
	return op.Answer[*company.Status]{Value: status}, nil
}

func (longHistory) Facts(context.Context, ro.CUI) (facts []company.Fact, _ []company.Source, _ op.Freshness,
	_ error) {
	at := time.Now().UTC().Truncate(time.Second)
	for i := range 300 {
		facts = append(facts, company.Fact{
			Field: "name", Value: company.FactValue{Text: fmt.Sprintf("EXEMPLU %d SRL", i)},
			LearnedAt: new(at.AddDate(0, 0, -i)), Source: anaf,
		})
	}

	return facts, exampleProfile().Sources, op.Freshness{}, nil
}

// Raw implements company.Record, so that the history is also the record behind its statuses.
func (longHistory) Raw() ([]byte, error) { return []byte("{}"), nil }

// sameReceipt issues the same receipt for every statement.
type sameReceipt struct{ proof.Receipts }

func (sameReceipt) Salt(context.Context, []byte) string { return "0123456789abcdef0123456789abcdef" }

func (sameReceipt) Certify(context.Context, proof.Statement) (proof.ReceiptID, op.Renderer, error) {
	return "rcp_abcdefghijklmnopqrstuvwxyz", nil, nil
}
