package profile

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// currency is the currency of all statements.
const currency = "RON"

// figures maps the fields of a balance sheet to their labels in the various forms, as normalised by [plainLabel]. The
// first label found counts. Labels joined by a plus are added up. The forms are those for companies, insurers and
// associations; associations have one form up to 2023 and another since. Banks and other lenders share some of the
// labels. Similar items with a different meaning, such as unpaid share capital or an association's budget, are omitted.
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

// decoration matches the parts of a folded label that are not its name: the letter of its section, and a remark or a
// day at the end.
var decoration = regexp.MustCompile(`^[a-z] | din care$| la \d{2} \d{2} \d{4}$`)

// plainLabel normalises a label: "A. ACTIVE IMOBILIZATE - TOTAL, din care:" becomes "active imobilizate total".
func plainLabel(label string) string {
	if plain, ok := plainGeneralForm[label]; ok {
		return plain
	}
	return normalizedLabel(label)
}

func normalizedLabel(label string) string {
	return decoration.ReplaceAllString(spelling.Fold(label), "")
}

// storedSheet returns the sheet of a stored statement. The sheet is derived only once.
func storedSheet(year int, found *cache.Found[*anaf.Statement]) company.BalanceSheet {
	return found.Memo(func(s *anaf.Statement) any {
		return balanceSheet(year, s.Activity, s.Indicators)
	}).(company.BalanceSheet)
}

// balanceSheet converts the indicators of a statement. They may be those of any of the forms in which companies file.
func balanceSheet(year int, activity *string, indicators []company.Indicator) company.BalanceSheet {
	sheet := company.BalanceSheet{Year: year, Currency: currency, CAENCode: activity, Indicators: indicators}
	values := make(map[string]*int64, len(indicators))
	for _, i := range indicators {
		if label := plainLabel(i.Label); values[label] == nil {
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

	if sheet.NetProfit != nil && sheet.NetLoss != nil {
		sheet.NetResult = new(*sheet.NetProfit - *sheet.NetLoss)
	}

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

// generalForm lists the labels of the form for companies, in the order I1, I2 and so on. The bulk statements omit them.
var generalForm = [statements.Indicators]string{
	"ACTIVE IMOBILIZATE - TOTAL", "ACTIVE CIRCULANTE - TOTAL, din care:", "Stocuri", "Creante",
	"Casa si conturi la banci", "CHELTUIELI IN AVANS", "DATORII", "VENITURI IN AVANS", "PROVIZIOANE",
	"CAPITALURI - TOTAL, din care:",
	"Capital subscris varsat", "Patrimoniul regiei", "Cifra de afaceri neta", "VENITURI TOTALE", "CHELTUIELI TOTALE",
	"Profit brut", "Pierdere bruta", "Profit net", "Pierdere neta", "Numar mediu de salariati",
}

// plainGeneralForm lists the normalised labels of that form, which most statements have.
var plainGeneralForm = func() map[string]string {
	plain := make(map[string]string, len(generalForm))
	for _, label := range generalForm {
		plain[label] = normalizedLabel(label)
	}
	return plain
}()

// bulkSheet converts a bulk statement.
func bulkSheet(s statements.Statement) company.BalanceSheet {
	indicators := make([]company.Indicator, len(s.Figures))
	for i := range s.Figures {
		indicators[i] = company.Indicator{Code: "I" + strconv.Itoa(i+1), Label: generalForm[i],
			Value: new(s.Figures[i])}
	}

	var activity *string
	if s.Activity != "" {
		activity = new(s.Activity)
	}

	return balanceSheet(s.Year, activity, indicators)
}
