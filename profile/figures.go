package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// currency is the currency of all statements.
const currency = "RON"

// figures maps the fields of a balance sheet to their labels in the various forms, as normalised by
// [statements.PlainLabel]. The first label found counts. Labels joined by a plus are added up. The forms are those for
// companies, insurers and associations; associations have one form up to 2023 and another since. Banks and other
// lenders share some of the labels. Similar items with a different meaning, such as unpaid share capital or an
// association's budget, are omitted.
var figures = []struct {
	of     func(*company.BalanceSheet) **int64
	labels []string
}{
	{func(b *company.BalanceSheet) **int64 { return &b.Turnover }, []string{"cifra de afaceri neta"}},
	{func(b *company.BalanceSheet) **int64 { return &b.TotalIncome }, []string{"venituri totale"}},
	{func(b *company.BalanceSheet) **int64 { return &b.TotalExpenses }, []string{"cheltuieli totale"}},
	{func(b *company.BalanceSheet) **int64 { return &b.GrossProfit }, []string{"profit brut"}},
	{func(b *company.BalanceSheet) **int64 { return &b.GrossLoss }, []string{"pierdere bruta"}},
	{func(b *company.BalanceSheet) **int64 { return &b.NetProfit }, []string{"profit net", "excedent profit"}},
	{func(b *company.BalanceSheet) **int64 { return &b.NetLoss }, []string{"pierdere neta", "deficit pierdere"}},
	{func(b *company.BalanceSheet) **int64 { return &b.FixedAssets }, []string{"active imobilizate total"}},
	{func(b *company.BalanceSheet) **int64 { return &b.CurrentAssets }, []string{"active circulante total"}},
	{func(b *company.BalanceSheet) **int64 { return &b.Inventories }, []string{"stocuri"}},
	{func(b *company.BalanceSheet) **int64 { return &b.Receivables }, []string{"creante"}},
	{func(b *company.BalanceSheet) **int64 { return &b.Cash }, []string{"casa si conturi la banci"}},
	{func(b *company.BalanceSheet) **int64 { return &b.PrepaidExpenses }, []string{"cheltuieli in avans"}},
	{func(b *company.BalanceSheet) **int64 { return &b.DeferredIncome }, []string{"venituri in avans"}},
	{func(b *company.BalanceSheet) **int64 { return &b.Provisions }, []string{"provizioane"}},
	{func(b *company.BalanceSheet) **int64 { return &b.Debts }, []string{"datorii", "datorii total",
		"datorii ce trebuie platite intr o perioada de pana la un an + datorii ce trebuie platite intr o perioada " +
			"mai mare de un an"}},
	{func(b *company.BalanceSheet) **int64 { return &b.Equity },
		[]string{"capitaluri total", "capital si rezerve total", "capitaluri proprii total"}},
	{func(b *company.BalanceSheet) **int64 { return &b.PaidUpCapital }, []string{"capital subscris varsat"}},
	{func(b *company.BalanceSheet) **int64 { return &b.Employees }, []string{"numar mediu de salariati",
		"efectivul de personal privind activitatile fara scop patrimonial + efectivul de personal privind " +
			"activitatile economice"}},
}

// storedSheet returns the sheet of a stored statement. The sheet is derived only once.
func storedSheet(year int, found *cache.Found[*anaf.Statement]) company.BalanceSheet {
	return found.Memo(func(s *anaf.Statement) any {
		sheet := balanceSheet(year, s.Activity, s.Indicators)
		sheet.Form, sheet.AsOf = company.BilantForm, ro.DateIn(found.RetrievedAt, ro.Bucharest)
		return sheet
	}).(company.BalanceSheet)
}

// balanceSheet converts the indicators of a statement. They may be those of any of the forms in which companies file.
func balanceSheet(year int, activity *string, indicators []company.Indicator) company.BalanceSheet {
	sheet := company.BalanceSheet{Year: year, Currency: currency, CAENCode: activity, Indicators: indicators}
	values := make(map[string]*int64, len(indicators))
	for _, i := range indicators {
		if label := statements.PlainLabel(i.Label); values[label] == nil {
			values[label] = i.Value
		}
	}

	for _, figure := range figures {
		for _, label := range figure.labels {
			if v := total(values, strings.Split(label, " + ")); v != nil {
				*figure.of(&sheet) = v
				break
			}
		}
	}

	sheet.NetResult = company.NetResult(sheet.NetProfit, sheet.NetLoss)
	return sheet
}

// total adds up the values that are present. It returns nil if there are none.
func total(values map[string]*int64, labels []string) *int64 {
	var sum *int64
	for _, label := range labels {
		switch v := values[label]; {
		case v == nil:
		case sum == nil:
			sum = new(*v)
		default:
			*sum += *v
		}
	}

	return sum
}

// bulkSheet converts a bulk statement. Its labels are those of the general form, and its codes those of its year.
func bulkSheet(s *statements.Statement) company.BalanceSheet {
	var indicators []company.Indicator
	for item, label := range statements.Labels {
		code := s.File.Codes[item]
		if code == "" { // the form of the year lacks it
			continue
		}

		indicators = append(indicators, company.Indicator{Code: code, Label: label, Value: s.Value(item)})
	}

	slices.SortFunc(indicators, func(a, b company.Indicator) int {
		return cmp.Or(cmp.Compare(len(a.Code), len(b.Code)), cmp.Compare(a.Code, b.Code))
	})
	var activity *string
	if s.Activity != "" {
		activity = new(s.Activity)
	}

	sheet := balanceSheet(s.File.Key.Year, activity, indicators)
	sheet.Form, sheet.AsOf = s.File.Key.Family, s.File.Date
	return sheet
}
