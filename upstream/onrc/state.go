package onrc

import (
	"io"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/search"
)

// seatExpired is the code of a company whose right to use its registered office has expired, "sediu expirat" in the
// nomenclature of September 2026 (N_STARE_FIRMA, data.gov.ro). The tax authority declares such a company inactive (Law
// 207/2015, article 92 paragraph (1) letter g).
const seatExpired = "2069"

// stateCodes are the codes of the register's nomenclature (N_STARE_FIRMA) with an established meaning, as of September
// 2026.
var stateCodes = map[string]company.StateRegistration{
	"1048": company.InOperation,
	"1049": company.Dissolved,
	"1052": company.InLiquidation,
	"1057": company.InReorganization,
	"1070": company.Bankrupt,
	"1074": company.Suspended,
	"1084": company.StruckOff,
	"1107": company.Insolvent,
	"1139": company.Insolvent,

	seatExpired: company.UnknownState,
	"2120":      company.UnknownState, // the period of a suspension has expired
}

// stateWords are folded prefixes of the nomenclature's names of states. They classify the rarer codes.
var stateWords = []struct {
	beginning string
	state     company.StateRegistration
}{
	{"functiune", company.InOperation}, {"intrerupere temporara", company.Suspended}, {"dizolvare", company.Dissolved},
	{"lichidare", company.InLiquidation}, {"reorganizare judiciara", company.InReorganization}, {"insolventa",
		company.Insolvent},
	{"faliment", company.Bankrupt}, {"radiat", company.StruckOff},
}

// inProceedings lists the states of companies in proceedings that end, or may end, the company.
var inProceedings = map[company.StateRegistration]bool{
	company.Dissolved: true, company.InLiquidation: true, company.InReorganization: true, company.Insolvent: true,
	company.Bankrupt: true,
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
func readStateNames(file io.Reader) (map[string]string, error) {
	rs, err := readRows(file, []string{"COD", "DENUMIRE"}, reasons{})
	if err != nil {
		return nil, err
	}

	names, at := map[string]string{}, rs.positions([]string{"COD", "DENUMIRE"})
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
