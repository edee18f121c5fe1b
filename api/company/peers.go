package company

import (
	"slices"
	"sort"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// Peers compares a company's figures of a year with those of its peers: the companies whose statements of the year,
// in the Ministry of Finance's files, have the same activity. The company is one of them.
type Peers struct {
	TaxID     ro.CUI         `json:"taxId" doc:"The CUI."`
	Year      int            `json:"year" doc:"The financial year."`
	CAENCode  *string        `json:"caenCode" doc:"Main activity in the company's statement of the year, a 4-digit CAEN code of the revision then in force. Null if the files have no such statement."`
	Level     PeerLevel      `json:"level" doc:"Level requested."`
	Reason    *NoPeersReason `json:"reason" doc:"Why there are no peers; null if there are. no_activity: the company's statement has no activity. files_not_loaded, files_not_published, year_refused: the files of the year are incomplete here. Otherwise, the files have no statement of the company, with the reason as in get_statement_state."`
	Turnover  PeerFigure     `json:"turnover" doc:"Net turnover, in whole RON."`
	NetResult PeerFigure     `json:"netResult" doc:"Net profit minus net loss, in whole RON."`
	Employees PeerFigure     `json:"employees" doc:"Average number of employees."`
	Equity    PeerFigure     `json:"equity" doc:"Total capital and reserves, in whole RON; may be negative."`
	FilesAsOf *ro.Date       `json:"filesAsOf" doc:"Date of the oldest of the ministry's files of the year; null if none is loaded."`
	Sources   []Source       `json:"sources" doc:"One entry for each register that the answer uses."`
}

// Figures returns the comparisons in the order of [PeerFigures.All].
func (p *Peers) Figures() [4]*PeerFigure {
	return [...]*PeerFigure{&p.Turnover, &p.NetResult, &p.Employees, &p.Equity}
}

// PeerFigure compares one figure with that of the peers that state it. Percentiles are nearest-rank: figures that a
// peer has stated.
type PeerFigure struct {
	Value *int64     `json:"value" doc:"The company's figure; null if it is not stated."`
	Level *PeerLevel `json:"level" doc:"Level of the peers: the requested one or, if fewer than 30 state the figure, the next wider one. A division may have fewer. Null without peers."`
	Code  *string    `json:"code" doc:"CAEN code that the peers share, with as many digits as the level has: 6210, 621 or 62."`
	P10   *int64     `json:"p10" doc:"10th percentile (nearest rank); null if no peer states the figure."`
	P25   *int64     `json:"p25" doc:"25th percentile."`
	P50   *int64     `json:"p50" doc:"50th percentile, the median."`
	P75   *int64     `json:"p75" doc:"75th percentile."`
	P90   *int64     `json:"p90" doc:"90th percentile."`
	Rank  *int       `json:"rank" doc:"Position of value among the peers, 1 for the largest. Equal figures share the best position. Null without value."`
	N     int        `json:"n" doc:"Number of peers that state the figure, including the company if it does."`
}

// PeerLevel is the level of the activity that peers share.
type PeerLevel string

// The levels.
const (
	PeerClass    PeerLevel = "class"
	PeerGroup    PeerLevel = "group"
	PeerDivision PeerLevel = "division"
)

// peerLevels are the levels, the narrowest first.
var peerLevels = []PeerLevel{PeerClass, PeerGroup, PeerDivision}

// UnmarshalText parses the name of a level.
func (l *PeerLevel) UnmarshalText(text []byte) (err error) {
	*l, err = op.OneOf(text, peerLevels...)
	return err
}

// Schema lists the levels.
func (PeerLevel) Schema() jsonschema.Schema { return jsonschema.Enum(peerLevels...) }

// of returns the code of a class at the level: 62 for the division of 6210.
func (l PeerLevel) of(class string) string { return class[:4-slices.Index(peerLevels, l)] }

// NoPeersReason is a reason why a company has no peers in a year.
type NoPeersReason string

// NoActivity means that the company's statement has no activity. The other reasons are those of a statement.
const NoActivity NoPeersReason = "no_activity"

// Schema lists the reasons.
func (NoPeersReason) Schema() jsonschema.Schema {
	reasons := []NoPeersReason{NoActivity}
	for _, r := range []StatementReason{AtTaxAuthority, FiledBefore, NaturalPerson, RegisteredLater, StruckOffBefore,
		NotDue, NeverFiled, OtherForm, InProceedings, NoDate, FilesNotPublished, FilesNotLoaded, YearRefused} {
		reasons = append(reasons, NoPeersReason(r))
	}
	return jsonschema.Enum(reasons...)
}

// minPeers is the number of peers below which those of the next wider level are used.
const minPeers = 30

// PeerFigures are the figures of companies in the statements of a year.
type PeerFigures struct{ Turnover, NetResult, Employees, Equity Distribution }

// All returns the distributions of turnover, net result, employees and equity.
func (p *PeerFigures) All() [4]*Distribution {
	return [...]*Distribution{&p.Turnover, &p.NetResult, &p.Employees, &p.Equity}
}

// Distribution holds the values of a figure in ascending order. Companies that do not state the figure have none.
type Distribution []int64

// percentile returns the smallest of the values such that at least p percent of them are no larger (nearest rank); nil
// if there are none.
func (d Distribution) percentile(p int) *int64 {
	if len(d) == 0 {
		return nil
	}
	return new(d[(p*len(d)+99)/100-1])
}

// rank returns the position of a value, 1 for the largest. Equal values share the best position.
func (d Distribution) rank(value int64) int {
	return 1 + len(d) - sort.Search(len(d), func(i int) bool { return d[i] > value })
}

// compare compares a value, which may be nil, with those of the peers who share a code.
func (d Distribution) compare(value *int64, level PeerLevel, code string) PeerFigure {
	f := PeerFigure{Value: value, Level: &level, Code: &code, N: len(d), P10: d.percentile(10), P25: d.percentile(25),
		P50: d.percentile(50), P75: d.percentile(75), P90: d.percentile(90)}
	if value != nil {
		f.Rank = new(d.rank(*value))
	}
	return f
}
