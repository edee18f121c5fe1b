package onrc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// builtFigures is a register whose figures a test builds step by step.
type builtFigures struct {
	*Register
	t       *testing.T
	builder figureBuilder
	store   *statements.Store
}

// step opens the store of statements again, and lets the builder bring the figures up to date with it.
func (b *builtFigures) step() {
	b.t.Helper()
	store, err := statements.Open(StatementsDir(b.o.Dir))
	testkit.NoError(b.t, err)
	b.t.Cleanup(func() { store.Close() })

	b.store = store
	testkit.NoError(b.t, b.builder.follow(b.t.Context(), b.Register, store))
}

// find returns the number of companies that a query finds, and the year of their figures.
func (b *builtFigures) find(q search.Query) (total, year int, err error) {
	q.Limit = 10
	page, _, err := b.Search(b.t.Context(), q)
	return page.Total, page.Year, err
}

func withStatement(state company.StatementStateName) (q search.Query) {
	q.Statement = state
	return q
}

func TestFiguresOfLoadedStatements(t *testing.T) {
	const firms = 60
	from, dir := written(t, "firme-02-09-2026", firms, true), t.TempDir()
	mustLoad(t, Options{From: from, Dir: dir})
	b := &builtFigures{Register: mustOpen(t, dir), t: t, builder: figureBuilder{
		isAbsent: func(_ *search.Firm, f *company.Filings) bool { return f.Year == 2025 },
	}}

	b.step()
	for name, q := range map[string]search.Query{"filter": withStatement(company.StatementFiled),
		"order": {Sort: "turnover"}} {
		_, _, err := b.find(q)
		p, ok := errors.AsType[*problem.Problem](err)
		if !ok || p.Status() != 503 || !errors.Is(err, errFiguresMissing) {
			t.Errorf("%s without statements: %v", name, err)
		}
	}
	if total, year, err := b.find(search.Query{WithFigures: true}); total == 0 || year != 0 || err != nil {
		t.Errorf("a search that only shows figures finds %d companies, year %d, %v", total, year, err)
	}

	writeStatements(t, from, firms, 2024)
	mustLoad(t, Options{From: from, Dir: dir, Force: true})
	b.refresh()
	b.step()
	filed, year, err := b.find(withStatement(company.StatementFiled))
	if filed == 0 || year != 2024 || err != nil {
		t.Fatalf("%d companies filed, year %d, %v", filed, year, err)
	}
	if _, _, err := b.find(withStatement(company.StatementNotInFiles)); !errors.Is(err, errFiguresMissing) {
		t.Errorf("which statements are missing, without a check of the portal: %v", err)
	}

	q := search.Query{}
	q.Ranges[company.TurnoverFigure].Min = new(int64(1_300 * filed))
	if total, _, err := b.find(q); total != 1 || err != nil {
		t.Errorf("%d companies have the highest turnover, %v", total, err)
	}
	q = search.Query{}
	q.Ranges[company.NetResultFigure].Max = new(int64(-100)) // the profit of each is 100 less than its loss
	if total, _, err := b.find(q); total != filed || err != nil {
		t.Errorf("%d companies have a loss, want %d, %v", total, filed, err)
	}
}

// TestMissingStatements verifies that which statements are missing is known once all files are here, and that a later
// year replaces the figures only once it has the files of small companies and of the others.
func TestMissingStatements(t *testing.T) {
	f, dir := newFiles(t), loaded(t, "firme-02-09-2026", 50, true)
	r, _ := keeper(t, f, dir)
	b := &builtFigures{Register: r, t: t, builder: figureBuilder{isAbsent: func(*search.Firm, *company.Filings) bool {
		return true
	}}}
	var of []search.Firm
	testkit.NoError(t, r.Read(func(x *search.Index, _ ro.Date) error {
		for doc := range uint32(x.Len()) {
			if firm := x.At(doc); firm.TaxID != 0 && len(x.ByTaxID(firm.TaxID)) == 1 {
				of = append(of, firm)
			}
		}
		return nil
	}))

	row := func(firms ...search.Firm) (body string) {
		for i := range firms {
			body += fmt.Sprintf("%s,6210%s\r\n", firms[i].TaxID, ",1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1")
		}
		return body
	}
	publish := func(year int, small, large string) (all []publishedFile) {
		in := fmt.Sprintf("situatii_financiare_%d", year)
		for name, body := range map[string]string{"web_uu_an%d": small, "web_bl_bs_sl_an%d": large} {
			if name = fmt.Sprintf(name, year); body != "" {
				all = append(all, publishedFile{in, name + ".csv", "CSV", "2026-06-01", generalLegend},
					publishedFile{in, name + ".txt", "TXT", "2026-06-01", body})
			}
		}
		return all
	}
	expect := func(when string, year, filed, missing int) {
		t.Helper()
		b.step()
		total, of, err := b.find(withStatement(company.StatementFiled))
		if total != filed || of != year || err != nil {
			t.Errorf("%s: %d companies filed in %d, %v; want %d in %d", when, total, of, err, filed, year)
		}
		total, _, err = b.find(withStatement(company.StatementNotInFiles))
		if missing < 0 != errors.Is(err, errFiguresMissing) || missing >= 0 && (total != missing || err != nil) {
			t.Errorf("%s: %d statements are missing, %v; want %d", when, total, err, missing)
		}
	}

	first := append(publish(2022, row(of[0], of[1], of[2]), row(of[3])),
		publish(2024, row(of[0]), row(of[3], of[4]))...)
	f.publishStatements(first...)
	for steps := 1; ; steps++ { // the newest year is loaded first
		more := r.keepStatements(t.Context())
		if steps == 3 {
			expect("with the first year", 2024, 3, -1)
		}
		if !more {
			break
		}
	}
	expect("with all years", 2024, 3, 2)

	r.waiting.checkAt = r.waiting.checkAt.AddDate(-1, 0, 0)
	f.publishStatements(append(first, publish(2025, "", row(of[5]))...)...)
	keepAll(t, r)
	expect("with half of a year", 2024, 3, 2)

	r.waiting.checkAt = r.waiting.checkAt.AddDate(-1, 0, 0)
	f.publishStatements(append(first, publish(2025, row(of[0]), row(of[5]))...)...)
	keepAll(t, r)
	expect("with the next year", 2025, 2, 4)

	figures := r.served.Load().figures.Load()
	if b.step(); r.served.Load().figures.Load() != figures {
		t.Error("figures were built again without a change")
	}
}

func TestFiguresOfDamagedStatements(t *testing.T) {
	const firms = 60
	from, dir := written(t, "firme-02-09-2026", firms, true), t.TempDir()
	writeStatements(t, from, firms, 2024)
	mustLoad(t, Options{From: from, Dir: dir})
	path := filepath.Join(StatementsDir(dir), "2024-uu.statements")
	body, err := os.ReadFile(path)
	testkit.NoError(t, err)

	body[10] ^= 0xff
	testkit.NoError(t, os.WriteFile(path, body, 0o600))
	store, err := statements.Open(StatementsDir(dir))
	testkit.NoError(t, err)
	defer store.Close()

	r := mustOpen(t, dir)
	if err := new(figureBuilder).follow(t.Context(), r, store); err == nil {
		t.Error("a damaged file is read")
	}
	if r.served.Load().figures.Load() != nil {
		t.Error("the figures of a damaged file are served")
	}
}
