// Package invented generates tax ids of companies that do not exist.
package invented

import "github.com/rodata/rodata/ro"

// CUI returns the n-th invented tax id. Registers have not assigned its range, the numbers of ten digits from 99.
func CUI(n int) ro.CUI { return Complete(990_000_000 + n) }

// CUIs returns n invented tax ids, of which the first is CUI(from).
func CUIs(from, n int) []ro.CUI {
	all := make([]ro.CUI, n)
	for i := range all {
		all[i] = CUI(from + i)
	}
	return all
}

// Complete appends the control digit to the other digits of a tax id.
func Complete(digits int) ro.CUI {
	c := ro.CUI(10 * digits)
	return c + ro.CUI(c.ControlDigit())
}
