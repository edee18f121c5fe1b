package profile

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Status implements [company.History]. If the tax authority cannot be queried, the answer comes from the
// observations, provided that they suffice.
func (h *History) Status(ctx context.Context, cui ro.CUI,
	day, knownAt ro.Date) (op.Answer[*company.Status], error) {
	c := requestDay(cui, day)
	answer, failure := h.current(ctx, c)
	return h.statusFrom(ctx, answer, failure, c, day, knownAt)
}

// statusFrom returns the statuses, given the tax authority's answer or its failure.
func (h *History) statusFrom(ctx context.Context, answer op.Answer[*company.Company], failure error, c ro.CompanyDay,
	day, knownAt ro.Date) (op.Answer[*company.Status], error) {
	if failure != nil && (knownAt == 0 || errors.Is(failure, op.ErrUnknown)) {
		return op.Answer[*company.Status]{Freshness: answer.Freshness}, failure
	}

	status := &company.Status{TaxID: c.CUI, Date: day}
	var newest *history.View
	if failure == nil {
		var err error
		if newest, err = h.newest(answer.Value, answer.RetrievedAt, c.Day); err != nil {
			return op.Answer[*company.Status]{}, err
		}
		if c.Day == 0 { // the stored record of today may have been retrieved yesterday
			day = newest.Day
			status.Date = day
		}

		status.Name, status.Sources = answer.Value.Name, slices.Clone(answer.Value.Sources)
		status.RegistrationDate = answer.Value.RegistrationDate
		status.StatusesOnDay = currentStatuses(answer.Value, newest, day)
		status.Record, status.RetrievedAt = newest.Record, newest.At
	}

	switch {
	case knownAt == 0:
	case knownAt == ro.Today() && failure == nil: // it is the register's current data
		now := status.StatusesOnDay
		status.KnownAt, status.Now, status.ChangedRetroactively = &knownAt, &now, new(false)
	default:
		if err := h.addKnown(ctx, status, newest, knownAt); err != nil {
			return op.Answer[*company.Status]{}, err
		}
		if failure != nil && !isKnown(&status.StatusesOnDay) {
			return op.Answer[*company.Status]{}, failure
		}
	}

	fresh := answer.Freshness
	if failure != nil {
		fresh = observedFreshness(status.RetrievedAt)
	}

	return op.Answer[*company.Status]{Value: status, Freshness: fresh}, nil
}

// Supplier implements [company.History].
func (h *History) Supplier(ctx context.Context, known company.Found, cui ro.CUI,
	day, knownAt ro.Date) (company.Supplier, error) {
	c := requestDay(cui, day)
	answer, failure := known.Answer, recordFailure(known.Answer, known.Err)
	s := company.Supplier{Profile: answer, TaxErr: failure, Release: h.register.trade.DataThrough()}
	status, err := h.statusFrom(ctx, answer, failure, c, day, knownAt)
	switch {
	case err == nil:
		s.Status = status.Value
	case failure == nil || errors.Is(err, company.ErrHistoryDown):
		return s, err
	case errors.Is(failure, op.ErrUnknown):
	case s.Release == 0 || ctx.Err() != nil: // no register could be asked
		return s, failure
	}

	if c.Day == 0 {
		return s, nil
	}

	views, err := h.views(ctx, cui)
	if err != nil {
		return s, err
	}

	s.Past = pastOf(views, day, knownAt)
	return s, nil
}

// pastOf returns what the views up to the end of the day knownAt, which are in chronological order, tell about a
// company on a day.
func pastOf(views []history.View, day, knownAt ro.Date) (past company.Past) {
	for i := range views {
		v := &views[i]
		seen := retrievedOn(v.At)
		if v.Day != seen || seen > min(day, knownAt) {
			continue
		}

		past.Name = identityIn(v, "name")
		if seen == day {
			past.State = company.StateRegistration(identityIn(v, "stateRegistration"))
		}
	}

	return past
}

// requestDay returns the day to request from the tax authority.
func requestDay(cui ro.CUI, day ro.Date) ro.CompanyDay {
	if day == ro.Today() {
		day = 0
	}
	return ro.CompanyDay{CUI: cui, Day: day}
}

// addKnown replaces the statuses with those known at the end of a day, and adds the register's current ones.
func (h *History) addKnown(ctx context.Context, status *company.Status, newest *history.View,
	knownAt ro.Date) error {
	views, err := h.views(ctx, status.TaxID)
	if err != nil {
		return err
	}

	if entries, ok := h.collection(status.TaxID, max(status.Date, knownAt)); ok && newest != nil {
		t := &newest.Timelines[history.VATOnCollection]
		t.Entries, t.Whole = entries, true
		status.Sources = append(status.Sources, h.collectionsSource())
	}

	now, changed := status.StatusesOnDay, false
	status.KnownAt = &knownAt
	var observed *history.View // the first view that decides a status
	for s := range history.StatusCount {
		known := history.Known(s, status.Date, knownAt, newest, views)
		observed = cmp.Or(observed, known.Observed)
		*status.All()[s] = statusOnDay(known)
		current := now.All()[s].Value
		changed = changed || known.Value != nil && current != nil && *known.Value != *current
	}

	if observed != nil { // the receipt proves the deciding record
		status.Record, status.RetrievedAt = observed.Record, observed.At
	}
	if newest != nil {
		status.Now, status.ChangedRetroactively = &now, &changed
		return nil
	}

	status.Sources = []company.Source{}
	for i := range slices.Backward(views) {
		if v := &views[i]; retrievedOn(v.At) <= knownAt { // later observations were not used
			status.Sources = append(status.Sources, h.observedSource(v))
			status.Name, status.Record, status.RetrievedAt = identityIn(v, "name"), v.Record, v.At
			status.RegistrationDate = history.OrNone(v.Registered)
			break
		}
	}

	return nil
}

// identityIn returns a field of the company's identity in a view.
func identityIn(v *history.View, name string) string {
	for _, field := range v.Identity {
		if field.Name == name {
			return field.Value
		}
	}

	return ""
}

// isKnown reports whether a status is known.
func isKnown(statuses *company.StatusesOnDay) bool {
	for _, status := range statuses.All() {
		if status.Value != nil {
			return true
		}
	}

	return false
}

// currentStatuses returns the register's current statuses on a day.
func currentStatuses(profile *company.Company, newest *history.View, day ro.Date) (statuses company.StatusesOnDay) {
	for s, value := range profile.Statuses() {
		status := company.StatusOnDay{Value: value}
		if value != nil {
			status.Basis = new(company.FromRegister) // for today
			if profile.AsOfBasis != nil {
				status.Basis = *profile.AsOfBasis.All()[s]
			}

			computed, entry := newest.StatusOn(history.Status(s), day)
			if entry != nil && computed != nil && *computed == *value {
				describe(&status, entry)
			}
		}

		*statuses.All()[s] = status
	}

	return statuses
}

func statusOnDay(known history.Knowledge) company.StatusOnDay {
	status := company.StatusOnDay{Value: known.Value}
	if known.Value == nil {
		return status
	}

	status.Basis = new(company.FromPeriods)
	if known.Observed != nil {
		status.Basis = new(company.FromObservation)
	}
	if known.Entry != nil {
		describe(&status, known.Entry)
	}

	return status
}

// describe adds the entry behind a status.
func describe(status *company.StatusOnDay, e *history.Entry) {
	status.From, status.To = history.OrNone(e.From), history.OrNone(e.To)
	status.EnteredOn = history.OrNone(e.Recorded())
	if e.Reason != "" {
		status.Reason = &e.Reason
	}
}
