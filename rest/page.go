package rest

import (
	"net/http"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// pageRate is the rate limit per address for everything that is not an operation: the site's pages and assets, the API
// description, problem pages. A page with its assets takes about a dozen requests, and an office may share one address.
var pageRate = metering.PerSecond(50, 500)

// page answers a read-only request that is not an operation.
func (x *exchange) page(write func()) {
	if x.isReadOnly() && x.admitReader() {
		write()
	}
}

// isReadOnly reports whether the request only reads, and answers any other.
func (x *exchange) isReadOnly() bool {
	if x.r.Method == http.MethodGet || x.r.Method == http.MethodHead {
		return true
	}

	x.otherMethod("GET, HEAD, OPTIONS")
	return false
}

// admitReader takes a token from the address's bucket for pages, and answers 429 if it is empty. Each edge counts
// separately, because the limit protects its own CPU.
func (x *exchange) admitReader() bool {
	id := metering.AddressBucket(x.Address(x.r))
	id.Account = "page"
	allowance := x.Buckets.Take(id, pageRate)
	if allowance.OK {
		return true
	}

	p := problem.RateLimited.New("more than %d pages a second (%d at once) were requested from this address; wait "+
		"for the time in Retry-After", pageRate.N, pageRate.Burst).After(allowance.RetryAfter)
	x.write(&op.Reply{Status: p.Status(), Problem: p, Allowance: allowance, Credits: -1})
	return false
}
