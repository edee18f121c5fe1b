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

// parameters are the permitted query parameters of a URL.
var parameters = []string{"addr", "master_set"}

// forms shows the accepted URLs in errors.
const forms = "redis://user:password@host:6379/0, or rediss:// for TLS; further nodes of a cluster, or further sentinels, as ?addr=host:6379&addr=host:6379, the latter with &master_set=name"

// CheckURL validates a URL. Accepted are
//
//	redis://user:password@host:6379/0                     one server, and its database
//	rediss://...                                          with TLS, the certificate checked
//	redis://host:6379?addr=host:6379&addr=host:6379       a cluster, by some of its nodes
//	redis://host:26379?addr=host:26379&master_set=name    a master, by its sentinels
//
// and valkey(s):// likewise. The error does not quote the URL, which may contain a password.
func CheckURL(text string) error {
	_, err := parseURL(text)
	return err
}

func parseURL(text string) (rueidis.ClientOption, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains([]string{"redis", "rediss", "valkey", "valkeys"}, u.Scheme) {
		return rueidis.ClientOption{}, errors.New("the URL does not name a Redis server: write it as " + forms)
	}

	for _, name := range slices.Sorted(maps.Keys(u.Query())) {
		if !slices.Contains(parameters, name) {
			return rueidis.ClientOption{}, fmt.Errorf("unknown parameter in the URL; accepted: %s",
				strings.Join(parameters, ", "))
		}
	}

	o, err := rueidis.ParseURL(text)
	if err != nil {
		return rueidis.ClientOption{}, errors.New("malformed URL: only a database number may follow the host, as in " +
			forms)
	}
	if len(o.InitAddress) > 1 && o.SelectDB != 0 && o.Sentinel.MasterSet == "" {
		return rueidis.ClientOption{}, errors.New("the URL names several hosts and a database: a cluster only has " +
			"database 0")
	}
	if o.TLSConfig != nil && len(o.InitAddress) > 1 {
		o.TLSConfig.ServerName = "" // each node has its own name in its certificate
	}

	o.Sentinel.TLSConfig = o.TLSConfig
	o.Sentinel.TopologyRefreshInterval = downFor
	o.ClientName = "rodata"
	o.Dialer.Timeout, o.ConnWriteTimeout = connectTimeout, connectTimeout
	o.PipelineMultiplex = -1 // one connection, dialled by the supervisor's probe
	o.DisableCache = true    // ristretto caches in process
	o.DisableRetry = true    // the budget is for a single attempt
	return o, nil
}
