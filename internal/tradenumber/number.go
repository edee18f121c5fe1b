// Package tradenumber parses trade register numbers, which have two formats: J40/15812/2017 and, since 26 July 2024,
// J2017015812405.
package tradenumber

import (
	"bytes"
	"fmt"

	"github.com/rodata/rodata/internal/spelling"
)

// Number is a trade register number. The zero value is not a valid number.
type Number struct {
	// Letter is J for companies, F for sole traders, C for cooperatives.
	Letter byte
	// County is the county's number, 1 to 40, 51 or 52. It is 0 in numbers issued since 26 July 2024, which have no
	// county.
	County int
	// Serial is unique within the county and the year or, without a county, within the year.
	Serial int
	// Year is the year of registration.
	Year int
}

// Register is the code of the Romanian register, which precedes the number in the European Unique Identifier (EUID) of
// a company.
const Register = "ROONRC."

// Parse parses a number in either format. It accepts upper and lower case, spaces anywhere, a missing leading zero of
// the county, a full date instead of the year (J05/1729/09.09.1991) or after it (J40/1116/1991 din 14.03.1991), and an
// EUID (ROONRC.J05/1729/1991). It does not verify the check digit of the new format, because the register's text is
// authoritative. It reports false for any other text.
func Parse[T string | []byte](text T) (Number, bool) {
	n, _, ok := parse(text)
	return n, ok
}

// ParseStrict is like Parse, for text entered by a person. The check digit of the new format must be correct.
func ParseStrict(text string) (Number, bool) {
	n, check, ok := parse(text)
	if !ok || check != 0 && check != n.checkDigit() {
		return Number{}, false
	}

	return n, true
}

// EUID returns the European Unique Identifier of a company, in the format of the number that a person entered. It
// reports false if ParseStrict does.
func EUID(text string) (id string, ok bool) {
	n, check, ok := parse(text)
	switch {
	case !ok, check != 0 && check != n.checkDigit():
		return "", false
	case check == 0:
		return Register + n.Old(), true
	}

	return Register + n.New(), true
}

// parse is Parse. It also returns the check digit of a number in the new format, or 0.
func parse[T string | []byte](text T) (n Number, check byte, ok bool) {
	var buffer [len(Register + "J05/172900/1991DINDATADE09.09.1991")]byte
	compact := buffer[:0]
	for i := range len(text) {
		c := text[i]
		switch {
		case c == ' ':
			continue
		case len(compact) == cap(compact):
			return Number{}, 0, false
		case c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}

		compact = append(compact, c)
	}

	compact = withoutDate(bytes.TrimPrefix(compact, []byte(Register)))
	if len(compact) < 2 || compact[0] < 'A' || compact[0] > 'Z' {
		return Number{}, 0, false
	}

	n.Letter = compact[0]
	rest := compact[1:]
	if len(rest) == 13 && spelling.OnlyDigits(rest) {
		n.Year, n.Serial, n.County = number(rest[:4]), number(rest[4:10]), number(rest[10:12])
		return n, rest[12], n.isPlausible()
	}

	n, ok = n.old(rest)
	return n, 0, ok
}

// withoutDate cuts off the date of registration after a number, as in "din 14.03.1991" and "din data de 14/03/1991".
func withoutDate(compact []byte) []byte {
	number, date, _ := bytes.Cut(compact, []byte("DIN"))
	date = bytes.TrimPrefix(date, []byte("DATADE"))
	if len(date) == len("14.03.1991") && len(bytes.Trim(date, "0123456789./-")) == 0 {
		return number
	}

	return compact
}

// old parses the rest after the letter in the old format.
func (n Number) old(rest []byte) (Number, bool) {
	county, rest, _ := bytes.Cut(rest, []byte("/"))
	serial, year, _ := bytes.Cut(rest, []byte("/"))
	if len(year) == len("09.09.1991") && year[2] == '.' && year[5] == '.' {
		year = year[6:]
	}
	if len(county) > 2 || len(serial) > 6 || len(year) != 4 ||
		!spelling.OnlyDigits(county) || !spelling.OnlyDigits(serial) || !spelling.OnlyDigits(year) {
		return Number{}, false
	}

	n.County, n.Serial, n.Year = number(county), number(serial), number(year)
	return n, n.isPlausible() && n.County > 0
}

func (n Number) isPlausible() bool {
	return n.Year >= 1900 && n.Serial > 0 && (n.County <= 40 || n.County == 51 || n.County == 52)
}

// Old returns the number in the format with slashes, J40/15812/2017. It is empty for a number without a county.
func (n Number) Old() string {
	if n.County == 0 {
		return ""
	}
	return fmt.Sprintf("%c%02d/%d/%d", n.Letter, n.County, n.Serial, n.Year)
}

// New returns the number in the format without slashes, J2017015812405. It is empty for the zero Number.
func (n Number) New() string {
	if n == (Number{}) {
		return ""
	}
	return fmt.Sprintf("%c%04d%06d%02d%c", n.Letter, n.Year, n.Serial, n.County, n.checkDigit())
}

// checkDigit returns the last digit of the new format: the sum, modulo 10, of the preceding digits and the last digit
// of the letter's character code.
func (n Number) checkDigit() byte {
	sum := int(n.Letter) % 10
	for _, v := range [...]int{n.Year, n.Serial, n.County} {
		for ; v > 0; v /= 10 {
			sum += v % 10
		}
	}

	return byte('0' + sum%10)
}

// Key packs the number into an integer. Both formats of a number have the same key, and distinct numbers have distinct
// keys. The key of a parsed number is never 0.
func (n Number) Key() uint64 {
	return ((uint64(n.Letter)*10_000+uint64(n.Year))*1_000_000+uint64(n.Serial))*100 + uint64(n.County)
}

// number returns the value of digits.
func number(digits []byte) (n int) {
	for _, c := range digits {
		n = 10*n + int(c-'0')
	}
	return n
}
