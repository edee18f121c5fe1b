package siruta

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/testkit"
)

// TestMemory verifies that all places and their indexes stay far below the 30 MiB allowed for all reference data.
func TestMemory(t *testing.T) {
	if mib := testkit.HeapMiB(func() any { return testkit.Must(read(localityTable)) }); mib > 15 {
		t.Errorf("the places take %.1f MiB", mib)
	}
}

// BenchmarkLoad measures the cost of the places at start-up.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := read(localityTable); err != nil {
			b.Fatal(err)
		}
	}
}

// corpus returns queries derived from every place's name: whole, folded, incomplete, reordered, misspelled, and with a
// kind, a county or a filter.
func corpus() []string {
	r := Load()
	queries := []string{"/v1/counties", "/v1/cities", "/v1/cities?limit=100&offset=13000"}
	ask := func(text, more string) {
		queries = append(queries, "/v1/cities?q="+url.QueryEscape(text)+more)
	}
	for i, p := range r.places {
		ask(p.Name, "")
		ask(p.key, fmt.Sprintf("&county=%d", p.CountyID))
		ask(p.key[:1+i%len(p.key)], "&limit=100")
		ask("com. "+p.Name+" jud. "+p.CountyName, "")
		ask(p.key[1:], "")
		ask(p.key[:len(p.key)-1]+"x", "")
		ask("sat "+spelling.Fold(p.Name)+" "+p.CountyCode+" "+p.key[:1], "&limit=100")
		queries = append(queries, fmt.Sprintf("/v1/cities?id=%d", p.ID),
			fmt.Sprintf("/v1/cities?county=%d&limit=100&offset=%d", p.CountyID, i%500))
	}

	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			ask(string(a)+" "+string(b), "&limit=100")
			ask(fmt.Sprintf("%c %c %c %c %c %c %c %c", a, b, a, b, a, b, a, b), "&limit=100")
		}

		queries = append(queries, "/v1/counties?q="+string(a))
	}

	return queries
}

// BenchmarkAnswers runs the whole corpus through the gateway.
func BenchmarkAnswers(b *testing.B) {
	calls.BenchmarkAnswers(b, corpus(), nil)
}
