package api

import (
	"context"
	"math"
	"time"

	"github.com/rodata/rodata/account"
)

// Status is the state of the service and of its registries.
type Status struct {
	Version     string         `json:"version" doc:"Running version."`
	Uptime      float64        `json:"uptime" doc:"Seconds since the service started."`
	Environment string         `json:"environment" doc:"production, or sandbox when the registries are stand-ins."`
	Timestamp   time.Time      `json:"timestamp" doc:"Time of this answer, UTC."`
	Sources     []SourceStatus `json:"sources" doc:"The registries."`
}

// SourceStatus is the state of a registry.
type SourceStatus struct {
	Name               string     `json:"name" doc:"anaf, onrc, bnr or anaf-vat-collection (the tax authority's daily file of VAT on collection)."`
	State              string     `json:"state" doc:"ok; stale: what is stored is past its time; down: the registry cannot be asked and nothing, or only stale data, is stored; unknown: it has not answered since the start, and has not failed either. onrc is unknown while its first release is loaded."`
	LastSuccess        *time.Time `json:"lastSuccess" doc:"When the registry last answered, UTC; null when it has not since the start."`
	AsOf               *Date      `json:"asOf" doc:"Day that the newest data is about; null when there is none."`
	MissedPublications int        `json:"missedPublications" doc:"Publications that should be there and are not."`
	Breaker            string     `json:"breaker" doc:"closed: the registry is asked; open: it is left alone after failures; half-open: it is being tried."`
}

func getStatus(about About, sources func() []SourceStatus) *Operation {
	return Define(Spec{
		Name: "get_status", Method: "GET", Path: "/v1/status", Tag: "System",
		Title:       "Get the state of the service and its registries",
		Description: "Version, uptime and, for each registry, when it last answered, how old its data is, and whether it is being asked.",
	}, func(context.Context, account.Caller, struct{}) (Answer[Status], error) {
		now := time.Now()
		return Answer[Status]{Value: Status{
			Version: about.Version, Environment: about.Environment, Timestamp: now.UTC().Truncate(time.Millisecond),
			Uptime: math.Round(now.Sub(about.Started).Seconds()*1000) / 1000, Sources: sources(),
		}}, nil
	})
}
