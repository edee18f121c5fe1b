package fleet

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/redis/rueidis"
)

// parameters are those that a URL may have.
var parameters = []string{"addr", "master_set"}

// forms is what a URL looks like.
const forms = "redis://user:password@host:6379/0, or rediss:// for TLS; further nodes of a cluster, or further sentinels, as ?addr=host:6379&addr=host:6379, the latter with &master_set=name"

// CheckURL says what is wrong with a URL. It may be
//
//	redis://user:password@host:6379/0                     one server, and its database
//	rediss://...                                          with TLS, the certificate checked
//	redis://host:6379?addr=host:6379&addr=host:6379       a cluster, by some of its nodes
//	redis://host:26379?addr=host:26379&master_set=name    a master, by its sentinels
//
// with valkey and valkeys for redis and rediss. The error does not quote it:
// there may be a password in it.
func CheckURL(text string) error {
	_, err := parseURL(text)
	return err
}

func parseURL(text string) (rueidis.ClientOption, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains([]string{"redis", "rediss", "valkey", "valkeys"}, u.Scheme) {
		return rueidis.ClientOption{}, errors.New("the URL names no redis: give it as " + forms)
	}
	for _, name := range slices.Sorted(maps.Keys(u.Query())) {
		if !slices.Contains(parameters, name) {
			return rueidis.ClientOption{}, fmt.Errorf("the URL has a parameter that is unknown here; there are: %s", strings.Join(parameters, ", "))
		}
	}
	o, err := rueidis.ParseURL(text)
	if err != nil {
		return rueidis.ClientOption{}, errors.New("the URL cannot be read: behind the host stands at most the number of a database, as in " + forms)
	}
	if len(o.InitAddress) > 1 && o.SelectDB != 0 && o.Sentinel.MasterSet == "" {
		return rueidis.ClientOption{}, errors.New("the URL names several hosts and a database: a cluster has none but 0")
	}
	if o.TLSConfig != nil && len(o.InitAddress) > 1 {
		o.TLSConfig.ServerName = "" // each node answers to its own name
	}
	o.Sentinel.TLSConfig = o.TLSConfig
	o.Sentinel.TopologyRefreshInterval = awayFor
	o.ClientName = "rodata"
	o.Dialer.Timeout, o.ConnWriteTimeout = connectTimeout, connectTimeout
	o.PipelineMultiplex = -1 // one connection, which the keeper's probe has dialled
	o.DisableCache = true    // our own memory is nearer
	o.DisableRetry = true    // the budget is for one try
	return o, nil
}
