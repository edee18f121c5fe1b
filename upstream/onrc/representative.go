package onrc

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// Representatives are the persons and companies that act for a company, by name and role. No other personal data is
// kept.
type Representatives struct {
	// Governance lists the representatives appointed by the company or by company law.
	Governance []Representative `json:"governance"`
	// Procedural lists the representatives appointed by a court or the creditors: liquidators and insolvency
	// administrators.
	Procedural []Representative `json:"procedural"`
}

// Representative is a person or a company.
type Representative struct {
	Name string `json:"name"`
	// Role is the role in the register's Romanian wording, such as administrator, lichidator judiciar or titular.
	Role string `json:"role"`
}

// maxRepresentatives is the maximum length of a company's list. The longest real lists, of cooperatives, have some
// tens.
const maxRepresentatives = 500

// proceduralRoles are the folded words that mark a role as procedural.
var proceduralRoles = []string{"lichidator", "judiciar", "insolvent", "concordat", "administrator special", "sechestru",
	"curator", "sindic"}

// add adds a representative to the group of the role.
func (r *Representatives) add(name, role string, dropped reasons) {
	one := Representative{Name: clean(name), Role: clean(role)}
	if !hasContent(one.Name) {
		dropped[namelessPerson]++
		return
	}

	group := &r.Governance
	folded := spelling.Fold(one.Role)
	if slices.ContainsFunc(proceduralRoles, func(word string) bool { return strings.Contains(folded, word) }) {
		group = &r.Procedural
	}

	switch {
	case slices.Contains(*group, one):
		dropped[repeatedPerson]++
	case len(*group) == maxRepresentatives:
		dropped[tooManyPersons]++
	default:
		*group = append(*group, one)
	}
}
