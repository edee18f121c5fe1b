package search

import (
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/testkit"
	_ "modernc.org/sqlite"
)

// BenchmarkSQLite runs the same queries on SQLite's full-text engine (FTS5), with exact totals: words, the last one
// possibly incomplete, filters and orders. It does less than the index, because it supports neither typing errors nor
// joined words.
func BenchmarkSQLite(b *testing.B) {
	x := indexOf(b, size(b))
	db := sqliteOf(b, x)
	measureKinds(b, x, func(q Query) error { return searchSQLite(db, q) })
}

func sqliteOf(b *testing.B, x *Index) *sql.DB {
	dir := os.Getenv("RODATA_TEST_DIR")
	if dir == "" {
		dir = b.TempDir()
	}

	file := filepath.Join(dir, strconv.Itoa(x.Len())+".sqlite")
	_, err := os.Stat(file)
	db, openErr := sql.Open("sqlite",
		file+"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=cache_size(-200000)&_pragma=mmap_size(4000000000)")
	if openErr != nil {
		b.Fatal(openErr)
	}

	b.Cleanup(func() { db.Close() })
	if err == nil {
		return db
	}
	testkit.NoError(b, fillSQLite(db, x))

	return db
}

func fillSQLite(db *sql.DB, x *Index) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()

	for statement := range strings.SplitSeq(`
		CREATE TABLE firm (doc INTEGER PRIMARY KEY, name TEXT, number TEXT, tax_id INTEGER, county INTEGER, city TEXT, registered INTEGER, operating INTEGER);
		CREATE TABLE activity (code TEXT, doc INTEGER);
		CREATE VIRTUAL TABLE named USING fts5(words, content='', prefix='1 2 3', tokenize='ascii')`, ";") {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}

	firm, err := tx.Prepare(`INSERT INTO firm VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}

	name, err := tx.Prepare(`INSERT INTO named (rowid, words) VALUES (?, ?)`)
	if err != nil {
		return err
	}

	activity, err := tx.Prepare(`INSERT INTO activity VALUES (?, ?)`)
	if err != nil {
		return err
	}

	for doc := range x.Len() {
		f, key := readRecord(x.record(uint32(doc)))
		if _, err := firm.Exec(doc, f.Name, f.Number, f.TaxID, f.County, spelling.Fold(f.City), int(f.Registered),
			f.State == "in_operation"); err != nil {
			return err
		}
		if _, err := name.Exec(doc, key); err != nil {
			return err
		}

		f.activityTerms(func(_ byte, text string) { _, err = activity.Exec(text, doc) })
		if err != nil {
			return err
		}
	}

	for _, columns := range []string{"firm (number)", "firm (tax_id)", "firm (county, city)", "firm (registered)",
		"activity (code, doc)"} {
		if _, err := tx.Exec(`CREATE INDEX "` + columns + `" ON ` + columns); err != nil {
			return err
		}
	}

	return tx.Commit()
}

func searchSQLite(db *sql.DB, q Query) error {
	from, where, args := ` FROM firm`, []string{"1"}, []any{}
	add := func(condition string, arg any) { where, args = append(where, condition), append(args, arg) }
	order := map[string]string{"registrationDate": "registered", "taxId": "tax_id"}[string(q.Sort)]
	if order == "" {
		order = "doc"
	}

	digits := strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(q.Text, " ", "")), "ro")
	if id, err := strconv.Atoi(digits); err == nil {
		add("tax_id = ?", id)
	} else if strings.ContainsAny(q.Text, "/") || len(q.Text) == 14 && !strings.Contains(q.Text, " ") {
		add("number = ?", q.Text)
	} else if key := nameKey(q.Text); key != "" {
		from += ` JOIN named ON named.rowid = firm.doc`
		add("named MATCH ?", `"`+strings.Join(strings.Fields(key), `" AND "`)+`" *`)
		if q.Sort == "" {
			order = "operating DESC, rank"
		}
	}

	if q.County != 0 {
		add("county = ?", q.County)
	}
	if q.City != "" {
		add("city = ?", spelling.Fold(q.City))
	}

	for _, code := range []string{string(q.Class), string(q.Industry)} {
		switch len(code) {
		case 0:
		case groupLength:
			add("doc IN (SELECT doc FROM activity WHERE code LIKE ? || '_')", code)
		default:
			add("doc IN (SELECT doc FROM activity WHERE code = ?)", code)
		}
	}

	if q.Direction == "desc" {
		order += " DESC"
	}

	body := from + ` WHERE ` + strings.Join(where, " AND ")
	var total int
	if err := db.QueryRow(`SELECT count(*)`+body, args...).Scan(&total); err != nil {
		return err
	}

	rows, err := db.Query(`SELECT firm.name, number, tax_id, county, city`+body+` ORDER BY `+order+` LIMIT ? OFFSET ?`,
		append(args, q.Limit, q.Offset)...)
	if err != nil {
		return err
	}
	defer rows.Close()

	for rows.Next() {
		var name, number, city string
		var id, county int
		if err := rows.Scan(&name, &number, &id, &county, &city); err != nil {
			return err
		}
	}

	return rows.Err()
}
