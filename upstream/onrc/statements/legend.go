package statements

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/rodata/rodata/api/company"
)

// ErrFormat means that files are not ones of yearly statements, or that their columns are not understood.
var ErrFormat = errors.New("not a file of yearly statements")

// Legend assigns the columns of a file to the items of the general form.
type Legend struct {
	columns []int // the item of each column: that of I1 first
}

// ReadLegend reads the legend of a year's files: a label and its code on each line, separated by a semicolon, in UTF-8
// or Windows-1250. It returns ErrFormat for an unknown, repeated or missing label or code.
func ReadLegend(body []byte, key Key) (Legend, error) {
	text := string(body)
	if !utf8.ValidString(text) {
		text, _ = charmap.Windows1250.NewDecoder().String(text) // all bytes have a meaning
	}

	labels := map[int]string{}
	for line := range strings.Lines(text) {
		at := strings.LastIndexByte(line, ';')
		number, ok := columnNumber(line[at+1:])
		if !ok || at < 0 { // the lines of CUI and CAEN, a title, or an empty line
			continue
		}
		if _, repeated := labels[number]; repeated {
			return Legend{}, fmt.Errorf("%w: its legend has two labels of I%d", ErrFormat, number)
		}

		labels[number] = PlainLabel(line[:at])
	}

	plain := make([]string, len(labels))
	for i := range plain {
		if plain[i] = labels[i+1]; plain[i] == "" {
			return Legend{}, fmt.Errorf("%w: its legend has no label of I%d", ErrFormat, i+1)
		}
	}

	repairGrossLoss(plain, key)
	return legendOf(plain)
}

// repairGrossLoss corrects the legend of small companies to 2015, in which the gross loss is labelled as net loss.
func repairGrossLoss(plain []string, key Key) {
	const grossProfit, grossLoss, netProfit, netLoss = "profit brut", "pierdere bruta", "profit net", "pierdere neta"
	for i := range plain {
		if key.Family == company.SmallForm && key.Year <= 2015 && i+4 <= len(plain) &&
			!slices.Contains(plain, grossLoss) &&
			slices.Equal(plain[i:i+4], []string{grossProfit, netLoss, netProfit, netLoss}) {
			plain[i+1] = grossLoss
		}
	}
}

// legendOf returns the legend of normalised labels.
func legendOf(plain []string) (l Legend, err error) {
	for i, label := range plain {
		item, known := items[label]
		switch {
		case !known:
			return Legend{}, fmt.Errorf("%w: I%d has the unknown label %.100q", ErrFormat, i+1, label)
		case slices.Contains(l.columns, item):
			return Legend{}, fmt.Errorf("%w: I%d repeats the label %q", ErrFormat, i+1, label)
		}

		l.columns = append(l.columns, item)
	}

	for item, label := range Labels {
		if !isOptional(item) && !slices.Contains(l.columns, item) {
			return Legend{}, fmt.Errorf("%w: its legend lacks %q", ErrFormat, label)
		}
	}

	return l, nil
}

// Codes returns the code of each item: I13 for the turnover of the year 2025. It is empty for an item that the files
// lack.
func (l Legend) Codes() (codes [Items]string) {
	for i, item := range l.columns {
		codes[item] = "I" + strconv.Itoa(i+1)
	}
	return codes
}

// of returns the item of each column after CUI and CAEN in a file with some first line, and reports whether that line
// is a header. Files of older years may have none.
func (l Legend) of(first string) (columns []int, isHeader bool, err error) {
	cells := strings.Split(first, ",")
	if len(cells) != 2+len(l.columns) {
		return nil, false, fmt.Errorf("%w: it has %d columns, and its legend %d; it begins with %.100q", ErrFormat,
			len(cells)-2, len(l.columns), first)
	}
	if !strings.EqualFold(strings.TrimSpace(cells[0]), "CUI") {
		return l.columns, false, nil
	}
	if !strings.EqualFold(strings.TrimSpace(cells[1]), "CAEN") {
		return nil, false, fmt.Errorf("%w: its second column is %.100q", ErrFormat, cells[1])
	}

	for _, cell := range cells[2:] {
		number, ok := columnNumber(cell)
		if !ok || number > len(l.columns) || slices.Contains(columns, l.columns[number-1]) {
			return nil, false, fmt.Errorf("%w: the column %.100q is unknown or repeated", ErrFormat, cell)
		}

		columns = append(columns, l.columns[number-1])
	}

	return columns, true, nil
}

// columnNumber returns the number in a code: 13 for I13 or i13.
func columnNumber(code string) (int, bool) {
	digits, ok := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(code)), "I")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}
