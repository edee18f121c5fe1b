package store

import (
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// BenchmarkAppend stores an answer about 100 companies, or about one.
func BenchmarkAppend(b *testing.B) {
	for name, c := range map[string]struct {
		companies int
		news      bool
	}{
		"100 with news": {100, true}, "100 without": {100, false}, "1 with news": {1, true}, "1 without": {1, false},
	} {
		b.Run(name, func(b *testing.B) {
			db := openPlace(b, filepath.Join(b.TempDir(), "history.db"))
			at, n := bucharest("2026-01-01 10:00"), 0
			all := make([]history.Observation, c.companies)
			b.ReportAllocs()
			for b.Loop() {
				n++
				for i := range all {
					all[i] = history.Observation{
						Company: company + ro.CUI(i*7), At: at.Add(time.Duration(n) * time.Second),
						Record: make([]byte, 350),
					}
					if c.news {
						binary.BigEndian.PutUint64(all[i].Fingerprint[:], uint64(n))
					}
				}

				testkit.NoError(b, db.Append(b.Context(), all))
			}
		})
	}
}
