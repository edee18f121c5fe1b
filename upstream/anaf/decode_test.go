package anaf

import (
	"testing"

	"github.com/rodata/rodata/testkit/invented"
)

// BenchmarkAnswer parses an answer about a hundred companies.
func BenchmarkAnswer(b *testing.B) {
	var companies []map[string]any
	for i := range MaxBatch {
		companies = append(companies, companyRecord(invented.CUI(i+1)))
	}

	body := []byte(found(companies))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode[element](200, body); err != nil {
			b.Fatal(err)
		}
	}
}
