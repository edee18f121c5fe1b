package api

import (
	"fmt"
	"strconv"

	"github.com/rodata/rodata/metering"
)

// Policy is a rate limit as the headers RateLimit-Policy and RateLimit show it,
// structured fields that are to become a standard
// (draft-ietf-httpapi-ratelimit-headers-11, May 2026).
//
// The draft thinks in windows, a token bucket has none. So q is the burst, and w
// the seconds in which an empty bucket fills, rounded up: q calls every w seconds
// are never refused. In the state, r are the tokens left, and t is in how many
// seconds the bucket will be full, or have its next token when it is empty; both
// are rounded so that they promise no more than there is.
type Policy struct {
	name   string
	rate   metering.Rate
	value  []string   // of the RateLimit-Policy header
	states [][]string // by the tokens left; the calls of all callers share them
}

// sharedStates bounds how many values of the RateLimit header are kept.
const sharedStates = 1024

// NewPolicy makes the policy of callers at a rate that is valid. The name is of
// letters, digits, hyphens and spaces.
func NewPolicy(name string, rate metering.Rate) *Policy {
	p := &Policy{
		name: name, rate: rate,
		value: []string{fmt.Sprintf(`"%s";q=%d;w=%d`, name, rate.Burst, secondsFor(rate.Burst, rate))},
	}

	p.states = make([][]string, min(rate.Burst, sharedStates))
	for remaining := range p.states {
		p.states[remaining] = p.newState(remaining)
	}
	return p
}

// state is the value of the RateLimit header.
func (p *Policy) state(remaining int) []string {
	if remaining < len(p.states) {
		return p.states[remaining]
	}
	return p.newState(remaining)
}

func (p *Policy) newState(remaining int) []string {
	missing := p.rate.Burst - remaining
	if remaining == 0 {
		missing = 1
	}

	value := make([]byte, 0, 64)
	value = append(append(append(value, '"'), p.name...), `";r=`...)
	value = append(strconv.AppendInt(value, int64(remaining), 10), ";t="...)
	value = strconv.AppendInt(value, int64(secondsFor(missing, p.rate)), 10)
	return []string{string(value)}
}

// secondsFor is in how many seconds so many tokens come, rounded up.
func secondsFor(tokens int, rate metering.Rate) int {
	return (tokens + rate.N - 1) / rate.N
}
