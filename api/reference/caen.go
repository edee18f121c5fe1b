package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Classification is CAEN Rev.3, the national classification of activities in force since 2025-01-01, with its
// correspondence to Rev.2.
type Classification interface {
	// Activity returns the entry of a code; false if Rev.3 does not have it.
	Activity(code CAENCode) (op.Answer[ActivityDetail], bool)
	// Successors returns the Rev.3 codes that replace a Rev.2 code dropped by Rev.3; nil for any other code.
	Successors(rev2 CAENCode) []Successor
	// Search returns one page of the entries that match a query, and the total number of matches.
	Search(ActivityQuery) (page []Activity, total int)
}

// Activity is an entry of the classification.
type Activity struct {
	Code              CAENCode  `json:"code" doc:"Section letter, or the digits of a division (2), group (3) or class (4)."`
	Name              string    `json:"name" doc:"Official Romanian name."`
	NameEn            string    `json:"nameEn" doc:"English name, as in NACE Rev.2.1."`
	Type              CAENLevel `json:"type" doc:"Level in the hierarchy."`
	Description       *string   `json:"description" doc:"Explanatory note; null if none is stored."`
	ParentCode        *CAENCode `json:"parentCode" doc:"Parent entry; null for a section."`
	ReplacesRev2Codes []int     `json:"replacesRev2Codes" brief:"As numbers: 0111 is 111." doc:"The Rev.2 codes of the same level that this one replaces, as numbers (0111 is 111). For a class, the official correspondence; for a group or division, the correspondence of its classes; empty for a section."`
}

// ActivityDetail is an entry with its parents and children.
type ActivityDetail struct {
	Activity
	Parents  []Activity `json:"parents" doc:"Parent entries, from the section down."`
	Children []Activity `json:"children" doc:"The direct child entries; empty for a class."`
}

// CAENCode is a section letter in upper case, or the 2 to 4 digits of a division, group or class. The empty string is
// an absent parameter.
type CAENCode string

const acceptedCAENCode = "a section letter (A to V), or 2 to 4 digits, such as K, 62, 621 or 6210"

// UnmarshalText parses a letter in any case, or digits, also with a dot after the second one.
func (c *CAENCode) UnmarshalText(text []byte) error {
	code := strings.ToUpper(string(WithoutDot(text)))
	switch {
	case len(code) == 1 && code[0] >= 'A' && code[0] <= 'Z':
	case len(code) >= 2 && len(code) <= 4 && spelling.OnlyDigits(code):
	default:
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: acceptedCAENCode}
	}

	*c = CAENCode(code)
	return nil
}

// Schema describes the format of a code.
func (CAENCode) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^([A-Za-z]|\d{2,4})$`}
}

// WithoutDot removes the dot after a division, as in 62.10.
func WithoutDot(code []byte) []byte {
	if len(code) > len("62.") && code[len("62")] == '.' {
		return slices.Concat(code[:len("62")], code[len("62."):])
	}
	return code
}

// Level returns the level of a code in this format.
func (c CAENCode) Level() CAENLevel { return caenLevels[len(c)-1] }

// Rev2Code is the 2 to 4 digits of a code of CAEN Rev.2. The empty string is an absent parameter.
type Rev2Code string

// UnmarshalText parses digits.
func (c *Rev2Code) UnmarshalText(text []byte) error {
	if len(text) < 2 || len(text) > 4 || !spelling.OnlyDigits(text) {
		return &problem.InputError{Code: problem.InvalidFormat,
			Accepted: "a Rev.2 code of 2 to 4 digits with leading zeros, such as 6201"}
	}

	*c = Rev2Code(text)
	return nil
}

// Schema describes the format of a code.
func (Rev2Code) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^\d{2,4}$`}
}

// CAENLevel is a level of the classification.
type CAENLevel string

// The levels, from the top.
const (
	Section  CAENLevel = "section"
	Division CAENLevel = "division"
	Group    CAENLevel = "group"
	Class    CAENLevel = "class"
)

var caenLevels = []CAENLevel{Section, Division, Group, Class}

// UnmarshalText parses the name of a level.
func (l *CAENLevel) UnmarshalText(text []byte) (err error) {
	*l, err = op.OneOf(text, caenLevels...)
	return err
}

// Schema lists the levels.
func (CAENLevel) Schema() jsonschema.Schema { return jsonschema.Enum(caenLevels...) }

// CheckActivity rejects the code of a filter that neither Rev.3 nor Rev.2 has. An empty code is an absent filter. noun
// says in the problem what such a code is, as in "division or group".
func CheckActivity(c Classification, parameter string, code CAENCode, accepted, noun string) error {
	if code == "" {
		return nil
	}
	if _, ok := c.Activity(code); ok || len(c.Successors(code)) > 0 {
		return nil
	}

	return problem.Invalid(&problem.InputError{Parameter: parameter, Code: problem.NoSuchValue,
		Received: problem.Excerpt(string(code)), Suggestion: nearestActivity(c, code), Accepted: accepted,
		Reason: "there is no CAEN " + noun + " " + problem.Quoted(string(code))})
}

// nearestActivity returns the code of the same length with the nearest number. It is empty for a letter.
func nearestActivity(c Classification, code CAENCode) string {
	number, err := strconv.Atoi(string(code))
	for distance := 1; err == nil && distance < 100; distance++ {
		for _, n := range []int{number - distance, number + distance} {
			near := fmt.Sprintf("%0*d", len(code), max(0, n))
			if _, ok := c.Activity(CAENCode(near)); ok {
				return near
			}
		}
	}

	return ""
}

// noSuchActivity is the problem of a code without an entry.
func noSuchActivity(c Classification, code CAENCode) *problem.Problem {
	if successors := SuccessorsOf(c, code); len(successors) > 0 {
		p := ReplacedBy(code, successors)
		if _, ok := c.Activity("0" + code); ok {
			p.Detail += fmt.Sprintf("; the class is 0%s", code)
		}
		return p
	}
	return problem.NotFound.New("CAEN Rev.3 has no code %s; sections run from A to V; find codes by name with "+
		"search_caen_codes (GET /v1/caen-codes?q=...)", code)
}

// ReplacedCode holds the extension members of a caen-code-replaced problem.
type ReplacedCode struct {
	Successors []Successor `json:"successors" doc:"The codes that replace a dropped CAEN Rev.2 code."`
}

// Successor is a CAEN Rev.3 code that replaces a dropped Rev.2 code.
type Successor struct {
	Code   string    `json:"code" doc:"Rev.3 code."`
	Name   string    `json:"name" doc:"Official Romanian name."`
	NameEn string    `json:"nameEn" doc:"English name, as in NACE Rev.2.1."`
	Type   CAENLevel `json:"type" doc:"Level in the hierarchy."`
}

// SuccessorsOf returns the Rev.3 codes that replace a code that Rev.3 dropped; none for any other code.
func SuccessorsOf(c Classification, code CAENCode) []Successor {
	if code == "" {
		return nil
	}
	return c.Successors(code)
}

// SuccessorCodes returns the codes of the successors.
func SuccessorCodes(c Classification, code CAENCode) (codes []CAENCode) {
	for _, successor := range SuccessorsOf(c, code) {
		codes = append(codes, CAENCode(successor.Code))
	}
	return codes
}

// ReplacedBy is the problem of a code that Rev.3 replaced.
func ReplacedBy(code CAENCode, successors []Successor) *problem.Problem {
	codes := make([]string, len(successors))
	for i, s := range successors {
		codes[i] = s.Code
	}

	p := problem.CAENCodeReplaced.New("%s is a code of CAEN Rev.2 that Rev.3 dropped; use instead: %s", code,
		strings.Join(codes, ", "))
	p.Extensions = ReplacedCode{successors}
	return p
}
