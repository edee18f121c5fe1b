package client

import "time"

// Event reports a change, in the feed and in the messages to webhooks.
type Event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	// Cursor is its position in the feed, to continue from.
	Cursor string    `json:"cursor"`
	Data   EventData `json:"data"`
}

// EventData is the content of an event.
type EventData struct {
	// TaxID is nil for an event that is not about a company.
	TaxID     *int64   `json:"taxId"`
	Name      *string  `json:"name"`
	Reference *string  `json:"reference"`
	Watchlist *string  `json:"watchlist"`
	Changes   []Change `json:"changes"`
	// ChangesOmitted counts changes that a webhook omitted to keep its message small.
	ChangesOmitted int `json:"changesOmitted,omitempty"`
	// Severity is high, medium or low.
	Severity string `json:"severity"`
	// Observed holds the times of the two checks between which the change happened. It is nil for an event that did not
	// come from checks.
	Observed *Observed   `json:"observed"`
	Source   EventSource `json:"source"`
	// Job is the finished job of a job.completed event; nil for other events.
	Job *EventJob `json:"job,omitempty"`
	// Statement is the absent statement of a company.statement.absent event; nil for other events.
	Statement *EventStatement `json:"statement,omitempty"`
}

// EventStatement is the yearly statement in an event.
type EventStatement struct {
	Year            int   `json:"year"`
	DueOn           Date  `json:"dueOn"`
	FiveMonthsEndOn Date  `json:"fiveMonthsEndOn"`
	LastFiled       int   `json:"lastFiled"`
	FilesAsOf       *Date `json:"filesAsOf"`
}

// EventJob is the job in an event.
type EventJob struct {
	ID          string   `json:"id"`
	Status      JobState `json:"status"`
	Total       int      `json:"total"`
	Found       int      `json:"found"`
	CreditsCost int64    `json:"creditsCost"`
}

// Change is the change of one field. Before and After are a bool or a string; nil if the value is unknown.
type Change struct {
	Type       string `json:"type"`
	Field      string `json:"field"`
	Before     any    `json:"before"`
	After      any    `json:"after"`
	ValidFrom  *Date  `json:"validFrom"`
	RecordedOn *Date  `json:"recordedOn"`
}

// Observed holds the times of two checks of a company.
type Observed struct {
	Before time.Time `json:"before"`
	After  time.Time `json:"after"`
}

// EventSource is the register that an event comes from.
type EventSource struct {
	Name string `json:"name"`
	AsOf *Date  `json:"asOf"`
}

// EventPage is a page of events, the oldest first.
type EventPage struct {
	Items []Event `json:"items"`
	// NextCursor continues the list; it is set even if there are no items.
	NextCursor string `json:"nextCursor"`
	HasMore    bool   `json:"hasMore"`
}
