package onrc

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/rodata/rodata/upstream/internal/index"
	"github.com/rodata/rodata/upstream/internal/words"
)

// Representatives are who acts for a company, by name and role. Nothing else
// about persons is kept.
type Representatives struct {
	// Governance are those whom the company or the law of companies appoints.
	Governance []Representative `json:"governance"`
	// Procedural are those whom a court or the creditors appoint: liquidators and
	// administrators of insolvency.
	Procedural []Representative `json:"procedural"`
}

// Representative is one of them, a person or a company.
type Representative struct {
	Name string `json:"name"`
	// Role is as the register words it, in Romanian: administrator, lichidator
	// judiciar, titular.
	Role string `json:"role"`
}

// maxRepresentatives bounds the list of one company. The real ones with the most
// are cooperatives, with some tens.
const maxRepresentatives = 500

// proceduralRoles are in the roles of those whom a procedure appoints, folded.
var proceduralRoles = []string{"lichidator", "judiciar", "insolvent", "concordat", "administrator special", "sechestru", "curator", "sindic"}

// add puts a representative into the group of the role.
func (r *Representatives) add(name, role string, dropped tally) {
	one := Representative{Name: clean(name), Role: clean(role)}
	if !says(one.Name) {
		dropped[namelessPerson]++
		return
	}
	group := &r.Governance
	folded := words.Fold(one.Role)
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

// encoded is the JSON of the representatives, nil when there are none.
func (r *Representatives) encoded() []byte {
	if len(r.Governance)+len(r.Procedural) == 0 {
		return nil
	}
	full := Representatives{Governance: append([]Representative{}, r.Governance...), Procedural: append([]Representative{}, r.Procedural...)}
	body, err := json.Marshal(full)
	if err != nil { // texts always encode
		panic(err)
	}
	return body
}

// RepresentativesOf are the representatives of a company of the index; two empty
// lists when it has none.
func RepresentativesOf(f index.Firm) (Representatives, error) {
	r := Representatives{Governance: []Representative{}, Procedural: []Representative{}}
	if len(f.Extra) == 0 {
		return r, nil
	}
	err := json.Unmarshal(f.Extra, &r)
	return r, err
}
