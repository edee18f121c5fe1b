package standin

// State is the state of an invented company.
type State int

// The states, with the trade register's status codes in the comments; the tax authority has its own texts for them.
const (
	Registered   State = iota // 1048, in operation
	Resumed                   // 1048, in operation again after a suspension
	Arrived                   // 1048, moved its registered office into another county
	Left                      // 1048, the same as seen from the previous county
	Modified                  // 1048 and 2069: in operation, the registered office's lease expired
	Suspended                 // 1048 and 1074
	Dissolved                 // 1049
	Merged                    // 1049, dissolved by merger
	Liquidating               // 1052
	Insolvent                 // 1048 and 1107
	Reorganizing              // 1048 and 1057
	Bankrupt                  // 1048 and 1070
	StruckOff                 // 1084
)

// wording is the registers' wording for a state.
type wording struct {
	text  string   // the beginning of the tax authority's registration status
	codes []string // the trade register's status codes
	ended bool     // the company no longer trades, so its VAT period is closed
}

var wordings = [...]wording{
	Registered:   {"INREGISTRAT", []string{"1048"}, false},
	Resumed:      {"RELUARE ACTIVITATE", []string{"1048"}, false},
	Arrived:      {"TRANSFER(SOSIRE)", []string{"1048"}, false},
	Left:         {"TRANSFER(PLECARE)", []string{"1048"}, false},
	Modified:     {"MODIFICARE", []string{"1048", "2069"}, false},
	Suspended:    {"SUSPENDARE ACTIVITATE", []string{"1074", "1048"}, false},
	Dissolved:    {"DIZOLVARE", []string{"1049"}, true},
	Merged:       {"DIZOLVARE FARA LICHIDARE(FUZIUNE)", []string{"1049"}, true},
	Liquidating:  {"DIZOLVARE", []string{"1052"}, true},
	Insolvent:    {"INREGISTRAT", []string{"1048", "1107"}, false},
	Reorganizing: {"INREGISTRAT", []string{"1057", "1048"}, false},
	Bankrupt:     {"INREGISTRAT", []string{"1070", "1048"}, false},
	StruckOff:    {"RADIERE", []string{"1084"}, true},
}
