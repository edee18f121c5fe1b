package monitoring

import (
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// WatchedCompany is a company in a watch-list.
type WatchedCompany struct {
	TaxID             ro.CUI                    `json:"taxId" doc:"Its tax id."`
	Name              *string                   `json:"name" doc:"Its name; null if it is not known."`
	Reference         *string                   `json:"reference" doc:"Your reference; null for none."`
	State             WatchedState              `json:"state" doc:"The result of the last check: new before the first one, found, or not_found when no register has the number."`
	StateRegistration company.StateRegistration `json:"stateRegistration" doc:"State of the company by the registers' last data; a closure counts even if only one of them reports it."`
	VATPayer          *bool                     `json:"vatPayer" doc:"Registered for VAT at the last check; null when unknown."`
	VATEndedOn        *ro.Date                  `json:"vatEndedOn" doc:"First day after the last VAT registration, if it has ended; null otherwise, or when unknown."`
	Inactive          *bool                     `json:"inactive" doc:"Fiscally inactive at the last check; null when unknown."`
	Paid              bool                      `json:"paid" doc:"False if the credits did not cover this month, so that it is not checked."`
	AddedAt           time.Time                 `json:"addedAt" doc:"When it was added, UTC."`
	LastCheckedAt     *time.Time                `json:"lastCheckedAt" doc:"When it was last checked, UTC; null if never."`
	NextCheckAt       *time.Time                `json:"nextCheckAt" doc:"The earliest time of the next check, UTC; null while it is not paid."`
	LastEventAt       *time.Time                `json:"lastEventAt" doc:"When it last changed, UTC; null if not since it was added."`
}

// WatchedState is the result of the last look at a watched company.
type WatchedState string

// The states.
const (
	WatchedNew      WatchedState = "new"
	WatchedFound    WatchedState = "found"
	WatchedNotFound WatchedState = "not_found"
)

// Schema lists the states.
func (WatchedState) Schema() jsonschema.Schema {
	return jsonschema.Enum(WatchedNew, WatchedFound, WatchedNotFound)
}

// Concern is how urgently a watched company needs attention.
type Concern int

// The levels, the most urgent first.
const (
	// HasProblem means that it is not found, not paid, inactive, without its VAT registration of before, or in a state
	// that is a problem.
	HasProblem Concern = iota
	// HasUnknown means that it is not checked yet, or one of these facts is unknown.
	HasUnknown
	// HasNone means that all of these facts are known, and none is a problem.
	HasNone
)

// Concern returns how urgently the company needs attention.
func (c *WatchedCompany) Concern() Concern {
	switch {
	case c.State == WatchedNotFound, !c.Paid, c.Inactive != nil && *c.Inactive, c.VATEndedOn != nil,
		c.StateRegistration.IsProblem():
		return HasProblem
	case c.State == WatchedNew, c.VATPayer == nil, c.Inactive == nil, c.StateRegistration == company.UnknownState:
		return HasUnknown
	}

	return HasNone
}
