package settings

import (
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/caddymodule/internal/option"
)

// Watch limits the watch-lists of accounts.
type Watch struct {
	// Lists is the maximum number of watch-lists of an account. Default 20.
	Lists int `json:"lists,omitempty"`
	// Companies is the maximum number of companies in a watch-list. Default 100,000.
	Companies int `json:"companies,omitempty"`
	// Followers is the maximum number of concurrent live streams of events of an account. Default 16.
	Followers int `json:"followers,omitempty"`
	// Changes, on or off, lets every account read the changes of all companies that the gateway looks at (GET
	// /v1/changes). Default: off.
	Changes string `json:"changes,omitempty"`
}

// The upper limits: a larger table of companies would exceed the size of an accepted body.
const (
	maxLists     = 1_000
	maxWatched   = 1_000_000
	maxFollowers = 1_000
)

// Limits returns the bounds, 0 for the default.
func (w *Watch) Limits() monitoring.WatchLimits {
	return monitoring.WatchLimits{Lists: w.Lists, Companies: w.Companies, Followers: w.Followers}
}

func (w *Watch) rows() option.Table {
	return option.Table{
		"lists": option.Limit(&w.Lists, maxLists), "companies": option.Limit(&w.Companies, maxWatched),
		"followers": option.Limit(&w.Followers, maxFollowers), "changes": option.Text(&w.Changes, checkSwitch),
	}
}
