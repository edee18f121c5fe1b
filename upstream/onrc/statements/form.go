package statements

import (
	"regexp"

	"github.com/rodata/rodata/internal/spelling"
)

// Items is the number of items of the general form.
const Items = len(Labels)

// Labels are the labels of the items: those of the form since 2019, in its order, and then the one that only older
// forms have.
var Labels = [...]string{
	"ACTIVE IMOBILIZATE - TOTAL", "ACTIVE CIRCULANTE - TOTAL, din care:", "Stocuri", "Creante",
	"Casa si conturi la banci", "CHELTUIELI IN AVANS", "DATORII", "VENITURI IN AVANS", "PROVIZIOANE",
	"CAPITALURI - TOTAL, din care:",
	"Capital subscris varsat", "Patrimoniul regiei", "Cifra de afaceri neta", "VENITURI TOTALE", "CHELTUIELI TOTALE",
	"Profit brut", "Pierdere bruta", "Profit net", "Pierdere neta", "Numar mediu de salariati",
	"Patrimoniul public",
}

// Items of the form by their position in [Labels].
const (
	Equity    = 9
	Turnover  = 12
	NetProfit = 17
	NetLoss   = 18
	Employees = 19
)

// plainLabels are the normalised labels.
var plainLabels = func() map[string]string {
	plain := make(map[string]string, Items)
	for _, label := range Labels {
		plain[label] = normalized(label)
	}
	return plain
}()

// items are the items by their normalised labels, in all spellings that the ministry's legends have.
var items = func() map[string]int {
	numbers := make(map[string]int, Items)
	for i, label := range Labels {
		numbers[plainLabels[label]] = i
	}

	for variant, label := range map[string]string{
		"capital":               "Capital subscris varsat", // of small companies, to 2015
		"datorii total":         "DATORII",
		"profitul brut":         "Profit brut",
		"pierderea bruta":       "Pierdere bruta",
		"profitul net":          "Profit net",
		"pierderea neta":        "Pierdere neta",
		"numar mediu salariati": "Numar mediu de salariati",
	} {
		numbers[variant] = numbers[plainLabels[label]]
	}

	return numbers
}()

// isOptional reports whether a form may lack an item. Assets of state companies are not in all forms.
func isOptional(item int) bool {
	return Labels[item] == "Patrimoniul regiei" || Labels[item] == "Patrimoniul public"
}

// decoration matches the parts of a folded label that are not its name: the letter of its section, and a remark or a
// day at the end.
var decoration = regexp.MustCompile(`^[a-z] | din care$| la \d{2} \d{2} \d{4}$`)

// PlainLabel normalises a label: "A. ACTIVE IMOBILIZATE - TOTAL, din care:" becomes "active imobilizate total".
func PlainLabel(label string) string {
	if plain, ok := plainLabels[label]; ok { // most statements have these
		return plain
	}
	return normalized(label)
}

func normalized(label string) string { return decoration.ReplaceAllString(spelling.Fold(label), "") }
