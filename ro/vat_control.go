package ro

import (
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// The functions below report whether a number has the correct check digit. They expect a number in one of the shapes
// of its state.

// divisible is the rule of most states: the sum of the digits times their weights is divisible by a modulus.
func divisible(modulus int, weights ...int) func(string) bool {
	return func(n string) bool { return weightedSum(n, weights...)%modulus == 0 }
}

// weightedSum returns the sum of the first digits times their weights.
func weightedSum(n string, weights ...int) (sum int) {
	for i, w := range weights {
		sum += w * digit(n, i)
	}
	return sum
}

func digit(n string, i int) int { return int(n[i] - '0') }

// last returns the last digit.
func last(n string) int { return digit(n, len(n)-1) }

// value returns the number that the digits spell.
func value(digits string) (n int) {
	for i := range len(digits) {
		n = 10*n + digit(digits, i)
	}
	return n
}

// passesLuhn is the formula of ISO/IEC 7812-1: every second digit from the right, not counting the check digit, is
// doubled.
func passesLuhn(n string) bool { return luhnSum(n)%10 == 0 }

func luhnSum(n string) (sum int) {
	for i := range len(n) {
		d := digit(n, i)
		if (len(n)-i)%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}

		sum += d
	}

	return sum
}

// mod11and10 is the hybrid system of ISO 7064, MOD 11,10.
func mod11and10(n string) bool {
	product := 10
	for i := range len(n) - 1 {
		sum := (product + digit(n, i)) % 10
		if sum == 0 {
			sum = 10
		}

		product = 2 * sum % 11
	}

	return (product+last(n))%10 == 1
}

// austrian is Luhn's formula plus 4, doubling the other digits.
func austrian(n string) bool { return (luhnSum(n[1:8])+last(n)+4)%10 == 0 }

func belgian(n string) bool { return (value(n[:8])+value(n[8:]))%97 == 0 }

// bulgarian verifies the check digit. Numbers of companies have nine digits. Numbers with ten follow the rule of
// citizens, of foreigners or of others; nothing in the number says which.
func bulgarian(n string) bool {
	if len(n) == 10 {
		return last(n) == weightedSum(n, 2, 4, 8, 5, 10, 9, 7, 3, 6)%11%10 ||
			last(n) == weightedSum(n, 21, 19, 17, 13, 11, 9, 7, 3, 1)%10 ||
			last(n) == (11-weightedSum(n, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11)%11%10
	}

	control := weightedSum(n, 1, 2, 3, 4, 5, 6, 7, 8) % 11
	if control == 10 {
		control = weightedSum(n, 3, 4, 5, 6, 7, 8, 9, 10) % 11 % 10
	}

	return last(n) == control
}

// cypriot checks the final letter. It is computed from the sum of the digits, where digits at odd positions are mapped
// to other values.
func cypriot(n string) bool {
	values, sum := [10]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21}, 0
	for i := range 8 {
		if i%2 == 0 {
			sum += values[digit(n, i)]
		} else {
			sum += digit(n, i)
		}
	}

	return n[8] == byte('A'+sum%26)
}

// czech checks numbers of companies, which have eight digits. Numbers with nine or ten digits are birth numbers; old
// birth numbers have no check digit.
func czech(n string) bool {
	if len(n) != 8 {
		return true
	}

	control := (11 - weightedSum(n, 8, 7, 6, 5, 4, 3, 2)%11) % 11
	if control == 0 {
		control = 1
	}

	return last(n) == control%10
}

func greek(n string) bool { return last(n) == weightedSum(n, 256, 128, 64, 32, 16, 8, 4, 2)%11%10 }

// spanish numbers have one of three forms. Numbers of persons are eight digits and a letter. Numbers of foreigners and
// some others begin with a letter that stands for a digit or for nothing. Numbers of entities end in a check
// character, a digit or a letter; sources disagree on which entities have a letter, so both are accepted.
func spanish(n string) bool {
	const letters = "TRWAGMYFPDXBNJZSQVHLCKE" // remainders of 23
	body, control := n[1:8], n[8]
	switch first := n[0]; {
	case first >= '0' && first <= '9':
		return control == letters[value(n[:8])%23]
	case strings.IndexByte("XYZ", first) >= 0:
		return control == letters[(int(first-'X')*10_000_000+value(body))%23]
	case strings.IndexByte("KLM", first) >= 0:
		return control == letters[value(body)%23]
	case strings.IndexByte("ABCDEFGHJNPQRSUVW", first) >= 0:
		d := (10 - luhnSum(body+"0")%10) % 10
		return control == byte('0'+d) || control == "JABCDEFGHI"[d]
	}

	return false
}

// french checks the two leading digits, which are computed from the number of the company. Keys with letters follow
// another rule; no such key is known to have been issued.
func french(n string) bool {
	if !spelling.OnlyDigits(n[:2]) {
		return true
	}
	return value(n[:2]) == (12+3*(value(n[2:])%97))%97
}

// irish numbers have seven digits, a check letter and possibly another letter. Older numbers have a letter, + or * in
// second position; their first digit is weighted as the last one.
func irish(n string) bool {
	const letters = "WABCDEFGHIJKLMNOPQRSTUV" // remainders of 23
	if n[1] < '0' || n[1] > '9' {
		return n[7] == letters[(weightedSum(n[2:7], 7, 6, 5, 4, 3)+2*digit(n, 0))%23]
	}

	sum := weightedSum(n, 8, 7, 6, 5, 4, 3, 2)
	if len(n) == 9 {
		sum += 9 * (int(n[8]-'A') + 1) // W, the 23rd letter, does not change the remainder
	}

	return n[7] == letters[sum%23]
}

func lithuanian(n string) bool {
	body := n[:len(n)-1]
	sum, again := 0, 0
	for i := range len(body) {
		sum += (1 + i%9) * digit(body, i)
		again += (1 + (i+2)%9) * digit(body, i)
	}

	control := sum % 11
	if control == 10 {
		control = again % 11 % 10
	}

	return last(n) == control
}

func luxembourgish(n string) bool { return value(n[6:]) == value(n[:6])%89 }

// latvian numbers of companies begin with a digit above 3. All others are personal codes; no rule is known for those
// that begin with 32, issued since 2017 without a birth date.
func latvian(n string) bool {
	switch {
	case n[0] > '3':
		return weightedSum(n, 9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1)%11 == 3
	case n[:2] == "32":
		return true
	}

	return last(n) == (1+weightedSum(n, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9))%11%10
}

// dutch numbers of companies have a check digit before the B. Since 2020, numbers of sole traders have check digits at
// the end instead, computed over the whole number (ISO 7064, MOD 97-10).
func dutch(n string) bool {
	return weightedSum(n, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0 || mod97("NL"+n) == 1
}

func portuguese(n string) bool {
	return last(n) == (11-weightedSum(n, 9, 8, 7, 6, 5, 4, 3, 2)%11)%11%10
}

// romanian is the rule of the CUI.
func romanian(n string) bool { return CUI(value(n)).Valid() }

// swedish numbers are the numbers of organisations or persons, followed by two more digits.
func swedish(n string) bool { return passesLuhn(n[:10]) }

func slovenian(n string) bool {
	control := 11 - weightedSum(n, 8, 7, 6, 5, 4, 3, 2)%11
	if control == 10 {
		control = 0
	}
	return last(n) == control // not 11: such numbers are not issued
}

func slovak(n string) bool { return value(n)%11 == 0 }

// northernIrish is the rule of the United Kingdom. Newer numbers have a remainder of 42 or 55 instead of 0. Numbers of
// departments and health authorities have no check digit.
func northernIrish(n string) bool {
	if n[0] > '9' {
		return true
	}

	remainder := (weightedSum(n, 8, 7, 6, 5, 4, 3, 2) + value(n[7:9])) % 97
	return remainder == 0 || value(n[:3]) >= 100 && (remainder == 42 || remainder == 55)
}
