package op

import (
	"fmt"

	"github.com/rodata/rodata/metering"
)

// Policy is a rate limit as shown in the headers RateLimit-Policy and RateLimit, structured fields of a draft standard
// (draft-ietf-httpapi-ratelimit-headers-11, May 2026).
//
// The draft assumes windows, which a token bucket does not have. So q is the burst, and w is the number of seconds in
// which an empty bucket refills, rounded up: a caller who makes q calls every w seconds is never refused. In the
// state, r is the number of remaining tokens, and t is the number of seconds until the bucket is full or, if it is
// empty, until its next token. Both are rounded so that they never promise too much.
type Policy struct {
	name         string
	rate         metering.Rate
	value, limit []string      // of the headers RateLimit-Policy and RateLimit-Limit
	states       []policyState // by the remaining tokens; shared by the calls of all callers
}

// policyState holds the values of the headers RateLimit and RateLimit-Remaining.
type policyState struct{ value, remaining []string }

// sharedStates bounds the number of cached states.
const sharedStates = 1024

// NewPolicy returns the policy of callers with a valid rate. The name consists of letters, digits, hyphens and spaces.
func NewPolicy(name string, rate metering.Rate) *Policy {
	p := &Policy{
		name: name, rate: rate,
		value: []string{fmt.Sprintf(`"%s";q=%d;w=%d`, name, rate.Burst, secondsFor(rate.Burst, rate))},
		limit: number(rate.N),
	}

	p.states = make([]policyState, min(rate.Burst, sharedStates))
	for remaining := range p.states {
		p.states[remaining] = p.newState(remaining)
	}

	return p
}

func (p *Policy) state(remaining int) policyState {
	if remaining < len(p.states) {
		return p.states[remaining]
	}
	return p.newState(remaining)
}

func (p *Policy) newState(remaining int) policyState {
	missing := p.rate.Burst - remaining
	if remaining == 0 {
		missing = 1
	}

	state := fmt.Sprintf(`"%s";r=%d;t=%d`, p.name, remaining, secondsFor(missing, p.rate))
	return policyState{[]string{state}, number(remaining)}
}

// secondsFor returns the seconds until a number of tokens is refilled, rounded up.
func secondsFor(tokens int, rate metering.Rate) int {
	return (tokens + rate.N - 1) / rate.N
}
