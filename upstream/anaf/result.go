package anaf

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// Result is the answer for one number: a record, or the reason why there is none. Err is op.ErrUnknown if the register
// has confirmed that it does not know the number, and an *op.Failure if the answer about it is unusable.
type Result struct {
	Record *Record
	// Incomplete is true if the record does not say whether the company pays VAT.
	Incomplete bool
	// Misdated is true if the record is for another day than requested. It is still used for a company as of today;
	// otherwise Err reports it.
	Misdated bool
	// Disagrees is true if the periods of a record about a past day contradict the register's own VAT status, which
	// takes precedence.
	Disagrees bool
	Err       error
}

// Fetch requests several companies, each on a day, in one call, like Client.Profiles. The numbers of one call are
// distinct.
type Fetch func(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]Result, error)

// results assigns the records of an answer to the companies.
func (c *Client) results(companies []ro.CompanyDay, today ro.Date, a *answer[taxpayer]) (
	map[ro.CompanyDay]Result, error) {
	if err := c.checkShape(a.Found); err != nil {
		return nil, broken(err)
	}

	return a.results(companies, func(t *taxpayer) number { return t.General.CUI },
		func(company ro.CompanyDay, found []*element[taxpayer], missing bool) Result {
			r := extract(found, missing)
			if r.Err != nil && r.Err != op.ErrUnknown {
				r.Err = broken(&unusableError{company, r.Err})
			}
			if r.Record != nil {
				r = found[0].read.checkDay(r, company, today)
			}

			return r
		})
}

// ResultOf returns the result about a company. It is a failure if there is none.
func ResultOf(results map[ro.CompanyDay]Result, company ro.CompanyDay) Result {
	r, ok := results[company]
	if !ok {
		r.Err = broken(fmt.Errorf("company %s is missing from the results", company))
	}
	return r
}

// extract returns the record of a company, given all of its records in an answer.
func extract(found []*element[taxpayer], missing bool) Result {
	switch {
	case len(found) == 0 && missing:
		return Result{Err: op.ErrUnknown}
	case len(found) == 0:
		return Result{Err: errors.New("neither found nor missing")}
	case missing:
		return Result{Err: errors.New("both found and missing")}
	case len(found) > 1:
		return Result{Err: fmt.Errorf("found %d times", len(found))}
	}

	if err := found[0].read.check(); err != nil {
		return Result{Err: err}
	}

	record, read := NewRecord(found[0].raw), found[0].read // a copy, so that the others can be freed
	record.read.Store(&read)
	if f, err := fingerprintOf(found[0].raw); err == nil {
		record.fingerprint = &f
	}

	return Result{Record: record, Incomplete: found[0].read.lacksVAT()}
}

// checkDay checks that a record is for the requested day, if the record has a day. Data for another day must not be
// used for a past day, but for today it is the best available. Neither the registry nor the number is at fault, so the
// answer counts as usable in either case.
func (t *taxpayer) checkDay(r Result, company ro.CompanyDay, today ro.Date) Result {
	recorded := day(t.General.Day)
	if recorded == nil || *recorded == cmp.Or(company.Day, today) {
		r.Disagrees = company.Day != 0 && t.disagrees(company.Day)
		return r
	}

	r.Misdated = true
	if company.Day != 0 {
		r = Result{Misdated: true, Err: broken(fmt.Errorf("the answer about %s is about %s", company, *recorded))}
	}

	return r
}

// disagrees reports whether the periods contradict the VAT flag for a day.
func (t *taxpayer) disagrees(day ro.Date) bool {
	v := history.View{Day: day}
	v.Timelines[history.VATPayer] = registrations(&company.Company{VATPayer: t.VAT.Payer.bool,
		VATPeriods: t.vatPeriods()})
	return v.Contradicts(history.VATPayer)
}

// unusableError reports an answer without usable data about a company: the answer omits the company, or lacks its name.
type unusableError struct {
	company ro.CompanyDay
	err     error
}

func (e *unusableError) Error() string {
	return fmt.Sprintf("reading the answer about %s: %s", e.company, e.err)
}

func (e *unusableError) Unwrap() error { return e.err }

// IsUnusable reports whether an error means that an answer has no usable data about a company. Such an error is not a
// failure of the registry.
func IsUnusable(company ro.CUI, err error) bool {
	unusable, ok := errors.AsType[*unusableError](err)
	return ok && unusable.company.CUI == company // another company's error comes from a call that failed as a whole
}

type excusedKey struct{}

// WithExcuse marks the context of a probe that follows a successful call. The registry works, so a failure of the probe
// does not count against it.
func WithExcuse(ctx context.Context) context.Context {
	return context.WithValue(ctx, excusedKey{}, true)
}

// Excuse turns the failure of such a probe into a rejection, which the breaker does not count.
func Excuse(ctx context.Context, err error) error {
	if ctx.Value(excusedKey{}) == nil || !Blames(err) {
		return err
	}
	return broken(fmt.Errorf("%w: %w", upstream.ErrRejected, err))
}

// Blames reports whether the requested numbers may have caused a failure: the response was malformed, or the connection
// broke.
func Blames(err error) bool {
	f, ok := errors.AsType[*op.Failure](err)
	return ok && f.Kind == op.Broken && !errors.Is(err, context.Canceled) && !errors.Is(err, errShape)
}
