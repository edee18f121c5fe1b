package store

import (
	"path/filepath"
	"strings"
	"testing"
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
		plan := explain(t, db, c.statement, c.args...)
		if strings.HasPrefix(plan, "CO-ROUTINE d\n") {
			plan = strings.Replace(plan, "SCAN d\n", "", 1) // the few picked rows
		}
		if !strings.Contains(plan, "deliveries_in_order (webhook=? AND company=?") ||
			strings.Contains(plan, "SCAN") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}
