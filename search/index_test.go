package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

func given(firms ...Firm) iter.Seq2[Firm, error] {
	return func(yield func(Firm, error) bool) {
		for _, f := range firms {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// built returns the index of some firms.
func built(t *testing.T, firms ...Firm) *Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "segment")
	testkit.NoError(t, Build(context.Background(), dir, release, given(firms...), nil))

	return open(t, dir)
}

func open(t *testing.T, dir string) *Index {
	t.Helper()
	x, err := Open(dir)
	testkit.NoError(t, err)

	testkit.CloseAfter(t, x)
	return x
}

func numbers(firms []Firm) (all []string) {
	for _, f := range firms {
		all = append(all, f.Number)
	}
	return all
}

func TestOneNumberOfSeveralFirms(t *testing.T) {
	x := built(t,
		Firm{Name: "A", TaxID: 18, Number: "J01/1/1999", Registered: ro.NewDate(1999, 1, 1),
			State: company.InOperation},
		Firm{Name: "B", TaxID: 18, Number: "J01/2/2020", Registered: ro.NewDate(2020, 1, 1), State: company.StruckOff},
		Firm{Name: "C", TaxID: 18, Number: "J01/3/2001", Registered: ro.NewDate(2001, 1, 1),
			State: company.InOperation},
		Firm{Name: "D", TaxID: 26, Number: "J2001000003012", Registered: ro.NewDate(2001, 1, 1)},
	)
	if got := numbers(x.ByTaxID(18)); !slices.Equal(got, []string{"J01/3/2001", "J01/1/1999", "J01/2/2020"}) {
		t.Errorf("tax id 18 belongs to %v; firms in operation must come first, then the newest", got)
	}

	number, _ := tradenumber.Parse("J01/3/2001")
	if got := numbers(x.ByNumber(number)); !slices.Equal(got, []string{"J01/3/2001", "J2001000003012"}) {
		t.Errorf("number J01/3/2001 is of %v, want both spellings", got)
	}

	number.Serial = 4
	if x.ByTaxID(34) != nil || x.ByNumber(number) != nil || x.ByNumber(tradenumber.Number{}) != nil {
		t.Error("an unassigned number finds a firm")
	}
	if x.Len() != 4 || x.Release() != release {
		t.Errorf("%d firms of %v", x.Len(), x.Release())
	}
}

func TestNamesAsPeopleTypeThem(t *testing.T) {
	x := built(t,
		Firm{Name: "FIT LAB SRL", Number: "1", State: company.InOperation},
		Firm{Name: "FITLAB STUDIO SRL", Number: "2", State: company.InOperation},
		Firm{Name: "CÂMPIA DE EXEMPLU SA", Number: "3"}, Firm{Name: "ȘTIINȚĂ ȘI EXEMPLU SRL", Number: "4"},
		Firm{Name: "EXEMPLARUM CONSTRUCT SRL", Number: "5", State: company.StruckOff},
		Firm{Name: "EXEMPLARUM CONSTRUCT", Number: "6", State: company.InOperation},
		Firm{Name: "Ü ПЛОВДИВ SRL", Number: "7"},
		Firm{Name: "S.C. C.F.R. IMAGINAR S.A.", Number: "8", State: company.InOperation},
		Firm{Name: "IMAGINAR A.B.D. SRL", Number: "9"}, Firm{Name: "CFR INVENTAT SA", Number: "10"},
		Firm{Name: "INVENTESCU A. BOGDANA PFA", Number: "11"},
	)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"joined":                          {"fitlab", []string{"1", "2"}},
		"split":                           {"fit lab studio", []string{"2"}},
		"joined in the middle":            {"studio fit lab", []string{"2"}},
		"without diacritics":              {"stiinta si", []string{"4"}},
		"with cedillas":                   {"ŞTIINŢĂ", []string{"4"}},
		"the old spelling":                {"cîmpia", []string{"3"}},
		"the old one without diacritics":  {"cimpia", []string{"3"}},
		"the new one without diacritics":  {"campia", []string{"3"}},
		"in operation first":              {"exemplarum construct", []string{"6", "5"}},
		"a letter missing":                {"exemplrum construct", []string{"6", "5"}},
		"two letters wrong":               {"exemplorim construct", []string{"6", "5"}},
		"one error in each of two words":  {"exemplarun constrct", []string{"6", "5"}},
		"three errors":                    {"exemplorim constrct", nil},
		"neighbours that changed places":  {"exempalrum", []string{"6", "5"}},
		"no forgiveness where some match": {"exemplu", []string{"3", "4"}},
		"a form that is being typed":      {"exemplarum construct s.", []string{"6", "5"}},
		"other letters":                   {"пловдив", []string{"7"}},
		"an abbreviation without dots":    {"cfr", []string{"10", "8"}},
		"an abbreviation with dots":       {"C.F.R.", []string{"10", "8"}},
		"one with spaces, in front":       {"c f r imaginar", []string{"8"}},
		"one without dots, behind":        {"imaginar cfr", []string{"8"}},
		"one at the end of a name":        {"abd imaginar", []string{"9"}},
		"one that is being typed":         {"imaginar a.b", []string{"9"}},
		"one whose name has no dots":      {"c.f.r. inventat s.a.", []string{"10"}},
		"a form that follows one":         {"c.f.r. s.", []string{"10", "8"}},
		"a typing error beside one":       {"c.f.r. invemtat", []string{"10"}},
		"an initial and a begun word":     {"inventescu a b", []string{"11"}},
		"nothing":                         {"- . !", nil},
		"a very long word":                {strings.Repeat("exemplu", 100), nil},
		"very many words":                 {strings.Repeat("exemplu lab ", 100), nil},
	} {
		t.Run(name, func(t *testing.T) {
			page, err := x.Search(context.Background(), Query{Text: c.text, Limit: 10})
			testkit.NoError(t, err)
			if got := numbers(page.Firms); !slices.Equal(got, c.want) || page.Total != len(c.want) {
				t.Errorf("%q finds %v, want %v", c.text, got, c.want)
			}
		})
	}
}

func TestRegisterWithoutFirms(t *testing.T) {
	x := built(t)
	for _, q := range []Query{{Limit: 10}, {Text: "exemplu", Limit: 10},
		{Sort: "registrationDate", Limit: 10, Offset: 5}, {County: 12, Limit: 10}} {
		page, err := x.Search(context.Background(), q)
		if err != nil || page.Total != 0 || page.Firms == nil || len(page.Firms) > 0 {
			t.Errorf("%+v finds %+v (%v)", q, page, err)
		}
	}
}

func TestSearchWaitsForItsTurn(t *testing.T) {
	x := built(t, Firm{Name: "EXEMPLU"})
	for range cap(x.slots) {
		x.slots <- struct{}{}
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Search(ctx, Query{Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a waiting search with a canceled context ends with %v", err)
	}

	<-x.slots
	if page, err := x.Search(context.Background(), Query{Limit: 1}); err != nil || page.Total != 1 {
		t.Errorf("found %+v (%v)", page, err)
	}
}

func TestBuildLeavesNothingBehindWhenItFails(t *testing.T) {
	broken := errors.New("broken")
	failing := func(yield func(Firm, error) bool) {
		_ = yield(Firm{Name: "EXEMPLU"}, nil) && yield(Firm{}, broken)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		firms iter.Seq2[Firm, error]
		want  error
	}{
		"the firms end with an error": {context.Background(), failing, broken},
		"the context ends":            {cancelled, given(Firm{Name: "EXEMPLU"}), context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			err := Build(c.ctx, filepath.Join(parent, "segment"), release, c.firms, nil)
			if !errors.Is(err, c.want) {
				t.Errorf("the build ends with %v, want %v", err, c.want)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
				t.Errorf("%v are left (%v)", left, err)
			}
		})
	}
}

func TestBuildBeginsAnewAfterOneThatWasKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "segment")
	testkit.NoError(t, os.MkdirAll(dir+partial, 0o700))
	testkit.NoError(t, os.WriteFile(filepath.Join(dir+partial, recordsFile), []byte("half a rec"), 0o600))
	testkit.NoError(t, Build(context.Background(), dir, release, given(Firm{Name: "EXEMPLU"}), nil))
	if x := open(t, dir); x.Len() != 1 {
		t.Errorf("%d firms", x.Len())
	}
	if err := Build(context.Background(), dir, release, given(), nil); err == nil {
		t.Error("a segment that exists was built over")
	}
}

func TestBuildDoesNotDependOnMemory(t *testing.T) {
	const n = 3000
	var segments []map[string][]byte
	var indexed, all []int64
	usual := sortMemory
	defer func() { sortMemory = usual }()
	for _, sortMemory = range []int{usual, 100_000} {
		dir := filepath.Join(t.TempDir(), "segment")
		indexed, all = nil, nil
		progress := func(f, a int64) { indexed, all = append(indexed, f), append(all, a) }
		testkit.NoError(t, Build(context.Background(), dir, release, invented(n), progress))

		segments = append(segments, filesOf(t, dir))
	}

	if len(segments[0]) != 10 || !maps.EqualFunc(segments[0], segments[1], bytes.Equal) {
		t.Errorf("%d and %d files differ", len(segments[0]), len(segments[1]))
	}
	if !slices.Equal(indexed, []int64{0, n}) || !slices.Equal(all, []int64{n, n}) {
		t.Errorf("indexed were %d of %d firms, want all of %d", indexed, all, n)
	}
}

func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files, err := os.ReadDir(dir)
	testkit.NoError(t, err)

	all := map[string][]byte{}
	for _, file := range files {
		if all[file.Name()], err = os.ReadFile(filepath.Join(dir, file.Name())); err != nil {
			t.Fatal(err)
		}
	}

	return all
}

func TestDamagedSegmentsAreNotOpened(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	testkit.NoError(t, Build(context.Background(), whole, release, invented(500), nil))

	for name := range filesOf(t, whole) {
		for damage, damaged := range map[string]func(content []byte) []byte{
			"cut":      func(content []byte) []byte { return content[:len(content)-1] },
			"emptied":  func([]byte) []byte { return nil },
			"an end":   func(content []byte) []byte { content[len(content)-3] ^= 1; return content },
			"a header": func(content []byte) []byte { content[0] ^= 1; return content },
		} {
			t.Run(name+" "+damage, func(t *testing.T) {
				dir := t.TempDir()
				files := filesOf(t, whole)
				files[name] = damaged(files[name])
				for file, content := range files {
					testkit.NoError(t, os.WriteFile(filepath.Join(dir, file), content, 0o600))
				}

				if x, err := Open(dir); err == nil {
					t.Errorf("opened with %d firms", x.Len())
				} else if !strings.Contains(err.Error(), dir) {
					t.Errorf("%v does not name the folder", err)
				}
			})
		}
	}

	m, err := readManifest(whole)
	testkit.NoError(t, err)

	m.Format--
	testkit.NoError(t, writeManifest(whole, m))
	want := fmt.Sprintf("format %d, this program reads format %d: load the register again", Format-1, Format)
	if _, err := Open(whole); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("opening an older format returns %v, want %s", err, want)
	}

	if _, err := Open(filepath.Join(whole, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening a missing folder returns %v", err)
	}
}

// TestDamagedPostings verifies that a search fails if it needs a damaged set. Open cannot notice the damage, because it
// does not read the whole file.
func TestDamagedPostings(t *testing.T) {
	x := built(t, Firm{Name: "ALFA CONSTRUCT", Number: "J01/1/2020"}, Firm{Name: "ALFA CONSULT", Number: "J01/2/2020"})
	x.postings = nil
	for _, text := range []string{"alfa", "alf", "alfq", "alfa construct"} {
		if page, err := x.Search(t.Context(), Query{Text: text}); err == nil {
			t.Errorf("%q finds %v", text, numbers(page.Firms))
		}
	}
}
