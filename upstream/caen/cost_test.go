package caen

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// TestMemory verifies that the classification, its index and the documents of all codes stay far below the 30 MiB
// allowed for all reference data.
func TestMemory(t *testing.T) {
	mib := testkit.HeapMiB(func() any {
		r, err := read(rev3Table, replacedTable, synonymTable)
		testkit.NoError(t, err)

		for _, e := range r.entries {
			r.Activity(e.Code)
		}

		return r
	})
	if mib > 10 {
		t.Errorf("the classification takes %.1f MiB", mib)
	}
}

// BenchmarkLoad measures the cost of the classification at start-up.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := read(rev3Table, replacedTable, synonymTable); err != nil {
			b.Fatal(err)
		}
	}
}

// corpus returns queries derived from every entry's code and names.
func corpus() []string {
	queries := []string{"/v1/caen-codes", "/v1/caen-codes?limit=100", "/v1/caen-codes?type=class&limit=100&offset=500"}
	for _, e := range Load().entries {
		name := strings.Fields(e.Name)
		for _, query := range []string{
			"q=" + url.QueryEscape(e.Name), "q=" + url.QueryEscape(e.NameEn), "q=" + url.QueryEscape(name[0]),
			"q=" + string(e.Code),
			"limit=100&q=" + url.QueryEscape(e.NameEn[:1]), "q=" + url.QueryEscape(name[len(name)-1]+" "+name[0]),
			"q=zz+" + url.QueryEscape(name[0]),
			"parent=" + string(e.Code), "parent=" + string(e.Code) + "&type=class&limit=100", "code=" + string(e.Code),
		} {
			queries = append(queries, "/v1/caen-codes?"+query)
		}

		queries = append(queries, "/v1/caen-codes/"+string(e.Code))
		for _, old := range e.ReplacesRev2Codes {
			queries = append(queries, fmt.Sprintf("/v1/caen-codes?replaces=%0*d", len(e.Code), old),
				fmt.Sprintf("/v1/caen-codes/%0*d", len(e.Code), old))
		}
	}

	return queries
}

// BenchmarkAnswers runs the whole corpus through the gateway.
func BenchmarkAnswers(b *testing.B) {
	calls.BenchmarkAnswers(b, corpus(), func(r op.Reply) bool {
		return r.Problem == nil || r.Problem.Kind == problem.CAENCodeReplaced
	})
}

// BenchmarkGet looks up one code repeatedly.
func BenchmarkGet(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if reply := get(b, "/v1/caen-codes/6210"); reply.Problem != nil {
			b.Fatal(reply.Problem)
		}
	}
}
