package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/siruta"
)

const (
	qualityFile  = "testdata/quality.tsv"
	leastQuality = 0.97
)

// question is a query that refers to one company.
type question struct{ kind, text, number string }

// Each query in testdata/quality.tsv refers to one company. At least 97 % of the queries find that company first. "go
// test -run Quality -v" prints the figures; with RODATA_TEST_FIRMS the queries are drawn from that many firms.
func TestQuality(t *testing.T) {
	n := size(t)
	x := indexOf(t, n)
	if testkit.Update() {
		writeQuestions(t, x)
	}

	questions := questionsAbout(x)
	if n == defaultSize {
		questions = readQuestions(t)
	}

	asked, right := map[string]int{}, map[string]int{}
	var kinds []string
	for _, q := range questions {
		if asked[q.kind]++; asked[q.kind] == 1 {
			kinds = append(kinds, q.kind)
		}

		page, err := x.Search(context.Background(), Query{Text: q.text, Place: siruta.Load().Place, Limit: 1})
		testkit.NoError(t, err)

		if len(page.Firms) > 0 && page.Firms[0].Number == q.number {
			right[q.kind]++
			right["all"]++
		} else {
			t.Logf("%s: %q does not find %s first, but %+v", q.kind, q.text, q.number, page.Firms)
		}

		asked["all"]++
	}

	for _, kind := range append(kinds, "all") {
		t.Logf("%-28s %3d of %3d (%.1f %%)", kind, right[kind], asked[kind],
			100*float64(right[kind])/float64(asked[kind]))
	}
	if asked["all"] < 300 || float64(right["all"]) < leastQuality*float64(asked["all"]) {
		t.Errorf("%d of %d queries find the company that they mean", right["all"], asked["all"])
	}
}

func readQuestions(t *testing.T) (all []question) {
	text, err := os.ReadFile(qualityFile)
	testkit.NoError(t, err)

	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, question{parts[0], parts[1], parts[2]})
	}

	return all
}

func writeQuestions(t *testing.T, x *Index) {
	var out strings.Builder
	for _, q := range questionsAbout(x) {
		fmt.Fprintf(&out, "%s\t%s\t%s\n", q.kind, q.text, q.number)
	}
	testkit.NoError(t, os.WriteFile(qualityFile, []byte(out.String()), 0o644))
}

// questionsAbout draws companies with unique names, 30 for each kind of query.
func questionsAbout(x *Index) (all []question) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, k := range kinds {
		for n := 0; k.means && n < 30; {
			f := distinct(x, r)
			if q := k.make(r, f); ask(k.name, f) {
				all = append(all, question{k.name, q.Text, f.Number})
				n++
			}
		}
	}

	return all
}

// ask reports whether a kind of query can refer to a firm.
func ask(kind string, f Firm) bool {
	several := strings.Contains(spelling.CompanyKey(f.Name), " ")
	return f.TaxID != 0 && (several || kind != "words reordered" && kind != "joined")
}

// distinct returns a random firm with a unique name and a unique tax id.
func distinct(x *Index, r *rand.Rand) Firm {
	for {
		doc := 1 + r.Uint32N(uint32(x.Len()-2))
		f, key := readRecord(x.record(doc))
		if len(key) > 8 && key != string(recordKey(x.record(doc-1))) && key != string(recordKey(x.record(doc+1))) &&
			len(x.ByTaxID(f.TaxID)) == 1 {
			return f
		}
	}
}
