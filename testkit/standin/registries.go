// Package standin contains stand-ins for the public registries: the tax authority (ANAF) and its static files, the
// trade register's open data (ONRC, a CKAN portal), the central bank (BNR), and VIES, which forwards questions about
// VAT numbers to the member states. They speak the registries' own protocols on loopback ports, with their quirks, and
// fail on demand. Tests and the sandbox use them.
//
// # What is real and what is invented
//
// All companies and persons are invented, and their names say so. Their numbers have valid check digits and begin with
// 99000, a range that has not been assigned. Places, county codes and the tax authority's locality codes are real.
// Exchange rates are the central bank's published ones on the days recorded in fixings.txt. On other business days they
// are derived: interpolated between recorded days and, before the first and after the last one, the nearest recorded
// value plus or minus a tenth of a percent.
//
// # Faults
//
// A [Fault] is injected with [Registry.Queue], [Registry.Always] and [Registry.AlwaysAt], or by the header X-Sim-Fault
// of a request, in the format of [ParseFault]. Some company numbers also cause faults: see [FaultNumbers].
package standin

import (
	"errors"
	"fmt"
	"time"
)

// Options configure the stand-ins. The zero value is well-behaved, fast registries on the system clock.
type Options struct {
	// Now is the clock that determines which fixings and releases are published. Default time.Now.
	Now func() time.Time
	// Latency is the delay of every answer. Default none; the real tax authority takes about 0.8 s. The portal of the
	// trade register answers at once, because a load fetches dozens of files.
	Latency time.Duration

	// Strict makes the tax authority answer 429 with Retry-After: 1 to a request within a second of the previous one,
	// minus a tenth for jitter.
	Strict bool
	// Everybody makes the tax authority answer for every number with a valid check digit, as if it were one of its
	// companies. VIES then also accepts every such VAT number as valid.
	Everybody bool

	// NoNomenclature withholds the trade register's nomenclature package.
	NoNomenclature bool
}

// Registries are the running stand-ins.
type Registries struct {
	ANAF  *Registry // tax authority: taxpayers and annual statements
	Files *Registry // tax authority: the daily file of the register of VAT on collection
	ONRC  *Registry // trade register: CKAN and its files
	BNR   *Registry // central bank: reference rates
	VIES  *VIES     // VAT numbers of the Union
}

// Start starts the stand-ins on free loopback ports. It fails if their data is invalid or no port is free.
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
		ANAF:  newRegistry(o, newAuthority(o, companies).answer),
		Files: newRegistry(o, (&files{o, companies}).answer),
		ONRC:  newRegistry(o, newPortal(o, companies).answer),
		BNR:   newRegistry(o, bank.answer),
		VIES:  newVIES(o, companies),
	}

	r.ONRC.latency = 0
	for _, s := range r.all() {
		if err := s.start(); err != nil {
			return nil, errors.Join(fmt.Errorf("starting a stand-in: %w", err), r.Close())
		}
	}

	return r, nil
}

// Close stops the stand-ins, including hanging answers, and waits for their goroutines.
func (r *Registries) Close() error {
	var errs []error
	for _, s := range r.all() {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

func (r *Registries) all() []*Registry {
	return []*Registry{r.ANAF, r.Files, r.ONRC, r.BNR, r.VIES.Registry}
}

// Environment returns the environment variables of the shipped configuration that name the registries' addresses.
func (r *Registries) Environment() map[string]string {
	return map[string]string{
		"RODATA_ANAF_URL":       r.ANAF.URL,
		"RODATA_ANAF_FILES_URL": r.Files.URL,
		"RODATA_ONRC_URL":       r.ONRC.URL,
		"RODATA_BNR_URL":        r.BNR.URL,
		"RODATA_VIES_URL":       r.VIES.URL,
	}
}

// TB is the part of testing.TB that For uses. The sandbox thus does not contain the package testing.
type TB interface {
	Helper()
	Error(args ...any)
	Fatal(args ...any)
	Cleanup(func())
}

// For starts the stand-ins for the duration of a test.
func For(t TB, o Options) *Registries {
	t.Helper()
	r, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}
