package monitoring

import (
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// EventKind is a kind of event, named in the style of Standard Webhooks: words of letters, digits and underscores,
// separated by full stops.
type EventKind string

// The kinds of events.
const (
	VATRegistered          EventKind = "company.vat.registered"
	VATCancelled           EventKind = "company.vat.cancelled"
	VATOnCollectionStarted EventKind = "company.vat_on_collection.started"
	VATOnCollectionEnded   EventKind = "company.vat_on_collection.ended"
	InactiveDeclared       EventKind = "company.inactive.declared"
	InactiveLifted         EventKind = "company.inactive.lifted"
	EInvoiceRegistered     EventKind = "company.e_invoice.registered"
	EInvoiceRemoved        EventKind = "company.e_invoice.removed"
	StateChanged           EventKind = "company.state.changed"
	NameChanged            EventKind = "company.name.changed"
	SeatChanged            EventKind = "company.seat.changed"
	FiscalDomicileChanged  EventKind = "company.fiscal_domicile.changed"
	ActivityChanged        EventKind = "company.activity.changed"
	ContactChanged         EventKind = "company.contact.changed"
	StatementFiled         EventKind = "company.statement.filed"
	CompanyUnknown         EventKind = "company.unknown"
	WatchlistUnpaid        EventKind = "watchlist.unpaid"
	JobCompleted           EventKind = "job.completed"
	FXPublished            EventKind = "fx.published"
	RegisterReleased       EventKind = "register.released"
	SeatExpired            EventKind = "company.seat.expired"
	SeatRenewed            EventKind = "company.seat.renewed"
	StatementAbsent        EventKind = "company.statement.absent"
)

// EventKinds lists all kinds. The index of a kind is its bit in an [EventSet], so new kinds are only added at the end.
var EventKinds = []EventKind{
	VATRegistered, VATCancelled, VATOnCollectionStarted, VATOnCollectionEnded, InactiveDeclared, InactiveLifted,
	EInvoiceRegistered, EInvoiceRemoved, StateChanged, NameChanged, SeatChanged, FiscalDomicileChanged, ActivityChanged,
	ContactChanged, StatementFiled, CompanyUnknown, WatchlistUnpaid, JobCompleted, FXPublished, RegisterReleased,
	SeatExpired, SeatRenewed, StatementAbsent,
}

// UnmarshalText parses the name of a kind.
func (k *EventKind) UnmarshalText(text []byte) error {
	*k = EventKind(text)
	if !slices.Contains(EventKinds, *k) {
		return &problem.InputError{Code: problem.NotOneOf, Accepted: "a kind of event, such as company.vat.cancelled"}
	}
	return nil
}

// Schema lists the kinds.
func (EventKind) Schema() jsonschema.Schema { return jsonschema.Enum(EventKinds...) }

// EventSet is a set of kinds, a bit for each.
type EventSet uint64

// DefaultEvents are the default kinds of a watch-list or webhook: all kinds about companies except changes of the
// telephone number and of the right to the registered office, and absent statements; and also unpaid months.
var DefaultEvents = SetOf(slices.DeleteFunc(slices.Clone(EventKinds), func(k EventKind) bool {
	return slices.Contains([]EventKind{ContactChanged, SeatExpired, SeatRenewed, StatementAbsent, JobCompleted,
		FXPublished, RegisterReleased}, k)
})...)

// SetOf returns the set of kinds.
func SetOf(kinds ...EventKind) (set EventSet) {
	for _, k := range kinds {
		set |= 1 << slices.Index(EventKinds, k)
	}
	return set
}

// Kinds returns the members of the set, in the order of EventKinds.
func (s EventSet) Kinds() (kinds []EventKind) {
	for i, k := range EventKinds {
		if s&(1<<i) != 0 {
			kinds = append(kinds, k)
		}
	}

	return kinds
}

// Severity is the importance of a change for someone who does business with the company.
type Severity string

// The severities.
const (
	// High: loss of a VAT registration, inactivity, striking off, and insolvency.
	High Severity = "high"
	// Medium: VAT on collection, the name, the registered office and the end of the right to use it, and a yearly
	// statement that is in no published file.
	Medium Severity = "medium"
	// Low: everything else.
	Low Severity = "low"
)

// Schema lists the severities.
func (Severity) Schema() jsonschema.Schema { return jsonschema.Enum(High, Medium, Low) }

// Event reports a change. Webhooks send the same JSON.
type Event struct {
	ID        string      `json:"id" doc:"Id of the event: the webhook-id of its deliveries."`
	Type      EventKind   `json:"type" doc:"Kind of change; of several simultaneous ones, the most severe."`
	Timestamp time.Time   `json:"timestamp" doc:"When this gateway learned of it, UTC."`
	Cursor    EventCursor `json:"cursor" doc:"Its position in the feed: after=<cursor> continues after it."`
	Data      EventData   `json:"data" brief:"taxId, name, reference, severity; changes: field, before, after, validFrom." doc:"What changed."`
}

// EventData is the content of an event.
type EventData struct {
	TaxID     *ro.CUI         `json:"taxId" doc:"The company; null for an event that is not about one."`
	Name      *string         `json:"name" doc:"Its current name; null when not known."`
	Reference *string         `json:"reference" doc:"Your reference for the company in the watch-list; null if it has none."`
	Watchlist *string         `json:"watchlist" doc:"Id of the company's watch-list; null in GET /v1/changes."`
	Changes   []EventChange   `json:"changes" doc:"All fields that changed between the two checks."`
	Severity  Severity        `json:"severity" doc:"high: VAT cancelled, inactive, struck off, insolvent. medium: VAT on collection, name, registered office, expired right to it, absent statement. low: the rest."`
	Observed  *EventObserved  `json:"observed" doc:"The two checks; null for an event without checks."`
	Source    EventSource     `json:"source" doc:"The register that reports it."`
	Job       *EventJob       `json:"job,omitempty" doc:"For job.completed, the job that ended; omitted from other events."`
	Statement *EventStatement `json:"statement,omitempty" doc:"For company.statement.absent, the statement that is in no published file; omitted from other events."`
}

// EventStatement is the yearly statement in an event. Its members are those of get_statement_state.
type EventStatement struct {
	Year            int      `json:"year" doc:"The financial year."`
	DueOn           ro.Date  `json:"dueOn" doc:"Last day for filing, even if it is a day off."`
	FiveMonthsEndOn ro.Date  `json:"fiveMonthsEndOn" doc:"Last day of the five months after dueOn that the law names."`
	LastFiled       int      `json:"lastFiled" doc:"Newest earlier year with a known statement."`
	FilesAsOf       *ro.Date `json:"filesAsOf" doc:"Date of the oldest of the ministry's files of the year; null if unknown."`
}

// EventJob is the job in an event.
type EventJob struct {
	ID          job.ID        `json:"id" doc:"Id of the job: GET /v1/jobs/{id}/result has its rows."`
	Status      job.JobStatus `json:"status" doc:"completed or failed."`
	Total       int           `json:"total" doc:"Number of rows in the file."`
	Found       int           `json:"found" doc:"Number of them with status 200."`
	CreditsCost int           `json:"creditsCost" doc:"Credits charged for them."`
}

// EventChange is the change of one field.
type EventChange struct {
	Type       EventKind          `json:"type" doc:"What happened to the field."`
	Field      string             `json:"field" doc:"The field, as in get_company."`
	Before     *company.FactValue `json:"before" doc:"Its previous value; null if it was not known."`
	After      *company.FactValue `json:"after" doc:"Its new value; null if it is gone."`
	ValidFrom  *ro.Date           `json:"validFrom" doc:"First day of the new value, according to the register; null when it does not say."`
	RecordedOn *ro.Date           `json:"recordedOn" doc:"Date on which the register recorded it; null if it does not say."`
}

// EventObserved has the times of the two looks between which the change happened.
type EventObserved struct {
	Before time.Time `json:"before" doc:"The last check to see the old values, UTC."`
	After  time.Time `json:"after" doc:"Check that saw the new ones, UTC."`
}

// EventSource is the register behind an event.
type EventSource struct {
	Name string   `json:"name" doc:"anaf, anaf-bilant, onrc, bnr, or rodata for the gateway itself."`
	AsOf *ro.Date `json:"asOf" doc:"Date to which its data applies; null if it does not say."`
}
