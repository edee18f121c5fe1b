package system

import (
	"context"
	"math"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Status is the state of the service and of its registries.
type Status struct {
	Version     string         `json:"version" doc:"Running version."`
	Uptime      float64        `json:"uptime" doc:"Seconds since the service started."`
	Environment string         `json:"environment" doc:"production, or sandbox when the registries are stand-ins."`
	Timestamp   time.Time      `json:"timestamp" doc:"Time of this answer, UTC."`
	Sources     []SourceStatus `json:"sources" doc:"The registries."`
	Mirror      *MirrorStatus  `json:"mirror" doc:"The mirror, which checks companies in the background; null if there is none."`
}

// MirrorStatus is the state of the mirror.
type MirrorStatus struct {
	Companies  string     `json:"companies" doc:"Companies in scope: watched, those in watch-lists; seen, also those requested in the last 90 days; in_operation, the watched ones and all in operation according to the trade register; all, the watched ones and all in the trade register."`
	State      string     `json:"state" doc:"looking; resting: tax authority requests are paused; elsewhere: another server of the fleet runs it."`
	Share      float64    `json:"share" doc:"Part of the tax authority's ration that it may use: 0.1 is a tenth."`
	ShareUsed  float64    `json:"shareUsed" doc:"Part of the ration that this server used for it in the last hour."`
	InScope    int        `json:"inScope" doc:"Companies in scope."`
	LookedAt   int        `json:"lookedAt24h" doc:"Companies checked in the last 24 hours, by the mirror or for callers."`
	OldestLook *time.Time `json:"oldestLook" doc:"When the least recently checked watched company was checked, UTC; null when there is none."`
	Overdue    int        `json:"overdue" doc:"Watched companies whose check is overdue by a day or more."`
	Unpaid     int        `json:"unpaid" doc:"Watched companies that are not checked because no account has paid for them this month."`
}

// SourceStatus is the state of a registry.
type SourceStatus struct {
	Name               string     `json:"name" doc:"anaf, onrc, bnr, anaf-farmers, anaf-nonprofits and anaf-efactura (the tax authority's registers of farmers, non-profits and RO e-Factura), anaf-vat-collection (its daily file of VAT on collection), or vies (EU VAT numbers)."`
	State              string     `json:"state" doc:"ok; stale: the stored data is past its lifetime; down: the registry cannot be queried and no or only stale data is stored; unknown: it has neither answered nor failed since startup. onrc is unknown while its first release is loaded."`
	LastSuccess        *time.Time `json:"lastSuccess" doc:"When the registry last answered, UTC; null if it has not since startup."`
	AsOf               *ro.Date   `json:"asOf" doc:"Day to which the newest data applies; null when there is none."`
	MissedPublications int        `json:"missedPublications" doc:"Number of overdue publications."`
	Breaker            string     `json:"breaker" doc:"closed: requests are sent; open: blocked after failures; half-open: the registry is being tested."`

	MemberStates []MemberStateStatus `json:"memberStates,omitempty" doc:"For vies: the registers of the member states, to which it forwards queries."`
}

// MemberStateStatus is the state of a member state's register of VAT numbers.
type MemberStateStatus struct {
	CountryCode string `json:"countryCode" doc:"Code of the member state: ISO 3166-1, except EL for Greece, and XI for Northern Ireland."`
	State       string `json:"state" doc:"ok; down: according to VIES, or because requests are blocked after failures; unknown: neither VIES nor a request has shown it."`
	Breaker     string `json:"breaker" doc:"Circuit breaker, as for a registry."`
}

// GetStatus returns the operation get_status.
func GetStatus(about About, sources func() []SourceStatus, mirror func() *MirrorStatus) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_status", Method: "GET", Path: "/v1/status", Tag: tag.System,
		Title: "Get the state of the service and its registries",
		Description: "Version, uptime and, for each registry, when it last answered, how old its data is, and " +
			"whether requests to it are allowed.",
	}, func(context.Context, account.Caller, struct{}) (op.Answer[Status], error) {
		now := time.Now()
		var looks *MirrorStatus
		if mirror != nil {
			looks = mirror()
		}

		return op.Answer[Status]{Value: Status{
			Mirror: looks, Version: about.Version, Environment: about.Environment,
			Timestamp: now.UTC().Truncate(time.Millisecond),
			Uptime:    math.Round(now.Sub(about.Started).Seconds()*1000) / 1000, Sources: sources(),
		}}, nil
	})
}
