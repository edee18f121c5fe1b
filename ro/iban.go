package ro

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// IBAN is the number of an account (ISO 13616): a country, two check digits, and letters and digits in upper case,
// without spaces. Its length and check digits may be wrong, because a caller may want to know.
type IBAN string

const (
	// maxIBAN is the greatest length of an IBAN of any country.
	maxIBAN = 34
	// romanianIBAN is the length of a Romanian IBAN (BNR Regulation 2/2004): country, check digits, 4 letters of the
	// bank, 16 characters of the account.
	romanianIBAN = 24
)

// ibanForm has at least the four characters of a bank's code after the check digits, in any case. It precedes the
// change to upper case, which makes ASCII letters of others, such as the dotless i.
var ibanForm = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z]{2}\d{2}[A-Za-z0-9]{4,%d}$`, maxIBAN-4))

// UnmarshalText parses an IBAN with or without spaces, in any case.
func (i *IBAN) UnmarshalText(text []byte) error {
	plain := strings.NewReplacer(" ", "", "-", "", ".", "").Replace(string(text))
	if *i = IBAN(strings.ToUpper(plain)); !ibanForm.MatchString(plain) {
		return &problem.InputError{Code: problem.InvalidFormat,
			Accepted: "an IBAN: two letters of the country, two digits, and the account in letters and digits, such as " +
				"RO49AAAA1B31007593840000"}
	}

	return nil
}

// Schema describes the form.
func (IBAN) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MaxLength: 2 * maxIBAN, Pattern: `^ *[A-Za-z]{2}[0-9A-Za-z .\-]+$`}
}

// Country returns the ISO code of the account's country.
func (i IBAN) Country() string { return string(i[:2]) }

// BankCode returns the code of the bank in a Romanian IBAN.
func (i IBAN) BankCode() string { return string(i[4:8]) }

// IsTreasury reports whether the account is with the Romanian State Treasury (OMFP 1271/2004).
func (i IBAN) IsTreasury() bool { return i.Country() == "RO" && i.BankCode() == "TREZ" }

// HasRomanianLength reports whether the number has the length of a Romanian IBAN.
func (i IBAN) HasRomanianLength() bool { return len(i) == romanianIBAN }

// HasCheckDigits reports whether the check digits match: they are 02 to 98, and leave the remainder 1 with the rest of
// the number.
func (i IBAN) HasCheckDigits() bool {
	digits := i[2:4]
	return digits >= "02" && digits <= "98" && mod97(string(i[4:]+i[:4])) == 1
}

// mod97 returns the remainder of a text by ISO 7064 (MOD 97-10), in which the letters A to Z stand for 10 to 35.
func mod97(text string) (remainder int) {
	for _, c := range []byte(text) {
		if c >= 'A' {
			remainder = (100*remainder + int(c-'A') + 10) % 97
		} else {
			remainder = (10*remainder + int(c-'0')) % 97
		}
	}

	return remainder
}
