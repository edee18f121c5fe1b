package invoice

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxQuantity        = 1e6
	maxPrice    Amount = 1e9 // multiplied by maxQuantity and maxLines it does not overflow

	maxName = 500 // characters; a line of the printed table must fit on a page

	whole = 100_00 // 100 percent, in units of Percent
)

// line returns the line of an item, without its amounts.
func (it Item) line(vatIncluded bool) (Line, error) {
	switch {
	case strings.TrimSpace(it.Name) == "":
		return Line{}, errors.New("it has no name")
	case utf8.RuneCountInString(it.Name) > maxName:
		return Line{}, fmt.Errorf("its name is longer than %d characters", maxName)
	case it.Quantity < 1 || it.Quantity > maxQuantity:
		return Line{}, fmt.Errorf("the quantity is %d, want 1 to %d", it.Quantity, int(maxQuantity))
	case it.Price < -maxPrice || it.Price > maxPrice:
		return Line{}, fmt.Errorf("the price %s is outside ±%s", it.Price, maxPrice)
	case vatIncluded && it.Quantity != 1:
		return Line{}, fmt.Errorf("the quantity is %d; with VAT included in the price, it must be 1", it.Quantity)
	}

	// A price is never negative (EN 16931, BR-27). For a refund, the quantity is negative instead.
	l := Line{Name: strings.Join(strings.Fields(it.Name), " "), Quantity: it.Quantity, Price: it.Price}
	if l.Price < 0 {
		l.Price, l.Quantity = -l.Price, -l.Quantity
	}

	return l, nil
}

// total computes the amounts. Each line gets the increase of the rounded running total, so the lines add up exactly.
func (i *Invoice) total(vatIncluded bool) error {
	for n := range i.Lines {
		l := &i.Lines[n]
		if vatIncluded {
			gross := Amount(l.Quantity) * l.Price
			l.Net = (i.Gross+gross).scale(whole, whole+int64(i.Percent)) - i.Net
			l.VAT = gross - l.Net
			l.Price = max(l.Net, -l.Net)
		} else {
			l.Net = Amount(l.Quantity) * l.Price
			l.VAT = (i.Net+l.Net).scale(int64(i.Percent), whole) - i.VAT
		}

		i.Net += l.Net
		i.VAT += l.VAT
		i.Gross = i.Net + i.VAT
	}

	if i.Gross < 0 || i.Gross > largest {
		return fmt.Errorf("the total is %s %s, want 0 to %s; to give money back, correct an invoice", i.Gross, i.Currency,
			largest)
	}

	i.NetLei, i.VATLei = i.Exchange.lei(i.Net), i.Exchange.lei(i.VAT)
	return nil
}
