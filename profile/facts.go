package profile

import (
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// collectionSource is the name in sources of the complete register of VAT on collection.
const collectionSource = "anaf-vat-collection"

// Facts implements [company.History]. If the tax authority cannot be queried, the facts come from the observations.
func (h *History) Facts(ctx context.Context, cui ro.CUI) ([]company.Fact, []company.Source, op.Freshness,
	error) {
	answer, failure := h.current(ctx, ro.CompanyDay{CUI: cui})
	views, err := h.views(ctx, cui)
	if err != nil {
		return nil, nil, op.Freshness{}, err
	}

	if failure == nil {
		newest, err := h.newest(answer.Value, answer.RetrievedAt, 0)
		if err != nil {
			return nil, nil, op.Freshness{}, err
		}

		views = append(views, *newest)
		slices.SortStableFunc(views, func(a, b history.View) int { return a.At.Compare(b.At) })
	}

	if len(views) == 0 {
		return nil, nil, answer.Freshness, failure
	}

	last := lastOrdinary(views)
	source, fresh := h.observedSource(last), observedFreshness(last.At)
	if failure == nil {
		source, fresh = answer.Value.Sources[0], answer.Freshness
	}

	facts, sources := history.Facts(taxAuthority, views), []company.Source{source}
	if entries, ok := h.collection(cui, last.Day); ok {
		facts = append(facts, collectionFacts(entries)...)
		sources = append(sources, h.collectionsSource())
	}

	return facts, sources, fresh, nil
}

// current returns the profile of a company, with the tax authority's record. If there is no record, it returns
// op.ErrUnknown or an *op.Failure.
func (h *History) current(ctx context.Context, company ro.CompanyDay) (op.Answer[*company.Company], error) {
	answer, err := h.register.Company(ctx, company)
	return answer, recordFailure(answer, err)
}

// recordFailure returns why an answer does not have the tax authority's record; nil if it has.
func recordFailure(answer op.Answer[*company.Company], err error) error {
	switch {
	case err != nil:
		return err
	case answer.Value.Unlisted:
		return op.ErrUnknown
	case answer.Value.Sources[0].RetrievedAt == nil: // from the trade register only
		return &op.Failure{Registry: taxAuthority, Kind: op.Closed, RetryAfter: time.Second, Err: errNoRecord}
	}

	return nil
}

// lastOrdinary returns the last view that is not for a past day. If all views are for past days, it returns the last
// one.
func lastOrdinary(views []history.View) *history.View {
	for i := range slices.Backward(views) {
		if v := &views[i]; v.Day == retrievedOn(v.At) {
			return v
		}
	}

	return &views[len(views)-1]
}

// observedSource returns the source entry of observations, if the tax authority cannot be queried.
func (h *History) observedSource(v *history.View) company.Source {
	source := taxSource(v.At)
	source.AsOf, source.Cache = &v.Day, op.Hit
	source.Stale = time.Since(v.At) > h.register.fresh
	return source
}

// observedFreshness returns the freshness of an answer from observations.
func observedFreshness(at time.Time) op.Freshness {
	return op.Freshness{Cache: op.Hit, RetrievedAt: at}
}

// collectionFacts returns the current facts of the register of VAT on collection. The time at which they were first
// seen is unknown.
func collectionFacts(entries []history.Entry) []company.Fact {
	var facts []company.Fact
	for _, e := range entries {
		if e.Replaced != 0 {
			continue
		}

		facts = append(facts, company.Fact{
			Field: history.VATOnCollection.String(), Value: company.FactValue{Bool: new(true)},
			Source:    collectionSource,
			ValidFrom: history.OrNone(e.From), ValidTo: history.OrNone(e.To), RecordedOn: history.OrNone(e.Recorded()),
		})
	}

	return facts
}

func (h *History) collectionsSource() company.Source {
	day, at := h.collections.Day(), h.collections.Retrieved().UTC().Truncate(time.Second)
	return company.Source{Name: collectionSource, RetrievedAt: &at, AsOf: &day, Cache: op.Hit}
}
