package onrc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/upstream/caen"
)

// activities holds the codes seen so far, by the register's spelling. Millions of rows have only thousands of
// spellings.
type activities map[string]string

// read returns an activity preceded by the number of its revision, such as "2:6201". It reads two cells, "6201^2", or
// "6201^Versiunea 2008" in releases before 2025. It returns the empty text if it does not understand the cells.
func (a activities) read(cells string) string {
	code, ok := a[cells]
	if !ok {
		code = readActivity(cells)
		if len(a) < 100_000 {
			a[strings.Clone(cells)] = code
		}
	}

	return code
}

var revisions = map[string]string{
	"0": "0", "1": "1", "2": "2", "3": "3",
	"VERSIUNEA 1998": "0", "VERSIUNEA 2003": "1", "VERSIUNEA 2008": "2", "VERSIUNEA 2025": "3",
}

func readActivity(cells string) string {
	code, version, _ := strings.Cut(cells, "^")
	revision := revisions[strings.ToUpper(version)]
	code = fourDigits(code)
	if revision == "" || code == "" {
		return ""
	}

	return revision + ":" + code
}

// fourDigits returns a code, and restores a lost leading zero. It returns the empty text if the text is not a code.
func fourDigits(code string) string {
	if len(code) == 3 {
		code = "0" + code
	}
	if len(code) != 4 || strings.Trim(code, "0123456789") != "" || code == "0000" {
		return ""
	}
	return code
}

// currentClass returns a main activity as a class of Rev.3; 0 is an unknown one. Statements use the classes of the
// revision then in force, without naming the revision. A code of Rev.3 is kept. A code that Rev.3 replaced with a
// single class becomes that class. If there are several replacements, it becomes the one for which the company is
// authorised. Otherwise the code is kept.
func currentClass(number uint16, authorised []string) string {
	if number == 0 {
		return ""
	}

	code := fmt.Sprintf("%04d", number)
	successors := caen.Load().Successors(reference.CAENCode(code)) // none for a code of Rev.3
	if len(successors) == 1 {
		return successors[0].Code
	}

	for _, s := range successors {
		if slices.Contains(authorised, "3:"+s.Code) {
			return s.Code
		}
	}

	return code
}
