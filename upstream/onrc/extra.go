package onrc

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/search"
)

// Extra is data of a company that the index stores without interpreting it.
type Extra struct {
	Representatives
	// Proceedings are the codes of its states that concern proceedings: insolvency, reorganisation, bankruptcy,
	// dissolution, liquidation. For a company that was struck off, they show how that came about.
	Proceedings []company.StateCode `json:"proceedings,omitempty"`
}

// addState adds the code of a state if the state concerns proceedings. The codes stay sorted.
func (e *Extra) addState(code, name string, state company.StateRegistration) {
	at, known := slices.BinarySearchFunc(e.Proceedings, code, func(c company.StateCode, code string) int {
		return strings.Compare(c.Code, code)
	})
	if !inProceedings[state] || known {
		return
	}

	e.Proceedings = slices.Insert(e.Proceedings, at, company.StateCode{Code: strings.Clone(code), Name: clean(name)})
}

// encode returns the JSON of the extra. It returns nil if the extra is empty.
func (e *Extra) encode() []byte {
	if len(e.Governance)+len(e.Procedural)+len(e.Proceedings) == 0 {
		return nil
	}

	full := *e
	full.Governance = append([]Representative{}, e.Governance...) // not null in JSON
	full.Procedural = append([]Representative{}, e.Procedural...)
	body, err := json.Marshal(full)
	if err != nil { // texts always encode
		panic(err)
	}

	return body
}

// ExtraOf returns the extra of a company in the index. Its lists are never nil.
func ExtraOf(f search.Firm) (e Extra, err error) {
	e = Extra{Representatives{[]Representative{}, []Representative{}}, []company.StateCode{}}
	if len(f.Extra) > 0 {
		err = json.Unmarshal(f.Extra, &e)
	}
	return e, err
}

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
