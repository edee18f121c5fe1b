package profile

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// statementForms lists labels of the forms of statement in the registers' spelling, with invented values. The n-th
// value is n times a thousand, so that errors are visible.
var statementForms = map[string]struct {
	labels []string
	want   string // the fields that are not null, in thousands
}{
	"company": {statements.Labels[:20], `{"fixedAssets":1,"currentAssets":2,"inventories":3,"receivables":4,"cash":5,"prepaidExpenses":6,"debts":7,
		"deferredIncome":8,"provisions":9,"equity":10,"paidUpCapital":11,"turnover":13,"totalIncome":14,"totalExpenses":15,
		"grossProfit":16,"grossLoss":17,"netProfit":18,"netLoss":19,"netResult":-1,"employees":20}`},
	"insurer": {[]string{
		"Imobilizari necorporale", "Plasamente - Total", "Creante", "Imobilizări corporale si stocuri",
		"Casa si conturi la banci",
		"Cheltuieli in avans", "Capital şi rezerve - Total", "Capital social", "Capital subscris varsat", "Rezerve ",
		"Rezerve tehnice",
		"Provizioane  ", "Datorii  ", "Rezultatul tehnic al asigurarilor de viata - Profit", "Venituri din plasamente",
		"Venituri totale",
		"Cheltuieli totale", "Profit brut", "Pierdere bruta", "Profit net", "Pierdere neta", "Numar mediu de salariati",
	}, `{"receivables":3,"cash":5,"prepaidExpenses":6,"equity":7,"paidUpCapital":9,"provisions":12,"debts":13,"totalIncome":16,
		"totalExpenses":17,"grossProfit":18,"grossLoss":19,"netProfit":20,"netLoss":21,"netResult":-1,"employees":22}`},
	"bank": {[]string{ // the form's own labels stay indicators; labels common to all forms are read
		"Imobilizari corporale", "Datorii privind clientela", "Capitaluri proprii - Total", "Profit brut",
		"Pierdere bruta",
		"Profit net", "Pierdere  neta", "NUMĂR MEDIU DE SALARIAŢI",
	}, `{"equity":3,"grossProfit":4,"grossLoss":5,"netProfit":6,"netLoss":7,"netResult":-1,"employees":8}`},
	"association, to 2023": {[]string{
		"A. Active imobilizate  -  total", "B. Active circulante  -  total", "C. Cheltuieli in avans",
		"D. Datorii ce trebuie platite intr-o perioada de pana la un an",
		"E. Active circulante nete, respectiv datorii curente nete",
		"F. Total active minus datorii curente", "G. Datorii ce trebuie platite intr-o perioada mai mare de un an",
		"H. Provizioane",
		"I. Venituri in avans", "J. Capitaluri proprii - total", "Capitaluri - total",
		"Venituri din activitatile fara scop patrimonial - prevederi anuale", "Venituri totale - prevederi anuale",
		"Venituri totale - la 31.12.2020", "Cheltuieli totale - la 31.12.2020", "Excedent/Profit - prevederi anuale",
		"Excedent/Profit - la 31.12.2020", "Deficit/Pierdere - la 31.12.2020",
		"Efectivul de personal privind activitatile fara scop patrimonial",
		"Efectivul de personal privind activitatile economice",
	}, `{"fixedAssets":1,"currentAssets":2,"prepaidExpenses":3,"debts":11,"provisions":8,"deferredIncome":9,"equity":11,
		"totalIncome":14,"totalExpenses":15,"netProfit":17,"netLoss":18,"netResult":-1,"employees":39}`},
	"association, since 2024": {[]string{
		"Active imobilizate  -  total", "Active circulante  -  total", "Stocuri", "Creante", "Casa si conturi la banci",
		"CHELTUIELI IN AVANS", "DATORII", "VENITURI IN AVANS", "PROVIZIOANE", "CAPITALURI - TOTAL, din care:",
		"Capitaluri proprii",
		"Venituri totale - la 31.12.2024", "Cheltuieli totale  - la 31.12.2024", "Excedent/Profit - la 31.12.2024",
		"Deficit/Pierdere - la 31.12.2024", "Efectivul de personal privind activitatile economice",
	}, `{"fixedAssets":1,"currentAssets":2,"inventories":3,"receivables":4,"cash":5,"prepaidExpenses":6,"debts":7,"deferredIncome":8,
		"provisions":9,"equity":10,"totalIncome":12,"totalExpenses":13,"netProfit":14,"netLoss":15,"netResult":-1,"employees":16}`},
}

func TestFormsOfStatement(t *testing.T) {
	for name, form := range statementForms {
		t.Run(name, func(t *testing.T) {
			var indicators []company.Indicator
			for i, label := range form.labels {
				indicators = append(indicators,
					company.Indicator{Code: "I" + strconv.Itoa(i+1), Label: label, Value: new(int64(i+1) * 1000)})
			}

			var want map[string]int64
			testkit.NoError(t, json.Unmarshal([]byte(form.want), &want))

			for field, got := range sheetFields(t, balanceSheet(2024, new("6512"), indicators)) {
				switch field {
				case "year", "form", "asOf", "currency", "caenCode", "indicators":
					continue
				}

				thousands, expected := want[field]
				value, given := got.(float64)
				if given != expected || value != float64(thousands*1000) {
					t.Errorf("%s is %v, want %d thousand (given: %v)", field, got, thousands, expected)
				}
			}
		})
	}
}

// sheetFields returns a sheet as sent.
func sheetFields(t *testing.T, sheet company.BalanceSheet) (fields map[string]any) {
	t.Helper()
	body, err := json.Marshal(sheet)
	testkit.NoError(t, err)
	testkit.NoError(t, json.Unmarshal(body, &fields))

	return fields
}

func TestIndicatorsAreKeptAsFiled(t *testing.T) {
	filed := []company.Indicator{{Code: "I1", Label: "Plasamente - Total", Value: new(int64(7))},
		{Code: "I2", Label: "Stocuri"}}
	sheet := balanceSheet(2024, nil, filed)
	if len(sheet.Indicators) != 2 || sheet.Indicators[0] != filed[0] || sheet.Inventories != nil ||
		sheet.Currency != "RON" || sheet.CAENCode != nil {
		t.Errorf("got %+v", sheet)
	}
	if sheet.NetResult != nil {
		t.Error("a result was computed without figures")
	}
}

func TestNetResultOfOneFigure(t *testing.T) {
	for name, c := range map[string]struct {
		label string
		want  int64
	}{"profit": {"Profit net", 7}, "loss": {"Pierdere neta", -7}} {
		t.Run(name, func(t *testing.T) {
			only := balanceSheet(2024, nil, []company.Indicator{{Code: "I18", Label: c.label, Value: new(int64(7))}})
			if only.NetResult == nil || *only.NetResult != c.want {
				t.Errorf("got %+v", only)
			}
		})
	}
}

// generalFile describes a file with the form since 2019.
func generalFile() *statements.File {
	f := &statements.File{Key: statements.Key{Year: 2025, Family: company.SmallForm}, Date: ro.NewDate(2026, 6, 18)}
	for item := range 20 {
		f.Codes[item] = "I" + strconv.Itoa(item+1)
	}
	return f
}

func TestBulkSheet(t *testing.T) {
	s := &statements.Statement{CUI: known, File: generalFile(), Activity: "0119"}
	for item := range 20 {
		s.State(item, int64(item+1))
	}

	sheet := bulkSheet(s)
	if sheet.Year != 2025 || sheet.Form != company.SmallForm || sheet.AsOf.String() != "2026-06-18" ||
		*sheet.CAENCode != "0119" || *sheet.Turnover != 13 || *sheet.Employees != 20 || len(sheet.Indicators) != 20 {
		t.Errorf("got %+v", sheet)
	}
	for item, i := range sheet.Indicators {
		if i.Code != "I"+strconv.Itoa(item+1) || i.Label != statements.Labels[item] || *i.Value != int64(item+1) {
			t.Errorf("an indicator is %+v", i)
		}
	}
	if s.Activity = ""; bulkSheet(s).CAENCode != nil {
		t.Error("a missing activity is not null")
	}
}

// TestEmptyFigureIsNull verifies that a figure that the company left empty is null and not 0.
func TestEmptyFigureIsNull(t *testing.T) {
	s := &statements.Statement{File: generalFile()}
	s.State(12, 0)
	sheet := bulkSheet(s)
	if *sheet.Turnover != 0 || sheet.Employees != nil || sheet.NetResult != nil || *sheet.Indicators[12].Value != 0 ||
		sheet.Indicators[19].Value != nil {
		t.Errorf("got %+v", sheet)
	}
}

// TestEveryFieldHasAFigureOfTheGeneralForm verifies that all fields are filled from the general form.
func TestEveryFieldHasAFigureOfTheGeneralForm(t *testing.T) {
	s := &statements.Statement{File: generalFile(), Activity: "0119"}
	for item := range 20 {
		s.State(item, 1)
	}

	for field, v := range sheetFields(t, bulkSheet(s)) {
		if v == nil {
			t.Errorf("%s is null", field)
		}
	}
}
