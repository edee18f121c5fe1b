package ro

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// CUI is a company's tax id (cod unic de înregistrare): 2 to 10 digits, the last one a check digit. The zero value is
// no id.
type CUI int64

// cuiWeights are the weights of the nine digits before the check digit, padded on the left (order of the Ministry of
// Finance, in use since 1992).
var cuiWeights = [9]int{7, 5, 3, 2, 1, 7, 5, 3, 2}

func (c CUI) String() string { return strconv.FormatInt(int64(c), 10) }

// ControlDigit returns the correct check digit of the number.
func (c CUI) ControlDigit() int {
	sum, body := 0, int(c/10)
	for _, weight := range slices.Backward(cuiWeights[:]) {
		sum += weight * (body % 10)
		body /= 10
	}

	return sum * 10 % 11 % 10
}

// Valid reports whether the number has 2 to 10 digits and a correct check digit.
func (c CUI) Valid() bool {
	return c >= 10 && c <= 9_999_999_999 && int(c%10) == c.ControlDigit()
}

const (
	cuiRule      = "2 to 10 digits of which the last is a control digit, such as 14399840"
	cuiForm      = "digits only, without the RO prefix, " + cuiRule
	typedCUIForm = "a CUI, with or without RO, " + cuiRule
)

// typedCUI matches a tax id without spaces and quotes. Dots stand only between thousands, so that a day such as
// 31.03.2026 is no number.
var typedCUI = regexp.MustCompile(
	`^(?:C\.?U\.?I\.?:?|C\.?I\.?F\.?:?)?(?:RO[.:]?)?(\d+|\d{1,3}(?:\.\d{3})+)(?:[.,]0{1,2})?$`)

// CUIDigits returns the digits of a tax id as people and spreadsheets write it: after CUI, CIF or RO in any case, with
// spaces, with dots between thousands, in quotation marks, as ="14399840", or with a fraction of zeros. It reports
// false for any other text. It does not verify the number.
func CUIDigits(text string) (digits string, ok bool) {
	if text != "" && spelling.OnlyDigits(text) {
		return text, true
	}

	compact := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Quotation_Mark) {
			return -1
		}
		return unicode.ToUpper(r)
	}, text)
	found := typedCUI.FindStringSubmatch(strings.TrimPrefix(compact, "="))
	if found == nil {
		return "", false
	}

	return strings.ReplaceAll(found[1], ".", ""), true
}

// ParseCUI parses a tax id in any form that CUIDigits reads, and verifies it. The error is an input error.
func ParseCUI(text string) (CUI, error) {
	digits, ok := CUIDigits(text)
	if ok {
		return readCUI(digits, typedCUIForm)
	}

	wrong := &problem.InputError{Code: problem.InvalidFormat, Accepted: typedCUIForm}
	if number, err := ParseVATNumber(text); err == nil {
		wrong.Reason = "it is a VAT number of " + number.State().Name() + ", not a Romanian CUI; check it as a VAT number"
	}

	return 0, wrong
}

// UnmarshalText parses digits, the form in the path of a company. It drops leading zeros and verifies the check digit.
// The error for another form suggests the digits.
func (c *CUI) UnmarshalText(text []byte) error {
	if spelling.OnlyDigits(text) {
		number, err := readCUI(string(text), cuiForm)
		if err == nil {
			*c = number
		}
		return err
	}

	wrong := &problem.InputError{Code: problem.InvalidFormat, Accepted: cuiForm}
	if meant, err := ParseCUI(string(text)); err == nil {
		wrong.Suggestion = meant.String()
	}

	return wrong
}

// readCUI parses digits. The error names the accepted form.
func readCUI(digits, accepted string) (CUI, error) {
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}

	switch {
	case len(digits) == 13:
		return 0, &problem.InputError{Code: problem.InvalidFormat, Accepted: accepted,
			Reason: "13 digits are a personal number (CNP); only companies can be looked up, by their CUI"}
	case len(digits) < 2 || len(digits) > 10:
		return 0, &problem.InputError{Code: problem.InvalidFormat, Accepted: accepted}
	}

	var number CUI
	for _, digit := range []byte(digits) {
		number = number*10 + CUI(digit-'0')
	}

	if !number.Valid() {
		return 0, &problem.InputError{Code: problem.CheckDigit, Accepted: accepted,
			Reason: fmt.Sprintf("the control digit does not match: a CUI that begins with %d ends in %d", number/10,
				number.ControlDigit())}
	}

	return number, nil
}

// UnmarshalJSON parses a number, the form in answers.
func (c *CUI) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseInt(string(data), 10, 64)
	*c = CUI(n)
	return err
}

// Schema describes a CUI in a request.
func (CUI) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", Pattern: `^\d+$`} }

// AnswerSchema describes a CUI in an answer, where it is a number.
func (CUI) AnswerSchema() jsonschema.Schema { return jsonschema.Schema{Type: "integer"} }
