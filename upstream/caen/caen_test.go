package caen

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/testkit"
)

func TestClassificationIsComplete(t *testing.T) {
	r := Load()
	count := map[reference.CAENLevel]int{}
	for i, e := range r.entries {
		count[e.Type]++
		if e.Name == "" || e.NameEn == "" || !utf8.ValidString(e.Name) {
			t.Errorf("%s has no names", e.Code)
		}
		if strings.ContainsAny(e.Name, "şţŞŢ") {
			t.Errorf("the name of %s has a cedilla", e.Code)
		}
		if level := len(e.Code); level > 2 && (e.ParentCode == nil || *e.ParentCode != e.Code[:level-1]) {
			t.Errorf("the parent of %s is not the code without its last digit", e.Code)
		}

		switch {
		case e.Type == reference.Section && e.ParentCode != nil:
			t.Errorf("section %s has a parent", e.Code)
		case e.Type == reference.Section:
		case e.ParentCode == nil || r.byCode[*e.ParentCode] != e.parent:
			t.Errorf("%s has no parent", e.Code)
		case !slices.Contains(r.entries[e.parent].children, i):
			t.Errorf("%s is no child of %s", e.Code, *e.ParentCode)
		}

		if (e.Type == reference.Class) != (len(e.children) == 0) {
			t.Errorf("%s, a %s, has %d children", e.Code, e.Type, len(e.children))
		}
	}

	want := map[reference.CAENLevel]int{reference.Section: 22, reference.Division: 87, reference.Group: 287,
		reference.Class: 651}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("%v entries, want %v", count, want)
	}
}

// rev2 returns all codes of Rev.2.
func rev2(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("data/rev2.tsv")
	testkit.NoError(t, err)

	return strings.Fields(string(data))[1:] // below the header
}

func TestEveryRev2CodeIsKeptOrHasSuccessors(t *testing.T) {
	r := Load()
	dropped := map[int][]string{}
	for _, code := range rev2(t) {
		successors := r.Successors(reference.CAENCode(code))
		if _, kept := r.byCode[reference.CAENCode(code)]; kept {
			if successors != nil {
				t.Errorf("%s is kept and has successors", code)
			}
			continue
		}

		dropped[len(code)] = append(dropped[len(code)], code)
		if len(successors) == 0 {
			t.Errorf("%s is dropped and has no successors", code)
		}

		for _, s := range successors {
			if len(s.Code) != len(code) || s.Name == "" || s.Type != reference.CAENCode(code).Level() {
				t.Errorf("%s has the successor %+v", code, s)
			}
		}
	}

	if n := len(dropped[4]); n != 110 {
		t.Errorf("%d classes were dropped, want 110", n)
	}
	if got, want := strings.Join(dropped[3], " "),
		"143 257 268 411 412 451 452 453 454 613 620 783 801 802 803 900 910 960"; got != want {
		t.Errorf("dropped groups %s, want %s", got, want)
	}
	if got := strings.Join(dropped[2], " "); got != "45" {
		t.Errorf("dropped divisions %s, want 45", got)
	}
	if len(dropped[1]) != 0 {
		t.Errorf("dropped sections %v", dropped[1])
	}
}

// TestCodesThatChangedMeaning lists the 23 classes that exist in both revisions with different activities. The gateway
// answers them as Rev.3 codes.
func TestCodesThatChangedMeaning(t *testing.T) {
	r := Load()
	var moved []string
	for _, code := range rev2(t) {
		i, kept := r.byCode[reference.CAENCode(code)]
		if len(code) == 4 && kept && !slices.Contains(r.replacing[reference.Rev2Code(code)], i) {
			moved = append(moved, code)
			if _, ok := r.Activity(reference.CAENCode(code)); !ok {
				t.Errorf("%s does not answer", code)
			}
		}
	}

	want := "2051 2530 2540 2561 2562 3512 3513 3514 3831 3832 4391 4671 4672 4673 4763 4764 4781 4782 4932 5812 5813 6120 6391"
	if got := strings.Join(moved, " "); got != want {
		t.Errorf("moved: %s, want %s", got, want)
	}
}

func TestReplacesAndSuccessorsSayTheSame(t *testing.T) {
	r := Load()
	for _, code := range rev2(t) {
		if len(code) == 1 {
			continue
		}

		for _, i := range r.replacing[reference.Rev2Code(code)] {
			e := r.entries[i]
			if !slices.ContainsFunc(e.ReplacesRev2Codes,
				func(n int) bool { return fmt.Sprintf("%0*d", len(code), n) == code }) {
				t.Errorf("%s is replaced by %s, but %[2]s does not list it", code, e.Code)
			}
		}
	}

	var replaceNothing []string
	for _, e := range r.entries {
		if len(e.ReplacesRev2Codes) == 0 && e.Type != reference.Section {
			replaceNothing = append(replaceNothing, string(e.Code))
		}
		if distinct := slices.Compact(slices.Clone(e.ReplacesRev2Codes)); !slices.IsSorted(distinct) ||
			len(distinct) != len(e.ReplacesRev2Codes) {
			t.Errorf("%s replaces %v, which is out of order or repeats", e.Code, e.ReplacesRev2Codes)
		}
	}

	if got := strings.Join(replaceNothing, " "); got != "4689" {
		t.Errorf("without predecessor: %s, want 4689 alone", got)
	}
}

func TestInvalidTablesAreRejected(t *testing.T) {
	const (
		header   = "code\tparent\tname_ro\tname_en\n"
		rev3     = header + "A\t\tE\tE\n01\tA\tE\tE\n011\t01\tE\tE\n0111\t011\tE\tE\n"
		replaced = "rev2\trev3\n"
		synonyms = "codes\tlanguage\twords\n"
	)
	if _, err := read(rev3, replaced+"0112\t0111\n", synonyms+"0111\tro\torz, fân\n"); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct{ name, rev3, replaced, synonyms, says string }{
		{"short row", header + "A\t\tExemplu\n", replaced, "", "rev3.tsv: line 2"},
		{"no code", header + "\t\tExemplu\tExample\n", replaced, "", `""`},
		{"long code", header + "01111\t\tExemplu\tExample\n", replaced, "", `"01111"`},
		{"no parent", header + "A\t\tE\tE\n011\t01\tE\tE\n", replaced, "", "01 of 011"},
		{"other columns", rev3, "rev3\trev2\n", "", "rev2_rev3.tsv: the header"},
		{"class that Rev.3 lacks", rev3, replaced + "0111\t0119\n", "", "0119"},
		{"group in place of a class", rev3, replaced + "0111\t011\n", "", "011"},
		{"letters replaced", rev3, replaced + "abcd\t0111\n", "", `"abcd"`},
		{"other columns of synonyms", rev3, replaced, "code\twords\n", "synonyms.tsv: "},
		{"word for a code that Rev.3 lacks", rev3, replaced, synonyms + "0119\tro\torz\n", `"0119"`},
		{"word in another language", rev3, replaced, synonyms + "0111\thu\tárpa\n", `"hu"`},
		{"word that is blank", rev3, replaced, synonyms + "0111\tro\torz, , ovăz\n", `""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := read(c.rev3, c.replaced, cmp.Or(c.synonyms, synonyms)); err == nil ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %s", err, c.says)
			}
		})
	}
}
