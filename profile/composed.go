package profile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/caen"
)

// compose returns the record of a bulk statement, in the tax authority's wording.
func (t *TaxRecords) compose(filing anaf.Filing, sheet company.BalanceSheet) (op.Answer[company.Record], error) {
	type indicator struct {
		Code  string `json:"indicator"`
		Value *int64 `json:"val_indicator"`
		Label string `json:"val_den_indicator"`
	}

	statement := struct {
		Year     int         `json:"an"`
		CUI      ro.CUI      `json:"cui"`
		Name     string      `json:"deni"`
		CAEN     *int        `json:"caen"`
		Activity string      `json:"den_caen"`
		Items    []indicator `json:"i"`
	}{Year: filing.Year, CUI: filing.CUI, Items: []indicator{}}
	if known := t.register.Stored(filing.CUI); known != nil {
		statement.Name = known.Name
	}

	if sheet.CAENCode != nil {
		if code, err := strconv.Atoi(*sheet.CAENCode); err == nil { // 0119 is written as 119
			statement.CAEN = &code
		}
		statement.Activity = activity(filing.Year, *sheet.CAENCode)
	}

	for _, i := range slices.Backward(sheet.Indicators) { // the highest code first
		statement.Items = append(statement.Items, indicator{i.Code, i.Value, cmp.Or(sentLabels[i.Label], i.Label)})
	}

	text, err := jsontext.Encode(statement)
	if err != nil {
		return op.Answer[company.Record]{}, fmt.Errorf("composing the statement %s: %w", filing, err)
	}

	fresh := op.Freshness{Cache: op.Hit, MaxAge: clientMaxAge}
	return op.Answer[company.Record]{Value: composedRecord(text), Freshness: fresh}, nil
}

// sentLabels are the labels that have stray spaces in the tax authority's answers.
var sentLabels = map[string]string{
	"ACTIVE IMOBILIZATE - TOTAL": "ACTIVE IMOBILIZATE - TOTAL ", "DATORII": "DATORII ",
	"Pierdere neta": "Pierdere  neta",
}

// composedRecord is a record that was composed rather than received.
type composedRecord []byte

func (c composedRecord) Raw() ([]byte, error) { return bytes.Clone(c), nil }

// rev3 is the first year in which statements use codes of CAEN Rev.3.
const rev3 = 2025

// activity returns the name of a CAEN class. It is empty for a class of an earlier revision.
func activity(year int, code string) string {
	var class reference.CAENCode
	if year < rev3 || class.UnmarshalText([]byte(code)) != nil {
		return ""
	}

	known, _ := caen.Load().Activity(class)
	return known.Value.Name
}
