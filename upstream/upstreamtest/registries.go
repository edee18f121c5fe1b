// Package upstreamtest has stand-ins of the public registries: the tax
// authority (ANAF), the trade register's open data (ONRC, a CKAN portal) and the
// central bank (BNR). They speak the registries' own protocols on loopback
// ports, with the registries' quirks, and go wrong on demand. Tests and the
// sandbox run against the same ones.
//
// # What is real and what is invented
//
// All companies and persons are invented; their names say so. Their numbers
// have valid control digits and begin with 99000, which no register has given
// out. Places, county codes and the tax authority's locality codes are real.
// Exchange rates are the central bank's published ones on the days recorded in
// fixings.txt. On every other business day they are made up: interpolated
// between the recorded days around it and, before the first and after the last
// one, the nearest recorded value give or take a tenth of a percent.
//
// # Faults
//
// A [Fault] is injected with [StandIn.Queue] and [StandIn.Always], or by the header X-Sim-Fault of a request, in the form
// that [ParseFault] reads. A few company numbers cause a fault of their own: see [FaultNumbers].
package upstreamtest

import (
	"errors"
	"fmt"
	"time"
)

// Options choose how the stand-ins behave. The zero value is a well-behaved,
// fast set of registries on the machine's clock.
type Options struct {
	// Now is the clock that decides which fixings and which releases are out.
	// Default time.Now.
	Now func() time.Time
	// Latency is added to every answer. Default none; the tax authority really
	// takes about 0.8 s.
	Latency time.Duration

	// Strict makes the tax authority answer 429 with Retry-After: 1 to a request
	// that follows the one before within a second, less a tenth for jitter.
	Strict bool
	// Everybody makes the tax authority know every number with the right control digit: as
	// one of its companies.
	Everybody bool
	// CheckUserAgent makes the tax authority refuse agents with a parenthesis
	// and hide statements from empty agents and bots.
	CheckUserAgent bool
	// Connections is what the tax authority does with connections after an
	// answer.
	Connections Connections

	// OldNamespace makes the central bank write every document in the namespace
	// used up to 2025; by default only the years up to 2025 are.
	OldNamespace bool
	// LegacyHost makes the central bank behave as its old host: every path
	// redirects to an HTML home page.
	LegacyHost bool
	// NoCurrentYear withholds the current year's file, as in early January.
	NoCurrentYear bool

	// SwapHeader puts the locality before the county in the trade register's
	// main file.
	SwapHeader bool
	// NoNomenclature withholds the trade register's nomenclature package.
	NoNomenclature bool
}

// Connections is what a stand-in does with a connection after an answer.
type Connections int

// What becomes of a connection.
const (
	KeepAlive    Connections = iota // it is kept and may be used again
	CloseEach                       // it is closed, and the answer says so
	ResetOnReuse                    // it is kept, and reset when used again
)

// Registries are the three running stand-ins.
type Registries struct {
	ANAF *StandIn // tax authority: taxpayers and annual statements
	ONRC *StandIn // trade register: CKAN and its files
	BNR  *StandIn // central bank: reference rates
}

// Start starts the three stand-ins on loopback ports picked free. The error is
// about the data they carry or the ports.
func Start(o Options) (*Registries, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	companies, err := newRegister()
	if err != nil {
		return nil, err
	}

	bank, err := newBank(o)
	if err != nil {
		return nil, err
	}

	r := &Registries{
		ANAF: newStandIn(o, newAuthority(o, companies).answer),
		ONRC: newStandIn(o, newPortal(o, companies).answer),
		BNR:  newStandIn(o, bank.answer),
	}

	r.ANAF.connections = o.Connections
	for _, s := range r.all() {
		if err := s.start(); err != nil {
			return nil, errors.Join(fmt.Errorf("starting a stand-in: %w", err), r.Close())
		}
	}

	return r, nil
}

// Close stops the stand-ins, hanging answers included. It returns when none of
// their goroutines is left.
func (r *Registries) Close() error {
	var errs []error
	for _, s := range r.all() {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

func (r *Registries) all() []*StandIn { return []*StandIn{r.ANAF, r.ONRC, r.BNR} }
