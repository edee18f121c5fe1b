package system

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// MaxHistoryDays is the length of the history.
const MaxHistoryDays = 90

type getStatusHistoryInput struct {
	Days HistoryDays `arg:"days" doc:"Number of days (UTC), including today: 1 to 90; default 30." default:"30" example:"90"`
}

// HistoryDays is a number of days, 1 to MaxHistoryDays.
type HistoryDays int

// UnmarshalText parses 1 to 90, without sign or leading zeros.
func (d *HistoryDays) UnmarshalText(text []byte) (err error) {
	*d, err = op.WholeNumber[HistoryDays](text, 1, MaxHistoryDays)
	return err
}

// Schema describes the format of a number of days.
func (HistoryDays) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: "^(90|[1-8][0-9]|[1-9])$",
		Precise: &jsonschema.Schema{Type: "integer", Minimum: new(1), Maximum: new(MaxHistoryDays)}}
}

// StatusHistory is the availability of the registries by day.
type StatusHistory struct {
	Sources []SourceHistory `json:"sources" doc:"The registries."`
}

// SourceHistory is the availability of a registry by day.
type SourceHistory struct {
	Name      string      `json:"name" doc:"anaf, onrc or bnr."`
	Days      []StatusDay `json:"days" doc:"The requested days, ascending; the last one is today."`
	Incidents []Incident  `json:"incidents" doc:"Periods in these days when the state was stale or down, newest first, at most 50. An incident ends where an unknown period begins."`
}

// StatusDay has the durations of a registry's states on a day. They add up to the length of the day, or of its elapsed
// part.
type StatusDay struct {
	Date    ro.Date `json:"date" doc:"Day in UTC, YYYY-MM-DD."`
	OK      int64   `json:"ok" doc:"Seconds in the state ok."`
	Stale   int64   `json:"stale" doc:"Seconds in the state stale."`
	Down    int64   `json:"down" doc:"Seconds in the state down."`
	Unknown int64   `json:"unknown" doc:"Seconds in the state unknown: the service was not running, or had not yet queried the registry."`
}

// Incident is a period in which a registry was not ok.
type Incident struct {
	From  time.Time  `json:"from" doc:"When it began, UTC."`
	To    *time.Time `json:"to" doc:"When it ended, UTC; null while it lasts."`
	State string     `json:"state" doc:"stale or down, as in get_status."`
}

// GetStatusHistory returns the operation get_status_history.
func GetStatusHistory(history func(days int) []SourceHistory) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_status_history", Method: "GET", Path: "/v1/status/history", Tag: tag.System,
		Title: "Get the registries' availability by day",
		Description: "For each registry, how many seconds of each day (UTC) it was ok, stale or down, as in " +
			"get_status, and the periods when it was not ok. A registry that was down stays down until it answers " +
			"again. The data comes from the answering server's own observations, at most 90 days back; times when it " +
			"was not running, or had not queried it yet, are unknown, never ok.",
	}, func(_ context.Context, _ account.Caller, in getStatusHistoryInput) (op.Answer[StatusHistory], error) {
		return op.Answer[StatusHistory]{Value: StatusHistory{history(int(in.Days))}}, nil
	})
}
