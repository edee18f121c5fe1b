package company

import (
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// Insolvency is the trade register's data about proceedings that end a company, or may: insolvency, dissolution and
// liquidation.
type Insolvency struct {
	State           InsolvencyState       `json:"state" doc:"none: no proceedings in the trade register. unknown: the company is not in it, or it has not been loaded, so there may be proceedings. struck_off: the company no longer exists."`
	Proceedings     *Proceedings          `json:"proceedings" doc:"The kind of proceedings: insolvency (Law 85/2014) or winding_up (dissolution and liquidation, Law 31/1990); null when there are none, or when unknown."`
	Label           Label                 `json:"label" doc:"The state in words."`
	Codes           []StateCode           `json:"codes" nullable:"true" doc:"The trade register's codes for the proceedings, including finished ones once the company is struck off; empty if it lists none, null if they are not known."`
	Since           *ro.Date              `json:"since" doc:"Date of dissolution or striking off, if the tax authority's text states it. The trade register's open data does not date proceedings."`
	Representatives []LegalRepresentative `json:"representatives" nullable:"true" doc:"Insolvency administrators and liquidators appointed by a court or by the creditors. null without a key of an account with a verified e-mail, and if they are not known."`
	DataThrough     *ro.Date              `json:"dataThrough" doc:"Date of the trade register's release, published about once a month; null if the company is not in it."`
}

// InsolvencyState is the kind of proceedings that a company is in.
type InsolvencyState string

// The states that StateRegistration lacks.
const (
	NoProceedings      InsolvencyState = "none"
	UnknownProceedings InsolvencyState = "unknown"
)

// Proceedings returns the proceedings in which a company with a state is.
func (s StateRegistration) Proceedings() InsolvencyState {
	switch s {
	case InOperation, Suspended:
		return NoProceedings
	case UnknownState, "":
		return UnknownProceedings
	}

	return InsolvencyState(s)
}

// insolvencyStates lists all states.
var insolvencyStates = []InsolvencyState{
	NoProceedings, InsolvencyState(Dissolved), InsolvencyState(InLiquidation), InsolvencyState(InReorganization),
	InsolvencyState(Insolvent), InsolvencyState(Bankrupt), InsolvencyState(StruckOff), UnknownProceedings,
}

// Schema lists the states.
func (InsolvencyState) Schema() jsonschema.Schema { return jsonschema.Enum(insolvencyStates...) }

// Proceedings is the law that governs the proceedings.
type Proceedings string

// The kinds of proceedings.
const (
	// InsolvencyProceedings are proceedings under Law 85/2014.
	InsolvencyProceedings Proceedings = "insolvency"
	// WindingUp is dissolution and liquidation by Law 31/1990.
	WindingUp Proceedings = "winding_up"
)

// Schema lists the kinds.
func (Proceedings) Schema() jsonschema.Schema {
	return jsonschema.Enum(InsolvencyProceedings, WindingUp)
}

// Label is a text in both languages.
type Label struct {
	Romanian string `json:"ro" doc:"In Romanian."`
	English  string `json:"en" doc:"In English."`
}

// StateCode is one of the trade register's codes of a company's state.
type StateCode struct {
	Code string `json:"code" doc:"Code in the nomenclature N_STARE_FIRMA: 1107."`
	Name string `json:"name,omitempty" doc:"The nomenclature's Romanian name for the code; absent if the release came without the nomenclature."`
}

// insolvencyWords has the labels and the law of each state.
var insolvencyWords = map[InsolvencyState]struct {
	label Label
	law   Proceedings
}{
	NoProceedings:                  {Label{"fără proceduri în registrul comerțului", "no proceedings in the trade register"}, ""},
	InsolvencyState(Dissolved):     {Label{"în dizolvare", "being dissolved"}, WindingUp},
	InsolvencyState(InLiquidation): {Label{"în lichidare", "in liquidation"}, WindingUp},
	InsolvencyState(InReorganization): {Label{"în reorganizare judiciară", "in judicial reorganisation"},
		InsolvencyProceedings},
	InsolvencyState(Insolvent): {Label{"în insolvență", "in insolvency proceedings"}, InsolvencyProceedings},
	InsolvencyState(Bankrupt):  {Label{"în faliment", "in bankruptcy"}, InsolvencyProceedings},
	InsolvencyState(StruckOff): {Label{"radiată", "struck off"}, ""},
	UnknownProceedings:         {Label{"nu se știe", "not known"}, ""},
}

// NewInsolvency returns the view of a state, with its labels and law.
func NewInsolvency(state InsolvencyState) *Insolvency {
	words := insolvencyWords[state]
	i := &Insolvency{State: state, Label: words.label}
	if words.law != "" {
		i.Proceedings = &words.law
	}

	return i
}
