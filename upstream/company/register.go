// Package company joins what the registers know of a company into one profile,
// behind the cache.
package company

import (
	"context"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
)

// Lifetimes say how old a profile may become.
type Lifetimes struct {
	// Fresh is how long a profile is as good as new. Default 24 h: the tax
	// authority's register is about days.
	Fresh time.Duration
	// Revalidate is how long after that it is served at once while it is fetched
	// again behind the caller's back. Default 24 h.
	Revalidate time.Duration
	// Stale is how long after Fresh it is served when the register cannot be
	// asked. Default 30 days.
	Stale time.Duration
	// Unknown is how long it is remembered that no register knows a number.
	// Default 6 h.
	Unknown time.Duration
}

// DefaultLifetimes are the lifetimes of an installation that configures none.
var DefaultLifetimes = Lifetimes{Fresh: 24 * time.Hour, Revalidate: 24 * time.Hour, Stale: 30 * 24 * time.Hour, Unknown: 6 * time.Hour}

// clientMaxAge is how long a client may keep a profile.
const clientMaxAge = 5 * time.Minute

// taxAuthority is the register's name in sources.
const taxAuthority = "anaf"

// Register is the profiles of companies.
type Register struct {
	profiles *cache.Facts[api.CUI, *api.Company]
}

// NewRegister puts the cache in front of the tax authority's register, which
// answers api.ErrUnknown for a number that it does not know.
func NewRegister(c *cache.Cache, life Lifetimes, profile func(context.Context, api.CUI) (*api.Company, error)) *Register {
	kind := cache.Kind{
		Name:                 "company",
		Fresh:                life.Fresh,
		StaleWhileRevalidate: life.Revalidate,
		StaleIfError:         life.Stale,
		Unknown:              life.Unknown,
		ErrUnknown:           api.ErrUnknown,
	}
	return &Register{profiles: cache.Through(c, kind, profile)}
}

// Company is the profile of one company.
func (r *Register) Company(ctx context.Context, cui api.CUI) (api.Answer[*api.Company], error) {
	found, err := r.profiles.Get(ctx, cui)
	if err != nil {
		return api.Answer[*api.Company]{}, err
	}
	known := found.Memo(func(c *api.Company) any { return newProfile(c, found.RetrievedAt) }).(*profile)
	if known.err != nil {
		return api.Answer[*api.Company]{}, known.err
	}
	answer := api.Answer[*api.Company]{Document: known.hit, Freshness: api.Freshness{
		Cache: api.Hit, RetrievedAt: found.RetrievedAt, FreshUntil: found.FreshUntil, MaxAge: clientMaxAge,
	}}
	if !found.Hit {
		answer.Cache = api.Miss
	}
	if !found.Hit || found.Stale {
		answer.Document, err = known.as(answer.Cache, found.Stale)
	}
	return answer, err
}

// Forget takes a company out of the cache, so that the next call asks the
// register.
func (r *Register) Forget(cui api.CUI) error { return r.profiles.Delete(cui) }

// profile is a company as it is sent: encoded once for all the calls that find
// it fresh in the cache, which are nearly all.
type profile struct {
	company *api.Company
	source  api.Source
	plain   *api.Document // without sources: what the entity tag is of
	hit     *api.Document
	err     error
}

func newProfile(c *api.Company, retrievedAt time.Time) *profile {
	day, at := api.DateIn(retrievedAt, api.Bucharest), retrievedAt.UTC().Truncate(time.Second)
	p := &profile{company: c, source: api.Source{Name: taxAuthority, RetrievedAt: &at, AsOf: &day}}
	if p.plain, p.err = api.EncodeDocument(c); p.err == nil {
		p.hit, p.err = p.as(api.Hit, false)
	}
	return p
}

// as is the profile with what is true of this answer alone: whether the cache
// gave it, and whether it is past its time. All of them share one entity tag,
// since they say the same of the company.
func (p *profile) as(cached string, stale bool) (*api.Document, error) {
	source := p.source
	source.Cache, source.Stale = cached, stale
	c := *p.company
	c.Sources = []api.Source{source}
	doc, err := api.EncodeDocument(&c)
	if err != nil {
		return nil, err
	}
	return doc.WithTag(p.plain), nil
}
