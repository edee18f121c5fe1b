package search

import (
	"errors"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// statement is an invented statement; of an absent one only that it is absent counts.
type statement struct {
	absent  bool
	figures company.Figures
}

// inventedStatements returns statements of about a fifth of the firms of an index, like in reality, most of them of
// firms in operation. A quarter of the turnovers is 0, few firms have employees, and some figures are not stated.
func inventedStatements(x *Index) (ids []ro.CUI, by map[ro.CUI]*statement) {
	r := rand.New(rand.NewPCG(5, 5))
	by = map[ro.CUI]*statement{}
	for doc := range uint32(x.Len()) {
		firm := x.At(doc)
		if by[firm.TaxID] != nil || firm.TaxID == 0 || r.IntN(10) > 2 {
			continue
		}

		s := &statement{absent: r.IntN(3) == 0}
		if r.IntN(20) > 0 {
			s.figures[company.TurnoverFigure] = new(min(1, int64(r.IntN(4))) * r.Int64N(1<<r.IntN(35)))
		}
		if r.IntN(20) > 0 {
			s.figures[company.NetResultFigure] = new(r.Int64N(1<<r.IntN(30)) - r.Int64N(1<<r.IntN(30)))
		}
		if r.IntN(20) > 0 {
			s.figures[company.EmployeesFigure] = new(r.Int64N(1 << r.IntN(12)))
		}

		ids = append(ids, firm.TaxID)
		by[firm.TaxID] = s
	}

	slices.Sort(ids)
	return ids, by
}

// mustFigures returns the figures of statements.
func mustFigures(t testing.TB, x *Index, ids []ro.CUI, by map[ro.CUI]*statement) *Figures {
	t.Helper()
	filed := func(yield func(ro.CUI, error) bool) {
		for _, id := range ids {
			if !by[id].absent && !yield(id, nil) {
				return
			}
		}
	}
	f, err := x.NewFigures(2025, filed, func(yield func(StatementFigures, error) bool) {
		for id := range filed {
			if !yield(StatementFigures{id, by[id].figures}, nil) ||
				!yield(StatementFigures{id, company.Figures{new(int64(7))}}, nil) { // of a second family
				return
			}
		}
	})
	testkit.NoError(t, err)

	f, err = x.WithAbsent(f, all(ids), func(firm *Firm) (bool, error) { return by[firm.TaxID].absent, nil })
	testkit.NoError(t, err)

	return f
}

func all(ids []ro.CUI) iter.Seq2[ro.CUI, error] {
	return func(yield func(ro.CUI, error) bool) {
		for _, id := range ids {
			if !yield(id, nil) {
				return
			}
		}
	}
}

// byFigures narrows a query by figures, or sorts it by one. A range has a bound that a firm has, or two.
func byFigures(r *rand.Rand, q Query, like *statement) Query {
	for range 1 + r.IntN(2) {
		i := r.IntN(int(company.FigureCount))
		value, bound := like.figures[i], &q.Ranges[i]
		if value == nil {
			value = new(int64(0))
		}
		switch r.IntN(6) {
		case 0:
			bound.Min = value
		case 1:
			bound.Max = value
		case 2:
			bound.Min, bound.Max = new(*value-r.Int64N(1<<r.IntN(30))), new(*value+r.Int64N(1<<r.IntN(30)))
		case 3:
			q.Statement = pick(r, []company.StatementStateName{company.StatementFiled, company.StatementNotInFiles})
		default:
			q.Sort = pick(r, []company.SortBy{"turnover", "netResult", "employees"})
			q.Direction = direction(r)
		}
	}

	return q
}

// For every kind of query, narrowed and sorted by figures, the result equals that of an oracle that examines every
// firm.
func TestSearchByFiguresAgreesWithLookingAtEveryFirmLong(t *testing.T) {
	n := long.Length(t, 1000, 4000)
	x, o := indexOf(t, n), newOracle(t, n)
	ids, by := inventedStatements(x)
	for i := range o {
		o[i].statement = by[o[i].TaxID]
	}

	figures, r, found := mustFigures(t, x, ids, by), rand.New(rand.NewPCG(6, 6)), 0
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for i := range 16 {
				q := k.make(r, o[r.IntN(len(o))].Firm)
				if i%2 == 0 {
					q.Text = "" // otherwise few match
				}

				q = byFigures(r, q, by[pick(r, ids)])
				q.Figures = figures
				want := o.search(q)
				q.Offset %= max(1, len(want))
				got, err := x.Search(t.Context(), q)
				testkit.NoError(t, err)

				wanted := want[min(q.Offset, len(want)):min(q.Offset+q.Limit, len(want))]
				if got.Total != len(want) || !slices.Equal(numbers(got.Firms), wanted) {
					t.Fatalf("%+v found %d: %v\nwant %d: %v", q, got.Total, numbers(got.Firms), len(want), wanted)
				}

				found += got.Total
				for j := range got.Firms {
					want := company.Figures{}
					if s := by[got.Firms[j].TaxID]; s != nil && !s.absent {
						want = s.figures
					}
					if !reflect.DeepEqual(got.Figures[j], want) {
						t.Errorf("the figures of %s are not those of its statement", got.Firms[j].TaxID)
					}
				}
			}
		})
	}

	if found < n {
		t.Errorf("only %d firms were found", found)
	}
}

func TestBoundsOfARange(t *testing.T) {
	x := built(t,
		Firm{Name: "A", Number: "none"}, Firm{Name: "B", Number: "b", TaxID: 18},
		Firm{Name: "C", Number: "c", TaxID: 26},
		Firm{Name: "D", Number: "not stated", TaxID: 34}, Firm{Name: "E", Number: "e", TaxID: 42},
		Firm{Name: "F", Number: "not filed", TaxID: 50}, Firm{Name: "E TWICE", Number: "e2", TaxID: 42})
	ids, by := []ro.CUI{18, 26, 34, 42, 1234}, map[ro.CUI]*statement{
		18: {figures: company.Figures{new(int64(-5))}}, 26: {figures: company.Figures{new(int64(0))}}, 34: {},
		42: {figures: company.Figures{new(int64(7))}}, 1234: {},
	}
	figures := mustFigures(t, x, ids, by)
	search := func(q Query) []string {
		q.Figures, q.Limit = figures, 10
		page, err := x.Search(t.Context(), q)
		testkit.NoError(t, err)
		if page.Total != len(page.Firms) {
			t.Errorf("%d of %d firms", len(page.Firms), page.Total)
		}
		return numbers(page.Firms)
	}
	turnover := func(from, to *int64) Query {
		q := Query{}
		q.Ranges[company.TurnoverFigure] = company.FigureRange{Min: from, Max: to}
		return q
	}

	for name, test := range map[string]struct {
		query Query
		want  []string
	}{
		"least":          {turnover(new(int64(-5)), nil), []string{"b", "c", "e", "e2"}},
		"zero":           {turnover(new(int64(0)), nil), []string{"c", "e", "e2"}},
		"zero at most":   {turnover(nil, new(int64(0))), []string{"b", "c"}},
		"one value":      {turnover(new(int64(7)), new(int64(7))), []string{"e", "e2"}},
		"between values": {turnover(new(int64(1)), new(int64(6))), nil},
		"above all":      {turnover(new(int64(8)), nil), nil},
		"below all":      {turnover(nil, new(int64(-6))), nil},
		"reversed":       {turnover(new(int64(7)), new(int64(-5))), nil},
		"filed": {Query{FigureFilter: company.FigureFilter{Statement: company.StatementFiled}},
			[]string{"b", "c", "not stated", "e", "e2"}},
		"ascending": {Query{Sort: "turnover"}, []string{"b", "c", "e", "e2", "none", "not stated", "not filed"}},
		"descending": {Query{Sort: "turnover", Direction: "desc"},
			[]string{"e2", "e", "c", "b", "none", "not stated", "not filed"}},
		"not stated by all": {Query{Sort: "employees"},
			[]string{"none", "b", "c", "not stated", "e", "e2", "not filed"}},
	} {
		if got := search(test.query); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestFiguresOfNoStatements(t *testing.T) {
	x := built(t, Firm{Name: "A", Number: "a", TaxID: 18})
	page, err := x.Search(t.Context(), Query{Sort: "turnover", Limit: 10, Figures: mustFigures(t, x, nil, nil)})
	if err != nil || page.Total != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestFiguresFail(t *testing.T) {
	x, broken := built(t, Firm{Name: "A", TaxID: 18}), errors.New("broken")
	fail := func(yield func(ro.CUI, error) bool) { yield(0, broken) }
	if _, err := x.NewFigures(2025, fail, nil); !errors.Is(err, broken) {
		t.Errorf("companies: %v", err)
	}
	if _, err := x.NewFigures(2025, all(nil), func(yield func(StatementFigures, error) bool) {
		yield(StatementFigures{}, broken)
	}); !errors.Is(err, broken) {
		t.Errorf("figures: %v", err)
	}

	f := mustFigures(t, x, nil, nil)
	if _, err := x.WithAbsent(f, fail, nil); !errors.Is(err, broken) {
		t.Errorf("companies that filed before: %v", err)
	}
	if _, err := x.WithAbsent(f, all([]ro.CUI{18}), func(*Firm) (bool, error) { return false, broken }); !errors.Is(err,
		broken) {
		t.Errorf("the decision: %v", err)
	}
}

// The memory of replaced figures is released while searches with the new ones run.
func TestFiguresAreReplaced(t *testing.T) {
	x := indexOf(t, 1000)
	ids, by := inventedStatements(x)
	for range 20 {
		f := mustFigures(t, x, ids, by)
		runtime.GC()
		page, err := x.Search(t.Context(), Query{Sort: "turnover", Direction: "desc", Limit: 10, Figures: f})
		if err != nil || len(page.Firms) != 10 {
			t.Fatalf("%d firms, %v", len(page.Firms), err)
		}
	}
}

// Intersecting a set with spans by marks finds the docs that comparing each position does. The ends of the spans are on
// and beside the ends of tiles, too.
func TestSpans(t *testing.T) {
	x := indexOf(t, 1000)
	ids, by := inventedStatements(x)
	f, r := mustFigures(t, x, ids, by), rand.New(rand.NewPCG(8, 8))
	end := func(o *figureOrder) int {
		if r.IntN(2) == 0 {
			return r.IntN(o.known + 1)
		}
		return min(max(o.tileEnd(r.IntN(tiles+1))+r.IntN(3)-1, 0), o.known)
	}

	for range 3000 {
		var spans []figureSpan
		for i := range f.by[:1+r.IntN(len(f.by))] {
			from, before := end(&f.by[i]), end(&f.by[i])
			if from > before {
				from, before = before, from
			}
			if from < before {
				spans = append(spans, figureSpan{&f.by[i], from, before})
			}
		}

		set := pick(r, []*roaring.Bitmap{x.everything, x.operating})
		want := roaring.New()
		for _, doc := range set.ToArray() {
			if !slices.ContainsFunc(spans, func(s figureSpan) bool { return !s.contains(doc) }) {
				want.Add(doc)
			}
		}
		if got := x.inSpans(set, spans); !got.Equals(want) {
			t.Fatalf("%d spans have %d docs, want %d", len(spans), got.GetCardinality(), want.GetCardinality())
		}
	}
}
