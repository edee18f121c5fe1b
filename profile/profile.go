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

// taxProfile is the tax authority's part of a profile, derived from its record. It also memoizes the whole profile,
// which is reused as long as the cache keeps the record and the trade register serves the same release.
type taxProfile struct {
	company     *company.Company
	err         error // the record cannot be read
	retrievedAt time.Time
	made        atomic.Pointer[profile]
	madeDated   atomic.Pointer[profile] // with the day of its statuses
}

// taxProfileOf returns the tax profile of a stored record. It is derived only once.
func taxProfileOf(found *cache.Found[*anaf.Record]) *taxProfile {
	return found.Memo(func(record *anaf.Record) any {
		return newTaxProfile(record, found.RetrievedAt)
	}).(*taxProfile)
}

func newTaxProfile(record *anaf.Record, retrievedAt time.Time) *taxProfile {
	t := &taxProfile{retrievedAt: retrievedAt}
	if t.company, t.err = record.Company(siruta.Load().Resolve); t.err != nil {
		t.err = &op.Failure{Registry: taxAuthority, Kind: op.Broken, Err: t.err}
	}
	return t
}

// join returns the profile with the trade register's data. With a basis, the profile also has the day of its
// statuses, which is the day on which the record was retrieved.
func (t *taxProfile) join(r *Register, cui ro.CUI, basis company.AsOfBasis) (*profile, error) {
	if t.err != nil {
		return nil, t.err
	}

	memo := &t.made
	if basis != "" {
		memo = &t.madeDated
	}

	release := r.trade.DataThrough()
	if known := memo.Load(); known != nil && known.release == release && known.basis == basis {
		return known, nil
	}

	company, e := *t.company, r.entry(cui)
	if basis != "" {
		company.StatusDate = new(retrievedOn(t.retrievedAt))
		company.AsOfBasis = statuses(t.company.Statuses()).basis(basis)
	}
	if e != nil {
		e.join(&company)
	}

	made, err := newProfile(&company, taxSource(t.retrievedAt), e)
	if err != nil {
		return nil, err
	}

	made.release, made.basis = release, basis
	memo.Store(made)
	return made, nil
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
	release ro.Date
	basis   company.AsOfBasis // of a dated profile
	// identityAt is the retrieval time of the identity, if the statuses are for a past day.
	identityAt time.Time
}

// noSources ends the JSON text of a profile without sources.
const noSources = `null}`

// newProfile builds a profile from the tax authority's source and, if the trade register has the company, the trade
// register's.
func newProfile(c *company.Company, tax company.Source, e *entry) (p *profile, err error) {
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
