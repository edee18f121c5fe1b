package database

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// kept is embedded in the rows below.
type kept struct {
	ID string
	At time.Time
}

// A row is scanned by the names of its columns, whatever their order.
func TestRows(t *testing.T) {
	type row struct {
		kept
		Document struct{ Name string }
		Days     [2]int
		Text     *string
		IsLate   bool
	}
	text, noon := "a text", time.UnixMilli(1_800_000_000_000).UTC()
	full := row{kept: kept{"a", noon}, Days: [2]int{3, 4}, Text: &text, IsLate: true}
	full.Document.Name = "Exemplu"
	migrated.Each(t, func(t *testing.T, place string) {
		db := open(t, place)
		const query = `SELECT 1 = 1 AS is_late, '{"Name":"Exemplu"}' AS document, '[3,4]' AS days, 'a text' AS text,
			CAST(1800000000000 AS BIGINT) AS at, 'a' AS id
			UNION ALL SELECT 1 = 2, NULL, '', NULL, NULL, 'b' ORDER BY id`
		all, err := All[row](t.Context(), db.Reader, "reading", query)
		if want := []row{full, {kept: kept{ID: "b"}}}; err != nil || !reflect.DeepEqual(all, want) {
			t.Errorf("got %+v, %v, want %+v", all, err, want)
		}
		testkit.Equal(t, testkit.Must(One[row](t.Context(), db.Reader, "reading", nil, query)), full)

		at, err := One[time.Time](t.Context(), db.Reader, "reading", nil, `SELECT CAST(1800000000000 AS BIGINT)`)
		if err != nil || !at.Equal(noon) {
			t.Errorf("got %v, %v", at, err)
		}

		none := errors.New("none")
		testkit.Equal(t, testkit.Err(One[string](t.Context(), db.Reader, "reading", none, `SELECT id FROM notes`)),
			none)
		testkit.ErrorSays(t, testkit.Err(All[kept](t.Context(), db.Reader, "reading", `SELECT 1 AS id, 2 AS other`)),
			"reading: database.kept has no field for the column other")
	})
}
