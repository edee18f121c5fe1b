package api

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rodata/rodata/api/problem"
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

const cuiForm = "digits only, without the RO prefix, 2 to 10 digits of which the last is a control digit, such as " +
	"14399840"

var errCUI = &problem.InputError{Code: problem.InvalidFormat, Accepted: cuiForm}

// UnmarshalText parses digits, drops leading zeros, and verifies the check digit.
func (c *CUI) UnmarshalText(text []byte) error {
	for _, b := range text {
		if b < '0' || b > '9' {
			return errCUI
		}
	}

	for len(text) > 1 && text[0] == '0' {
		text = text[1:]
	}

	switch {
	case len(text) == 13:
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: cuiForm,
			Reason: "13 digits are a personal number (CNP); only companies can be looked up, by their CUI"}
	case len(text) < 2 || len(text) > 10:
		return errCUI
	}

	var number CUI
	for _, digit := range text {
		number = number*10 + CUI(digit-'0')
	}

	if !number.Valid() {
		return &problem.InputError{Code: problem.CheckDigit, Accepted: cuiForm,
			Reason: fmt.Sprintf("the control digit does not match: a CUI that begins with %d ends in %d", number/10,
				number.ControlDigit())}
	}

	*c = number
	return nil
}

// UnmarshalJSON parses a number, the form in answers.
func (c *CUI) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseInt(string(data), 10, 64)
	*c = CUI(n)
	return err
}

// Schema describes a CUI in a request; in an answer it is a number.
func (CUI) Schema() Schema { return Schema{Type: "string", Pattern: `^\d+$`} }
