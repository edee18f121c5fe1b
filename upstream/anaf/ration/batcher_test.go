package ration

import (
	"slices"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// queued returns the n-th caller's request for a company.
func queued(cui ro.CUI, n int, p priority) *request {
	caller := op.CallerOf(as(n))
	return &request{company: today(cui), caller: caller.Bucket(), priority: p, done: make(chan struct{})}
}

// on returns a request of the n-th caller for a company on a day.
func on(day ro.Date, cui ro.CUI, n int, p priority) *request {
	r := queued(cui, n, p)
	r.company.Day = day
	return r
}

// TestBatcherAsksOnceAboutACompany verifies that requests for different days of a company are in different calls, that
// other companies fill the free slots, and that a skipped caller is next.
func TestBatcherAsksOnceAboutACompany(t *testing.T) {
	var q batcher
	for _, r := range []*request{
		on(0, 1, 1, interactive), on(1, 1, 1, interactive), on(2, 1, 2, interactive), on(2, 2, 1, interactive),
		on(3, 3, 3, interactive), on(4, 1, 4, refresh), on(5, 1, 5, ahead), on(5, 4, 5, ahead),
	} {
		q.push(r)
	}

	for i, want := range [][]string{
		{"1", "3@0001-01-04", "2@0001-01-03", "4@0001-01-06"}, {"1@0001-01-03"}, {"1@0001-01-02"}, {"1@0001-01-05"},
		{"1@0001-01-06"}, nil,
	} {
		var got []string
		b := q.ordinary()
		for _, company := range b.companies() {
			got = append(got, company.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("call %d asks about %v, want %v", i, got, want)
		}
	}

	if q.len() != 0 || q[ahead].length != 0 {
		t.Errorf("%d requests are left", q.len())
	}
}

func TestProbeIsFilledWithOtherCompanies(t *testing.T) {
	var l Lookup
	l.bisector.groups = []group{{suspects: []*request{on(0, 1, 1, interactive), on(0, 2, 1, interactive)}}}
	l.queue.push(on(7, 1, 1, interactive))
	l.queue.push(on(7, 2, 1, interactive))
	if b := l.nextBatch(); len(b.probe) != 1 || len(b.others) != 1 ||
		b.others[0].company != (ro.CompanyDay{CUI: 2, Day: 7}) {
		t.Errorf("probes %v with %v", b.probe, b.others)
	}
}

func TestBatcherMakesRoom(t *testing.T) {
	newest := func(n int, p priority, cuis ...ro.CUI) (all []*request) {
		for _, cui := range cuis {
			all = append(all, queued(cui, n, p))
		}
		return all
	}
	for name, c := range map[string]struct {
		queued []*request
		comes  *request
		yields ro.CUI // 0: not in any call
	}{
		"an empty queue":               {comes: queued(9, 1, interactive)},
		"a refresh yields to a caller": {newest(1, refresh, 1, 2), queued(9, 2, interactive), 2},
		"a quarantined one yields first": {append(newest(1, refresh, 1), newest(2, alone, 2)...),
			queued(9, 3, interactive), 2},
		"who has most yields to who has less":  {newest(1, interactive, 1, 2), queued(9, 2, interactive), 2},
		"not to an equal":                      {newest(1, interactive, 1), queued(9, 2, interactive), 0},
		"not to itself":                        {newest(1, interactive, 1, 2, 3), queued(9, 1, interactive), 0},
		"a caller does not yield to refreshes": {newest(1, interactive, 1, 2, 3), queued(9, 2, refresh), 0},
	} {
		t.Run(name, func(t *testing.T) {
			var q batcher
			for _, r := range c.queued {
				q.push(r)
			}

			got := ro.CUI(0)
			if r := q.victim(c.comes); r != nil {
				got = r.company.CUI
			}
			if got != c.yields {
				t.Errorf("%s yields, want %s", got, c.yields)
			}
		})
	}
}

func TestBatcherPromotesAndRemoves(t *testing.T) {
	var q batcher
	background, isolated := queued(1, 1, refresh), queued(2, 1, alone)
	q.push(background)
	q.push(isolated)
	other := op.CallerOf(as(2))
	for _, r := range []*request{background, isolated} {
		q.promote(r, other.Bucket())
	}
	if background.priority != interactive || background.caller != other.Bucket() || q[interactive].length != 1 ||
		q[refresh].length != 0 {
		t.Errorf("promoted to %d", background.priority)
	}
	if isolated.priority != alone {
		t.Error("a quarantined company joins the others")
	}

	for _, want := range []bool{true, false} {
		if q.remove(background) != want {
			t.Errorf("removed: %t, want %t", !want, want)
		}
	}

	q.promote(background, other.Bucket()) // on the wire
	if q.len() != 1 {
		t.Errorf("%d are queued, want 1", q.len())
	}
}
