package onrc

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/search"
)

// stateCodes are the codes of the register's nomenclature (N_STARE_FIRMA) with an established meaning, as of September
// 2026.
var stateCodes = map[string]api.StateRegistration{
	"1048": api.InOperation,
	"1049": api.Dissolved,
	"1052": api.InLiquidation,
	"1057": api.InReorganization,
	"1070": api.Bankrupt,
	"1074": api.Suspended,
	"1084": api.StruckOff,
	"1107": api.Insolvent,
	"1139": api.Insolvent,
	"2069": api.UnknownState, // the lease of the registered office has expired
	"2120": api.UnknownState, // the period of a suspension has expired
}

// stateWords are folded prefixes of the nomenclature's names of states. They classify the rarer codes.
var stateWords = []struct {
	beginning string
	state     api.StateRegistration
}{
	{"functiune", api.InOperation}, {"intrerupere temporara", api.Suspended}, {"dizolvare", api.Dissolved},
	{"lichidare", api.InLiquidation}, {"reorganizare judiciara", api.InReorganization}, {"insolventa", api.Insolvent},
	{"faliment", api.Bankrupt}, {"radiat", api.StruckOff},
}

// inProceedings has the states of companies in proceedings that end, or may end, the company.
var inProceedings = map[api.StateRegistration]bool{
	api.Dissolved: true, api.InLiquidation: true, api.InReorganization: true, api.Insolvent: true, api.Bankrupt: true,
}

// ranks maps codes to positions in search.States: the codes above, and the codes that a release's nomenclature names.
// If a company has several states, the one with the highest rank counts.
func ranks(nomenclature map[string]string) map[string]uint8 {
	ranks := map[string]uint8{}
	for code, name := range nomenclature {
		for _, w := range stateWords {
			if strings.HasPrefix(spelling.Fold(name), w.beginning) {
				ranks[code] = uint8(slices.Index(search.States, w.state))
			}
		}
	}

	for code, state := range stateCodes {
		ranks[code] = uint8(slices.Index(search.States, state))
	}

	return ranks
}

// readStateNames reads the nomenclature of states (N_STARE_FIRMA).
func readStateNames(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	rs, err := readRows(file, []string{"COD", "DENUMIRE"}, reasons{})
	if err != nil {
		return nil, err
	}

	names, at := map[string]string{}, rs.at([]string{"COD", "DENUMIRE"})
	for {
		cells, err := rs.next()
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
		}

		names[string(cells[at[0]])] = string(cells[at[1]])
	}
}
