// Package tradenumber reads the numbers of the trade register, which are written
// in two ways: J40/15812/2017 and, since 26 July 2024, J2017015812405.
package tradenumber

import (
	"bytes"
	"fmt"
)

// Number is a number of the trade register. The zero value is none.
type Number struct {
	// Letter is J for companies, F for sole traders, C for cooperatives.
	Letter byte
	// County is the county's number, 1 to 40, 51 or 52; 0 in numbers given since
	// 26 July 2024, which have none.
	County int
	// Serial counts within the county and the year, or within the year alone.
	Serial int
	// Year is the year of registration.
	Year int
}

// Parse reads a number in either spelling: in any case, with spaces anywhere,
// with or without the county's leading zero, and with a whole day for the year
// (J05/1729/09.09.1991). The control digit of the new spelling is not checked:
// the register's own text decides. It reports false for any other text.
func Parse[T string | []byte](text T) (Number, bool) {
	var buffer [len("J05/172900/09.09.1991")]byte
	compact := buffer[:0]
	for i := range len(text) {
		c := text[i]
		switch {
		case c == ' ':
			continue
		case len(compact) == cap(compact):
			return Number{}, false
		case c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}

		compact = append(compact, c)
	}

	if len(compact) < 2 || compact[0] < 'A' || compact[0] > 'Z' {
		return Number{}, false
	}
	n := Number{Letter: compact[0]}
	rest := compact[1:]
	if len(rest) == 13 && allDigits(rest) {
		n.Year, n.Serial, n.County = number(rest[:4]), number(rest[4:10]), number(rest[10:12])
		return n, n.plausible()
	}

	return n.old(rest)
}

var slash = []byte("/")

// old reads what follows the letter of the old spelling.
func (n Number) old(rest []byte) (Number, bool) {
	county, rest, _ := bytes.Cut(rest, slash)
	serial, year, _ := bytes.Cut(rest, slash)
	if len(year) == len("09.09.1991") && year[2] == '.' && year[5] == '.' {
		year = year[6:]
	}
	if len(county) > 2 || len(serial) > 6 || len(year) != 4 ||
		!allDigits(county) || !allDigits(serial) || !allDigits(year) {
		return Number{}, false
	}

	n.County, n.Serial, n.Year = number(county), number(serial), number(year)
	return n, n.plausible() && n.County > 0
}

func (n Number) plausible() bool {
	return n.Year >= 1900 && n.Serial > 0 && (n.County <= 40 || n.County == 51 || n.County == 52)
}

// Old is the spelling with slashes, J40/15812/2017; empty for a number that has
// no county and therefore none.
func (n Number) Old() string {
	if n.County == 0 {
		return ""
	}
	return fmt.Sprintf("%c%02d/%d/%d", n.Letter, n.County, n.Serial, n.Year)
}

// New is the spelling without slashes, J2017015812405; empty for the zero Number.
// Its last digit is the sum of the digits before it and of the last digit of the
// letter's character code, modulo 10.
func (n Number) New() string {
	if n == (Number{}) {
		return ""
	}
	sum := int(n.Letter) % 10
	for _, v := range [...]int{n.Year, n.Serial, n.County} {
		for ; v > 0; v /= 10 {
			sum += v % 10
		}
	}

	return fmt.Sprintf("%c%04d%06d%02d%d", n.Letter, n.Year, n.Serial, n.County, sum%10)
}

// Key is the number packed into an integer: equal for both spellings, different
// for different numbers, never 0 for a number that Parse gave.
func (n Number) Key() uint64 {
	return ((uint64(n.Letter)*10_000+uint64(n.Year))*1_000_000+uint64(n.Serial))*100 + uint64(n.County)
}

func allDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// number is the value of digits.
func number(digits []byte) (n int) {
	for _, c := range digits {
		n = 10*n + int(c-'0')
	}
	return n
}
