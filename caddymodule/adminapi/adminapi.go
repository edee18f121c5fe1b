// Package adminapi is the API for operators and load balancers in Caddy's admin API: the routes, and the types of their
// bodies, which the binary's commands share.
package adminapi

import (
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service"
)

// gateway is what the routes act on: the service of the newest configuration.
type gateway struct{ *service.Service }

// Routes returns the routes, which docs/operations.md and docs/accounts.md describe. Personal data is in bodies, never
// in URLs, which servers log.
func Routes() []caddy.AdminRoute {
	const account, invoice = "/rodata/accounts/{id}", "/rodata/invoices/{invoice}"
	var routes []caddy.AdminRoute
	for pattern, m := range map[string]methods{
		"/readyz":                       {"GET": ready(caddy.Exiting)},
		"/rodata/sources":               {"GET": listSources},
		"/rodata/mirror":                {"GET": showMirror},
		"/rodata/queue":                 {"GET": listQueues},
		"/rodata/cache/companies/{cui}": {"DELETE": forgetCompany},
		"/rodata/backup":                {"POST": backUp},
		"/rodata/plans":                 {"GET": listPlans},

		"/rodata/accounts":         {"POST": withBody(openAccount)},
		"/rodata/accounts/find":    {"POST": withBody(findAccounts)},
		"/rodata/accounts/import":  {"POST": withBody(importUser)},
		account:                    {"GET": showAccount, "DELETE": closeAccount},
		account + "/plan":          {"PUT": withBody(setPlan)},
		account + "/email":         {"PUT": withBody(setEmail)},
		account + "/password-link": {"POST": makePasswordLink},
		account + "/credits":       {"POST": withBody(giveCredits)},
		account + "/keys":          {"GET": listKeys, "POST": withBody(issueKey)},
		account + "/keys/{key}":    {"DELETE": revokeKey},

		"/rodata/contact":      {"GET": listInquiries},
		"/rodata/contact/{id}": {"GET": showInquiry},

		"/rodata/receipts/keys": {"GET": listReceiptKeys, "POST": rotateReceiptKeys},

		"/rodata/payments": {"GET": listPayments},
		"/rodata/invoices": {"GET": listInvoices},
		invoice:            {"GET": showInvoice},
		invoice + "/retry": {"POST": withBody(retryInvoice)},
	} {
		routes = append(routes, caddy.AdminRoute{Pattern: pattern, Handler: m.handler()})
	}

	return routes
}

// ready reports whether requests may be sent here. During a shutdown they may not, although /health still answers ok.
func ready(exiting func() bool) handler {
	return func(g gateway, r *http.Request) (any, error) {
		err := errors.New("the gateway is shutting down")
		if !exiting() {
			err = g.Ready(r.Context())
		}
		if err != nil {
			return nil, caddy.APIError{HTTPStatus: http.StatusServiceUnavailable, Err: err,
				Message: "not ready: " + err.Error()}
		}

		return map[string]string{"status": "ready"}, nil
	}
}

func listSources(g gateway, _ *http.Request) (any, error) { return g.Sources(), nil }

func showMirror(g gateway, _ *http.Request) (any, error) { return g.Mirror(), nil }

// listQueues lists the queues of the registries with a limited pace.
func listQueues(g gateway, _ *http.Request) (any, error) {
	q := g.Queue()
	return []Queue{{
		Name: "anaf", Interactive: q.Interactive, Refresh: q.Refresh, Prefetch: q.Ahead, Quarantined: q.Quarantined,
		Again: q.Again, Statements: q.Paced,
		Running: q.Running, Requests: q.Calls, Companies: q.Companies, Split: q.Split, Refused: q.Refused,
	}}, nil
}

func forgetCompany(g gateway, r *http.Request) (any, error) {
	var cui ro.CUI
	if err := cui.UnmarshalText([]byte(r.PathValue("cui"))); err != nil {
		return nil, badRequest("reading the CUI: %w", err)
	}
	return nil, g.Forget(r.Context(), cui)
}

// Queue is the queue of a registry with a limited pace, and the counters since the gateway started.
type Queue struct {
	Name string `json:"name"`
	// Interactive, Refresh, Prefetch, Quarantined and Again are the companies not yet requested: see the metric
	// rodata_upstream_queue.
	Interactive int `json:"interactive"`
	Refresh     int `json:"refresh"`
	Prefetch    int `json:"prefetch"`
	Quarantined int `json:"quarantined"`
	Again       int `json:"again"`
	// Statements is the number of waiting yearly statements.
	Statements int `json:"statements"`
	// Running are the requests in flight.
	Running int `json:"running"`
	// Requests counts finished requests, and Companies the companies in them. Split counts failed requests that were
	// repeated in parts. Refused counts companies rejected by a full queue.
	Requests  uint64 `json:"requests"`
	Companies uint64 `json:"companies"`
	Split     uint64 `json:"split"`
	Refused   uint64 `json:"refused"`
}
