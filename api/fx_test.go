package api

import (
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

func BenchmarkConvertCurrency(b *testing.B) {
	ops := newOperations()
	g := gateway.New(b)
	g.Anonymous.N, g.Anonymous.Burst = 1_000_000_000, 1_000_000_000
	o, _ := gateway.Find(ops, "GET", "/v1/fx-rates/convert")
	call := &op.Call{Args: op.Args{{Name: "amount", Text: "2500"}, {Name: "from", Text: "EUR"},
		{Name: "to", Text: "USD"},
		{Name: "date", Text: "2026-06-10"}}}
	b.ReportAllocs()
	for b.Loop() {
		if reply := g.Do(b.Context(), o, call); reply.Status != 200 {
			b.Fatal(reply.Problem)
		}
	}
}
