package bnr

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rodata/rodata/ro"
)

// add merges an edition into the archive and writes the changed years. Years that cannot be written stay in memory, and
// the keeper retries.
func (r *Registry) add(p paper, ed edition) {
	now := r.now()
	today := ro.DateIn(now, ro.Bucharest)
	r.mu.Lock()
	before := r.archive.newest()
	m := r.archive.merge(ed.fixings, now)
	for _, f := range ed.fixings {
		r.learnCurrencies(f)
	}

	for year := range m.changed {
		r.unsaved[year] = true
	}
	if p == dayPaper {
		r.checks.recordSuccess(now, ed)
	}
	if p.year == 0 { // a year's document is complete, and its days are learned below
		for _, year := range r.archive.doubt(before) {
			r.unsaved[year] = true
		}
	}

	if !ed.unchanged {
		s := p.covers(ed.document, today)
		if r.archive.learn(s) && p != dayPaper {
			r.unsaved[ed.fixings[0].Date.Year()] = true
			r.unsaved[ed.fixings[len(ed.fixings)-1].Date.Year()] = true
		}
	} else if newest := r.archive.newest(); r.checks.lastFixing == newest {
		r.archive.learn(span{newest, today - 1})
	}

	r.mu.Unlock()
	r.report(p, ed, m)
	r.store()
}

// store writes the unsaved years. It logs only when writing starts to fail and when it succeeds again, not on every
// attempt.
func (r *Registry) store() {
	switch news, err := r.save(); {
	case !news:
	case err != nil:
		r.o.Logger.Error("writing fixings failed; they stay in memory until it succeeds",
			"registry", name, "error", err)
	default:
		r.o.Logger.Info("fixings are writable again", "registry", name)
	}
}

// report logs what an operator may want to investigate.
func (r *Registry) report(p paper, ed edition, m mergeResult) {
	log := r.o.Logger.With("registry", name, "document", p.path)
	if n := len(ed.fixings); len(m.changed) > 0 {
		log.Info("new fixings", "latest", ed.fixings[n-1].Date.String())
	}
	if len(m.corrected) > 0 {
		log.Warn("the bank corrected fixings", "days", fmt.Sprint(m.corrected))
	}
	if len(m.rejected) > 0 {
		log.Warn("fixings differ from the stored ones, which stay as they are", "days", fmt.Sprint(m.rejected))
	}
	if ed.oldLei > 0 {
		log.Warn("fixings in old lei were divided by 10000", "count", ed.oldLei)
	}
}

// save writes the unsaved years. It reports news when writing starts to fail, and when it succeeds again.
func (r *Registry) save() (news bool, err error) {
	r.saving.Lock()
	defer r.saving.Unlock()
	err = r.saveChanged()
	news = r.failing != (err != nil)
	r.failing = err != nil
	return news, err
}

func (r *Registry) saveChanged() error {
	r.mu.Lock()
	var volumes []volume
	for _, year := range slices.Sorted(maps.Keys(r.unsaved)) {
		volumes = append(volumes, r.archive.volume(year))
	}

	clear(r.unsaved)
	r.mu.Unlock()
	var failures []error
	for _, v := range volumes {
		if err := r.files.save(v); err != nil {
			failures = append(failures, err)
			r.mu.Lock()
			r.unsaved[v.year] = true
			r.mu.Unlock()
		}
	}

	return errors.Join(failures...)
}
