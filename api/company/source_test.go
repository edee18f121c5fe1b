package company

import (
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// The source entry of balance sheets has the date of the newest one. Without sheets it has none.
func TestSheetSource(t *testing.T) {
	june := ro.NewDate(2026, 6, 18)
	sheets := []BalanceSheet{{Year: 2025, Form: SmallForm, AsOf: june},
		{Year: 2024, Form: BilantForm, AsOf: june + 150}}
	for _, c := range []struct {
		sheets []BalanceSheet
		hit    bool
		asOf   *ro.Date
		cache  string
	}{
		{sheets, true, &june, op.Hit}, {sheets, false, &june, op.Miss},
		{nil, true, nil, op.Hit}, {[]BalanceSheet{{Year: 2025}}, true, nil, op.Hit},
	} {
		s := sheetSource(c.sheets, c.hit)
		if s.Name != "anaf-bilant" || s.RetrievedAt != nil || s.Cache != c.cache ||
			(s.AsOf == nil) != (c.asOf == nil) || s.AsOf != nil && *s.AsOf != *c.asOf {
			t.Errorf("%+v: %+v", c, s)
		}
	}
}
