package company

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/caen"
)

// recordPatience is the maximum time that a caller waits for a record. Fetches in progress continue without the caller.
const recordPatience = anaf.Deadline

// TaxRecords has the tax authority's other records: see [api.TaxRecords] and [api.TaxRegisters].
type TaxRecords struct {
	register            *Register
	eInvoices           *taxRegister[api.EInvoiceEntry]
	farmers, nonProfits *taxRegister[api.RegisterEntry]
}

// NewTaxRecords puts the cache in front of the registers. Statements come from the sheets of the register of companies.
func NewTaxRecords(c *cache.Cache, life Lifetimes, r *Register, load RegisterLoaders) *TaxRecords {
	return &TaxRecords{
		register:  r,
		eInvoices: newTaxRegister(c, life, "anaf-efactura", "efactura", anaf.MaxBatch, load.EInvoices, readEInvoice),
		farmers:   newTaxRegister(c, life, "anaf-farmers", "farmers", anaf.MaxEntries, load.Farmers, readEnrolment),
		nonProfits: newTaxRegister(c, life, "anaf-nonprofits", "nonprofits", anaf.MaxEntries, load.NonProfits,
			readEnrolment),
	}
}

// EInvoiceRecord implements [api.TaxRecords].
func (t *TaxRecords) EInvoiceRecord(ctx context.Context, asked api.CompanyDay) (api.Answer[api.Record], error) {
	found, err := t.eInvoices.patiently(ctx, asked)
	return answerOf(&found, found.Value), err
}

// StatementRecord implements [api.TaxRecords]. Stored statements come first, then the bulk statements, then a
// request to the tax authority.
func (t *TaxRecords) StatementRecord(ctx context.Context, cui api.CUI, year int) (api.Answer[api.Record], error) {
	sheets, filing := t.register.sheets, anaf.Filing{CUI: cui, Year: year}
	found, stored := sheets.stored(ctx, filing)
	if stored {
		return answerOf(&found, found.Value.Record()), nil
	}
	if sheet, ok := sheets.inBulk(filing); ok {
		return t.written(filing, sheet)
	}

	found, err := patiently(ctx, sheets.facts(year), filing)
	if err != nil {
		return api.Answer[api.Record]{}, err
	}

	return answerOf(&found, found.Value.Record()), nil
}

// patiently looks up a record, and waits for it as long as a caller may.
func patiently[K comparable, V any](ctx context.Context, facts *cache.Facts[K, V], key K) (cache.Found[V], error) {
	patient, cancel := context.WithTimeoutCause(ctx, recordPatience, cache.ErrUnattended)
	defer cancel()
	found, err := facts.Get(patient, key)
	if err != nil && errors.Is(err, patient.Err()) && ctx.Err() == nil {
		err = &api.Failure{Registry: taxAuthority, Kind: api.TimedOut,
			Err: fmt.Errorf("waiting for the record of %v: %w", key, err)}
	}

	return found, err
}

// answerOf returns the answer with a record, which may be nil.
func answerOf[V any](found *cache.Found[V], record *anaf.Record) api.Answer[api.Record] {
	answer := api.Answer[api.Record]{Freshness: api.Freshness{
		Cache: api.Miss, RetrievedAt: found.RetrievedAt, FreshUntil: found.FreshUntil, MaxAge: clientMaxAge,
	}}
	if found.Hit {
		answer.Cache = api.Hit
	}
	if record != nil {
		answer.Value = record
	}

	return answer
}

// written composes the record of a bulk statement, in the tax authority's wording.
func (t *TaxRecords) written(filing anaf.Filing, sheet api.BalanceSheet) (api.Answer[api.Record], error) {
	type indicator struct {
		Code  string `json:"indicator"`
		Value *int64 `json:"val_indicator"`
		Label string `json:"val_den_indicator"`
	}

	statement := struct {
		Year     int         `json:"an"`
		CUI      api.CUI     `json:"cui"`
		Name     string      `json:"deni"`
		CAEN     *int        `json:"caen"`
		Activity string      `json:"den_caen"`
		Items    []indicator `json:"i"`
	}{Year: filing.Year, CUI: filing.CUI, Items: []indicator{}}
	statement.Name = cmp.Or(t.register.taxName(filing.CUI), t.register.tradeName(filing.CUI))

	if sheet.CAENCode != nil {
		if code, err := strconv.Atoi(*sheet.CAENCode); err == nil { // 0119 is written as 119
			statement.CAEN = &code
		}
		statement.Activity = activity(filing.Year, *sheet.CAENCode)
	}

	for _, i := range slices.Backward(sheet.Indicators) { // the highest code first
		statement.Items = append(statement.Items, indicator{i.Code, i.Value, cmp.Or(sentLabels[i.Label], i.Label)})
	}

	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(statement); err != nil {
		return api.Answer[api.Record]{}, fmt.Errorf("writing the statement %s: %w", filing, err)
	}

	fresh := api.Freshness{Cache: api.Hit, MaxAge: clientMaxAge}
	return api.Answer[api.Record]{Value: written(bytes.TrimSpace(text.Bytes())), Freshness: fresh}, nil
}

// sentLabels are the labels that have stray spaces in the tax authority's answers.
var sentLabels = map[string]string{
	"ACTIVE IMOBILIZATE - TOTAL": "ACTIVE IMOBILIZATE - TOTAL ", "DATORII": "DATORII ",
	"Pierdere neta": "Pierdere  neta",
}

// written is a record that was composed rather than received.
type written []byte

func (w written) Raw() ([]byte, error) { return bytes.Clone(w), nil }

// rev3 is the first year in which statements use codes of CAEN Rev.3.
const rev3 = 2025

// activity returns the name of a CAEN class. It is empty for a class of an earlier revision.
func activity(year int, code string) string {
	var class api.CAENCode
	if year < rev3 || class.UnmarshalText([]byte(code)) != nil {
		return ""
	}

	known, _ := caen.Load().Activity(class)
	return known.Value.Name
}
