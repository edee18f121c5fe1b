package store

import (
	"fmt"
	"strings"

	"github.com/rodata/rodata/internal/database"
)

var (
	selectLast = &database.Statement{
		Text: `SELECT a.column1, (SELECT o.fingerprint FROM observations o
			WHERE o.company = a.column2 AND o.day = a.column3 AND o.at <= a.column4
			ORDER BY o.at DESC, o.fingerprint DESC LIMIT 1) FROM (VALUES %s) AS a`,
		Types: []string{"INTEGER", "BIGINT", "INTEGER", "BIGINT"},
	}
	// The previous ordinary observation, and whether there is a later one.
	selectBefore = &database.Statement{
		Text: `SELECT a.column1, o.at, o.record,
				EXISTS (SELECT 1 FROM observations l WHERE l.company = a.column2 AND l.day = 0 AND l.at > a.column3)
				FROM (VALUES %s) AS a JOIN observations o
			ON o.company = a.column2 AND o.day = 0 AND (o.at, o.fingerprint) =
				(SELECT p.at, p.fingerprint FROM observations p WHERE p.company = a.column2 AND p.day = 0
				AND p.at <= a.column3
				ORDER BY p.at DESC, p.fingerprint DESC LIMIT 1)`,
		Types: []string{"INTEGER", "BIGINT", "BIGINT"},
	}
	insertObservations = &database.Statement{
		Text:  `INSERT INTO observations (company, day, at, fingerprint, record) VALUES %s ON CONFLICT DO NOTHING`,
		Types: make([]string, 5),
	}
	insertPastLooks = &database.Statement{
		Text:  `INSERT INTO past_looks (company, day, looked_on) VALUES %s ON CONFLICT DO NOTHING`,
		Types: make([]string, 3),
	}
	insertLooks = lookStatements()
)

// lookStatements returns, for each month of a year, the statement that marks days of that month as observed.
func lookStatements() (all [12]*database.Statement) {
	for i := range all {
		text := strings.ReplaceAll(`INSERT INTO looks (company, year, MONTH) VALUES %s
			ON CONFLICT (company, year) DO UPDATE SET MONTH = looks.MONTH | excluded.MONTH
			WHERE looks.MONTH & excluded.MONTH = 0`, "MONTH", fmt.Sprintf("month_%d", i+1))
		all[i] = &database.Statement{Text: text, Types: make([]string, 3)}
	}

	return all
}
