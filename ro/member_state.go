package ro

import "strings"

// MemberState is the code that VIES uses for a member state: ISO 3166-1, except EL for Greece and XI for Northern
// Ireland, whose traders in goods are in VIES.
type MemberState string

// MemberStates are all states of VIES, in the order of their codes.
var MemberStates = []MemberState{
	"AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "HR", "HU",
	"IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "XI",
}

// IsKnown reports whether the state is in VIES.
func (s MemberState) IsKnown() bool { return rules[s] != nil }

// Name returns the English name of a state in VIES. It is empty for any other code.
func (s MemberState) Name() string {
	if r := rules[s]; r != nil {
		return r.name
	}
	return ""
}

// form describes the format of the state's numbers in words: "DE and 9 digits".
func (s MemberState) form() string { return string(s) + " and " + rules[s].form }

// rule is the rule for a state's numbers.
type rule struct {
	name string
	form string // in words
	// shapes are the possible forms of the part after the state's code: # is a digit, + a digit other than 0, @ a
	// letter, ? a letter or a digit, & a letter, + or *. Any other character stands for itself.
	shapes []string
	// check reports whether the check digit is correct. If the rule of a state or of some of its numbers is not
	// published, or if sources contradict each other, check is nil or returns true, and only the shape counts.
	check func(string) bool
	// canonical adds or removes optional leading zeros; nil if there are none.
	canonical func(string) string
}

// rules holds the rule of every state. The formats are published by the Commission in the VIES FAQ; the check digits by
// the states, and verified with python-stdnum.
var rules = map[MemberState]*rule{
	"AT": {name: "Austria", form: "U and 8 digits", shapes: []string{"U########"}, check: austrian},
	"BE": {name: "Belgium", form: "10 digits, of which the first is 0 or 1",
		shapes: []string{"0#########", "1#########"}, check: belgian, canonical: padZero(10)},
	"BG": {name: "Bulgaria", form: "9 or 10 digits", shapes: []string{"#########", "##########"}, check: bulgarian},
	"CY": {name: "Cyprus", form: "8 digits and a letter", shapes: []string{"########@"}, check: cypriot},
	"CZ": {name: "Czechia", form: "8 to 10 digits", shapes: []string{"########", "#########", "##########"},
		check: czech},
	"DE": {name: "Germany", form: "9 digits, of which the first is not 0", shapes: []string{"+########"},
		check: mod11and10},
	"DK": {name: "Denmark", form: "8 digits, of which the first is not 0", shapes: []string{"+#######"},
		check: divisible(11, 2, 7, 6, 5, 4, 3, 2, 1)},
	"EE": {name: "Estonia", form: "9 digits", shapes: []string{"#########"},
		check: divisible(10, 3, 7, 1, 3, 7, 1, 3, 7, 1)},
	"EL": {name: "Greece", form: "9 digits", shapes: []string{"#########"}, check: greek, canonical: padZero(9)},
	"ES": {name: "Spain", form: "9 characters: letters first, last or both, and digits between them",
		shapes: []string{"@#######?", "########@"}, check: spanish},
	"FI": {name: "Finland", form: "8 digits", shapes: []string{"########"},
		check: divisible(11, 7, 9, 10, 5, 8, 4, 2, 1)},
	"FR": {name: "France", form: "2 letters or digits and 9 digits", shapes: []string{"??#########"}, check: french},
	"HR": {name: "Croatia", form: "11 digits", shapes: []string{"###########"}, check: mod11and10},
	"HU": {name: "Hungary", form: "8 digits", shapes: []string{"########"},
		check: divisible(10, 9, 7, 3, 1, 9, 7, 3, 1)},
	"IE": {name: "Ireland", form: "7 digits and 1 or 2 letters; in old numbers the second digit is a letter, + or *",
		shapes: []string{"#######@", "#######@@", "#&#####@"}, check: irish},
	"IT": {name: "Italy", form: "11 digits", shapes: []string{"###########"}, check: passesLuhn},
	"LT": {name: "Lithuania", form: "9 or 12 digits, of which the last but one is 1",
		shapes: []string{"#######1#", "##########1#"}, check: lithuanian},
	"LU": {name: "Luxembourg", form: "8 digits", shapes: []string{"########"}, check: luxembourgish},
	"LV": {name: "Latvia", form: "11 digits", shapes: []string{"###########"}, check: latvian},
	"MT": {name: "Malta", form: "8 digits, of which the first is not 0", shapes: []string{"+#######"},
		check: divisible(37, 3, 4, 6, 7, 8, 9, 10, 1)},
	"NL": {name: "the Netherlands", form: "9 digits, B and 2 digits", shapes: []string{"#########B##"}, check: dutch},
	"PL": {name: "Poland", form: "10 digits", shapes: []string{"##########"},
		check: divisible(11, 6, 5, 7, 2, 3, 4, 5, 6, 7, -1)},
	"PT": {name: "Portugal", form: "9 digits, of which the first is not 0", shapes: []string{"+########"},
		check: portuguese},
	"RO": {name: "Romania", form: "2 to 10 digits, the company's CUI", shapes: romanianShapes(), check: romanian,
		canonical: withoutZeros},
	"SE": {name: "Sweden", form: "12 digits", shapes: []string{"############"}, check: swedish},
	"SI": {name: "Slovenia", form: "8 digits, of which the first is not 0", shapes: []string{"+#######"},
		check: slovenian},
	"SK": {name: "Slovakia", form: "10 digits", shapes: []string{"##########"}, check: slovak},
	"XI": {name: "Northern Ireland", form: "9 or 12 digits, or GD or HA and 3 digits",
		shapes: []string{"#########", "############", "GD###", "HA###"}, check: northernIrish},
}

// fits reports whether a number without the state's code has one of the shapes.
func (r *rule) fits(national string) bool {
	for _, shape := range r.shapes {
		if len(shape) == len(national) && matches(shape, national) {
			return true
		}
	}

	return false
}

func matches(shape, national string) bool {
	for i := range len(shape) {
		c := national[i]
		digit, letter := c >= '0' && c <= '9', c >= 'A' && c <= 'Z'
		var ok bool
		switch shape[i] {
		case '#':
			ok = digit
		case '+':
			ok = digit && c != '0'
		case '@':
			ok = letter
		case '?':
			ok = digit || letter
		case '&':
			ok = letter || c == '+' || c == '*'
		default:
			ok = c == shape[i]
		}

		if !ok {
			return false
		}
	}

	return true
}

// padZero adds a leading zero to a number that is one digit short.
func padZero(length int) func(string) string {
	return func(national string) string {
		if len(national) == length-1 {
			return "0" + national
		}
		return national
	}
}

func withoutZeros(national string) string { return strings.TrimLeft(national, "0") }

func romanianShapes() (shapes []string) {
	for length := 2; length <= 10; length++ {
		shapes = append(shapes, "+"+strings.Repeat("#", length-1))
	}
	return shapes
}
