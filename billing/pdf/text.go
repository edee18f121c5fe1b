package pdf

import (
	"strings"

	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/internal/pdf"
)

func label(native, english string) pdf.Label { return pdf.Label{Native: native, English: english} }

// amount formats money in Romanian style: 1.234,50.
func amount(a invoice.Amount) string {
	whole, cents, _ := strings.Cut(a.String(), ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}

	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "." + whole[at:]
	}

	return sign + whole + "," + cents
}

// day formats a day in Romanian style: 20.11.2026.
func day(d invoice.Date) string { return d.Time().Format("02.01.2006") }

// decimal formats a decimal number in Romanian style: 5,0900.
func decimal(text string) string { return strings.Replace(text, ".", ",", 1) }
