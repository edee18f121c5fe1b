package main

import (
	"bytes"
	"fmt"
	"strings"
)

// caen makes a line of each Rev.3 code: the code, its Romanian and its English
// name, and for a class the Rev.2 classes that it replaces, separated by commas.
// Where that is the class's own code alone the field is empty, where it is none
// a hyphen. What stands above a code follows from the order of the lines and
// from the digits; which codes Rev.3 dropped, from those that are replaced.
func caen(dir string) ([]byte, error) {
	rev3, err := table(dir, "rev3.tsv")
	if err != nil {
		return nil, err
	}

	replaced, err := replacedCodes(dir)
	if err != nil {
		return nil, err
	}

	var out bytes.Buffer
	section := ""
	for _, row := range rev3 {
		code := row["code"]
		parent := ""
		switch len(code) {
		case 1:
			section = code
		case 2:
			parent = section
		default:
			parent = code[:len(code)-1]
		}

		if row["parent"] != parent {
			return nil, fmt.Errorf("rev3.tsv: the parent of %s is %q, not %q", code, row["parent"], parent)
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\n", code, row["name_ro"], row["name_en"], replacedField(code, replaced[code]))
		delete(replaced, code)
	}

	for code := range replaced {
		return nil, fmt.Errorf("rev2_rev3.tsv names %s, which Rev.3 has not", code)
	}
	return out.Bytes(), nil
}

// replacedCodes are the Rev.2 classes that each Rev.3 class replaces.
func replacedCodes(dir string) (map[string][]string, error) {
	rev2, err := table(dir, "rev2.tsv")
	if err != nil {
		return nil, err
	}

	pairs, err := table(dir, "rev2_rev3.tsv")
	if err != nil {
		return nil, err
	}

	unmapped := map[string]bool{}
	for _, row := range rev2 {
		if len(row["code"]) == 4 {
			unmapped[row["code"]] = true
		}
	}

	replaced := map[string][]string{}
	for _, row := range pairs {
		replaced[row["rev3"]] = append(replaced[row["rev3"]], row["rev2"])
		delete(unmapped, row["rev2"])
	}

	for code := range unmapped {
		return nil, fmt.Errorf("rev2_rev3.tsv does not say what became of %s", code)
	}
	return replaced, nil
}

func replacedField(code string, replaced []string) string {
	switch {
	case len(code) == 4 && len(replaced) == 0:
		return "-"
	case len(replaced) == 1 && replaced[0] == code:
		return ""
	}
	return strings.Join(replaced, ",")
}
