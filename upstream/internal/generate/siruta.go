package main

import (
	"bytes"
	"fmt"
)

// letters are the kinds of places as the text has them. What belongs to a
// municipality, town or commune without being it is a village.
var letters = map[string]string{
	"municipality": "M", "municipality_seat": "V", "municipality_component": "V",
	"town": "T", "town_seat": "V", "town_component": "V",
	"commune": "C", "commune_seat": "V", "village": "V", "sector": "S",
}

// siruta makes a line of each county, followed by a line of each of its places:
//
//	J  county number  plate code  SIRUTA code  name
//	M  SIRUTA code    name  tax authority's code  its second code there
//
// The first field of a place is M for a municipality, T for a town, C for a
// commune, V for a village, S for a sector. A village or sector belongs to the
// last M, T or C above it. A settlement that is the same place as what it
// belongs to has no line.
func siruta(dir string) ([]byte, error) {
	counties, err := table(dir, "counties.tsv")
	if err != nil {
		return nil, err
	}

	rows, err := table(dir, "localities.tsv")
	if err != nil {
		return nil, err
	}

	county := map[string]map[string]string{}
	for _, c := range counties {
		county[c["siruta"]] = c
	}

	lines := map[string]*bytes.Buffer{} // by the SIRUTA code of the county
	var current, unit string
	for _, row := range rows {
		switch {
		case county[row["parent"]] != nil:
			current, unit = row["parent"], row["siruta"]
			if lines[current] == nil {
				lines[current] = new(bytes.Buffer)
			}
		case row["parent"] != unit:
			return nil, fmt.Errorf("localities.tsv: %s does not follow %s, to which it belongs", row["siruta"], row["parent"])
		}

		letter := letters[row["kind"]]
		if letter == "" {
			return nil, fmt.Errorf("localities.tsv: %s is of the unknown kind %q", row["siruta"], row["kind"])
		}
		if row["dup"] == "" {
			fmt.Fprintf(lines[current], "%s\t%s\t%s\t%s\t%s\n", letter, row["siruta"], row["name"], row["anaf_code"], row["anaf_alt"])
		}
	}

	var out bytes.Buffer
	for _, c := range counties {
		fmt.Fprintf(&out, "J\t%s\t%s\t%s\t%s\n", c["id"], c["code"], c["siruta"], c["name"])
		if places := lines[c["siruta"]]; places != nil {
			out.Write(places.Bytes())
		}
	}

	return out.Bytes(), nil
}
