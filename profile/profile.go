package profile

import (
	"bytes"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/siruta"
)

// taxProfile is the tax authority's part of a profile, derived from its record. It also memoizes the whole profile.
type taxProfile struct {
	company     *company.Company
	err         error // the record cannot be read
	retrievedAt time.Time
	day         ro.Date // the past day of the statuses; 0 in a record as of today
	made        atomic.Pointer[profile]
	madeDated   atomic.Pointer[profile] // with the day of its statuses
}

// taxProfileOf returns the tax profile of a stored record about a past day, or about today for the zero day. It is
// derived only once.
func taxProfileOf(found *cache.Found[*anaf.Record], day ro.Date) *taxProfile {
	return found.Memo(func(record *anaf.Record) any {
		t := &taxProfile{retrievedAt: found.RetrievedAt, day: day}
		if t.company, t.err = record.Company(siruta.Load().Resolve); t.err != nil {
			t.err = &op.Failure{Registry: taxAuthority, Kind: op.Broken, Err: t.err}
		}
		return t
	}).(*taxProfile)
}

// join returns the profile with the trade register's data. With a basis, the profile also has the day of its
// statuses: the past day, or the day on which the record was retrieved. The identity and the periods about a past day
// come from the newest record, because every record has the current ones, no matter which day was requested.
func (t *taxProfile) join(r *Register, cui ro.CUI, basis company.AsOfBasis) (*profile, error) {
	if t.err != nil {
		return nil, t.err
	}

	memo := &t.made
	if basis != "" {
		memo = &t.madeDated
	}

	known, from := memo.Load(), origin{release: r.trade.DataThrough(), basis: basis, identity: t}
	if t.day != 0 {
		from.identity = t.newestIdentity(r, cui, known)
	}
	if known != nil && known.origin == from {
		return known, nil
	}

	c, source := *t.company, taxSource(t.retrievedAt)
	c.Release = from.release
	switch own := statuses(t.company.Statuses()); {
	case t.day != 0:
		c = own.applyTo(from.identity.company, t.day, basis)
		c.Record, c.Release, source.AsOf = t.company.Record, from.release, &t.day
	case basis != "":
		c.StatusDate, c.AsOfBasis = new(retrievedOn(t.retrievedAt)), own.basis(basis)
	}

	made, err := newProfile(&c, source, r.entry(cui))
	if err != nil {
		return nil, err
	}

	made.origin = from
	memo.Store(made)
	return made, nil
}

// newestIdentity returns the newest stored record as of today, given the previously memoized profile. A record that is
// newer than the profile's is in memory.
func (t *taxProfile) newestIdentity(r *Register, cui ro.CUI, known *profile) *taxProfile {
	newest, peek := t, r.today.Peek
	if known != nil {
		newest, peek = known.identity, r.today.PeekMemory
	}

	found, ok := peek(ro.CompanyDay{CUI: cui})
	if !ok || !found.RetrievedAt.After(newest.retrievedAt) {
		return newest
	}
	if newer := taxProfileOf(&found, 0); newer.err == nil {
		return newer
	}

	return newest
}

// taxSource returns the source entry of the tax authority.
func taxSource(retrievedAt time.Time) company.Source {
	day, at := retrievedOn(retrievedAt), retrievedAt.UTC().Truncate(time.Second)
	return company.Source{Name: taxAuthority, RetrievedAt: &at, AsOf: &day, Cache: op.Miss}
}

// profile is a company in its encoded form. Fresh hits, which are most calls, share it.
type profile struct {
	company *company.Company // as for a cache hit
	hit     *op.Document
	plain   []byte // the JSON text up to the sources, which are its last member
	tag     string // entity tag of the profile without its sources
	origin
}

// origin is what a memoized profile was made from, besides its record.
type origin struct {
	release  ro.Date           // of the trade register
	basis    company.AsOfBasis // of a dated profile
	identity *taxProfile
}

// noSources ends the JSON text of a profile without sources.
const noSources = `null}`

// newProfile completes a company with the trade register's entry, if that is not nil, and encodes it with the tax
// authority's source and the trade register's.
func newProfile(c *company.Company, tax company.Source, e *entry) (p *profile, err error) {
	if e != nil {
		e.join(c)
	}

	respell(c)
	revise(c, e)
	doc, err := op.EncodeDocument(c)
	if err != nil {
		return nil, err
	}

	p = &profile{company: c, tag: doc.ETag()}
	p.plain = bytes.TrimSuffix(doc.JSON, []byte(noSources))
	c.Sources = []company.Source{tax}
	if e != nil {
		c.Sources = append(c.Sources, e.source)
	}

	p.company, p.hit, err = p.answerWith(op.Hit, false)
	return p, err
}

// answerWith returns the profile for one answer. The arguments say whether the tax authority's part came from the
// cache, and whether it is stale. All variants share one entity tag, because they have the same company data.
func (p *profile) answerWith(cached string, stale bool) (*company.Company, *op.Document, error) {
	c := *p.company
	c.Sources = slices.Clone(c.Sources)
	c.Sources[0].Cache, c.Sources[0].Stale = cached, stale
	sources, err := jsontext.Encode(c.Sources)
	if err != nil {
		return nil, nil, err
	}

	return &c, op.NewVariant(slices.Concat(p.plain, sources, []byte("}")), p.tag), nil
}
