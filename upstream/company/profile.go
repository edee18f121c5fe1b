package company

import (
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
)

// taxProfile is what the tax authority said of a company, and beside it the
// profile that was made of it, kept for as long as the cache keeps the one and
// the trade register serves the same release.
type taxProfile struct {
	company     *api.Company
	retrievedAt time.Time
	made        atomic.Pointer[profile]
}

// joined is the profile with what the trade register knows.
func (t *taxProfile) joined(r *Register, cui api.CUI) (*profile, error) {
	release := r.trade.DataThrough()
	if known := t.made.Load(); known != nil && known.release == release {
		return known, nil
	}
	company, e := *t.company, r.entry(cui)
	if e != nil {
		e.join(&company)
	}
	known, err := newProfile(&company, taxSource(t.retrievedAt), e)
	if err != nil {
		return nil, err
	}
	known.release = release
	t.made.Store(known)
	return known, nil
}

// taxSource says when the tax authority was asked.
func taxSource(retrievedAt time.Time) api.Source {
	day, at := api.DateIn(retrievedAt, api.Bucharest), retrievedAt.UTC().Truncate(time.Second)
	return api.Source{Name: taxAuthority, RetrievedAt: &at, AsOf: &day, Cache: api.Miss}
}

// profile is a company as it is sent: encoded once for all the calls that find it
// fresh in the cache, which are nearly all.
type profile struct {
	company *api.Company // as a hit
	hit     *api.Document
	plain   *api.Document // without sources: what the entity tag is of
	release api.Date
}

// newProfile makes a profile of the tax authority's source and, when it has the
// company, the trade register's.
func newProfile(c *api.Company, tax api.Source, e *entry) (p *profile, err error) {
	respell(c)
	p = &profile{}
	if p.plain, err = api.EncodeDocument(c); err != nil {
		return nil, err
	}
	c.Sources = []api.Source{tax}
	if e != nil {
		c.Sources = append(c.Sources, e.source)
	}
	p.company = c
	p.company, p.hit, err = p.as(api.Hit, false)
	return p, err
}

// as is the profile with what is true of this answer alone: whether the cache gave
// the tax authority's part, and whether that is past its time. All of them share
// one entity tag, since they say the same of the company.
func (p *profile) as(cached string, stale bool) (*api.Company, *api.Document, error) {
	c := *p.company
	c.Sources = append([]api.Source{}, c.Sources...)
	c.Sources[0].Cache, c.Sources[0].Stale = cached, stale
	doc, err := api.EncodeDocument(&c)
	if err != nil {
		return nil, nil, err
	}
	return &c, doc.WithTag(p.plain), nil
}
