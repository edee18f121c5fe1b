package store

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/database"
)

// No statement reads all deliveries of a webhook with a long backlog.
func TestStatementsFindDeliveriesByCompany(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "history.db"))
	for name, c := range map[string]struct {
		statement string
		args      []any
	}{
		"due":      {selectDue, []any{"ana", 1, 2, 3}},
		"insert":   {insertDeliveries, []any{1, 2, 3}},
		"postpone": {postponeLater, []any{1, 2, 3}},
	} {
		steps, err := database.Collect(t.Context(), db.Reader, "explaining", func(r database.Row, s *string) error {
			var skip any
			return r.Scan(&skip, &skip, &skip, s)
		}, `EXPLAIN QUERY PLAN `+c.statement, c.args...)
		plan := strings.Join(steps, "\n")
		if strings.HasPrefix(plan, "CO-ROUTINE d\n") {
			plan = strings.Replace(plan, "SCAN d\n", "", 1) // the few picked rows
		}
		if err != nil || !strings.Contains(plan, "deliveries_in_order (webhook=? AND company=?") ||
			strings.Contains(plan, "SCAN") {
			t.Errorf("%s: %v\n%s", name, err, plan)
		}
	}
}
