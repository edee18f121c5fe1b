package onrc

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/search"
)

// extra is data of a company that the index stores without interpreting it.
type extra struct {
	Representatives
	// Proceedings are the codes of its states that concern proceedings.
	Proceedings []company.StateCode `json:"proceedings,omitempty"`
}

// addState adds the code of a state if the state concerns proceedings. The codes stay sorted.
func (e *extra) addState(code, name string, state company.StateRegistration) {
	at, known := slices.BinarySearchFunc(e.Proceedings, code, func(c company.StateCode, code string) int {
		return strings.Compare(c.Code, code)
	})
	if !inProceedings[state] || known {
		return
	}

	e.Proceedings = slices.Insert(e.Proceedings, at, company.StateCode{Code: strings.Clone(code), Name: clean(name)})
}

// encode returns the JSON of the extra. It returns nil if the extra is empty.
func (e *extra) encode() []byte {
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

// extraOf returns the extra of a company in the index. Its lists are never nil.
func extraOf(f search.Firm) (e extra, err error) {
	e = extra{Representatives{[]Representative{}, []Representative{}}, []company.StateCode{}}
	if len(f.Extra) > 0 {
		err = json.Unmarshal(f.Extra, &e)
	}
	return e, err
}

// RepresentativesOf returns the representatives of a company in the index. If it has none, both lists are empty.
func RepresentativesOf(f search.Firm) (Representatives, error) {
	e, err := extraOf(f)
	return e.Representatives, err
}

// ProceedingsOf returns the codes of a company's states that concern proceedings: insolvency, reorganisation,
// bankruptcy, dissolution, liquidation. For a company that was struck off, they show how that came about. If there are
// none, the list is empty.
func ProceedingsOf(f search.Firm) ([]company.StateCode, error) {
	e, err := extraOf(f)
	return e.Proceedings, err
}
