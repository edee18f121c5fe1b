package rest

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// What senders of signed bodies may do. Until a body is read to its end nobody knows
// whether its signature is good, so that anybody can have one read.
const (
	maxSignedBody    = 512 << 10        // bytes
	signedBodyTime   = 10 * time.Second // to send it
	signedBodies     = 32               // read at once: 16 MiB
	signedBodiesEach = 4                // of them from one address
)

// signedRate limits signed bodies by the address that sends them.
var signedRate = metering.PerSecond(20, 200)

// signedArgs are the body as it came, and the header with its signature.
func (x *exchange) signedArgs(op *api.Operation) (api.Args, error) {
	signature, network := x.r.Header.Get(op.Signed), metering.AddressBucket(x.Address(x.r)).Network
	if err := x.admitSigned(op, signature, network); err != nil {
		if x.r.ProtoMajor == 1 {
			x.w.Header()["Connection"] = []string{"close"} // else the server reads the body before it sends the answer
		}
		return nil, err
	}
	defer x.Bodies.leave(network)
	// A body that ends takes the deadline with it: the work may last longer. (A test's
	// writer has none.)
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(signedBodyTime))
	body, err := x.body(maxSignedBody)
	return api.Args{{Name: "body", Text: string(body)}, {Name: op.Signed, Text: signature}}, err
}

// admitSigned decides whether a body is read, and counts it in: the operation has to
// expect one with that signature, and there has to be room.
func (x *exchange) admitSigned(op *api.Operation, signature string, network netip.Prefix) error {
	if err := op.Screen(signature); err != nil {
		return err
	}
	if wait := x.Buckets.Take(metering.Named("signed", network), signedRate).RetryAfter; wait > 0 {
		p := problem.RateLimited.New("more than %d events a second (%d at once) came from this address; wait as Retry-After says", signedRate.N, signedRate.Burst)
		p.RetryAfter = wait
		return p
	}
	if !x.Bodies.enter(network) {
		p := problem.Unavailable.New("too many events are being received at once; send this one again")
		p.RetryAfter = signedBodyTime
		return p
	}
	return nil
}

// Bodies counts the signed bodies that are being read, by network. Its zero value is ready
// for use.
type Bodies struct {
	mu   sync.Mutex
	all  int
	from map[netip.Prefix]int
}

// enter counts a body in, unless there are enough.
func (c *Bodies) enter(network netip.Prefix) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == signedBodies || c.from[network] == signedBodiesEach {
		return false
	}
	if c.from == nil {
		c.from = make(map[netip.Prefix]int)
	}
	c.all++
	c.from[network]++
	return true
}

func (c *Bodies) leave(network netip.Prefix) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.from[network]--; c.from[network] == 0 {
		delete(c.from, network)
	}
}
