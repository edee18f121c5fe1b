package onrc

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/caen"
)

// activities are the codes seen so far, by the register's spelling: there are thousands of them on millions of rows.
type activities map[string]string

// read returns an activity preceded by the number of its revision, "2:6201", from two cells: "6201^2", or
// "6201^Versiunea 2008" in releases before 2025. It is empty if the cells are not understood.
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

// fourDigits returns a code, restoring a lost leading zero; empty if it is not a code.
func fourDigits(code string) string {
	if len(code) == 3 {
		code = "0" + code
	}
	if len(code) != 4 || strings.Trim(code, "0123456789") != "" || code == "0000" {
		return ""
	}
	return code
}

// currentClass returns a main activity as a class of Rev.3. Statements name classes of the revision then in force,
// without saying which: a code of Rev.3 is kept; one that Rev.3 replaced with a single class becomes that class; with
// several, the one that the company is authorised for. Otherwise it is kept.
func currentClass(code string, authorised []string) string {
	if code == "" {
		return ""
	}
	successors := caen.Load().Successors(api.CAENCode(code)) // none for a code of Rev.3
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
