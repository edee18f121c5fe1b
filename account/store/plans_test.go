package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/testkit"
)

// fixed are the tables that do not grow; full scans of them are acceptable.
var fixed = map[string]string{
	"invoice_series":  "a row for each series that an operator configured",
	"efactura_tokens": "a row for each token that an operator configured",
	"inquiry_gate":    "one row",

	"secret_fingerprint": "one row",
}

const claimed = "all of a partial index, which holds the rows that a process has claimed"

// scanned are the statements that may scan a growing table or one of its indexes, by function and table, with the
// reason.
var scanned = map[string]string{
	"ForeignPasswords logins": "the first row of a partial index that has no others",
	"Inquiries inquiries": "a command of operators; it walks the index in the order of the answer and stops at " +
		"the limit",
	"queue mails":    claimed,
	"queue payments": claimed,
	"queue invoices": claimed,
}

// No statement does a full scan of a growing table. The test extracts the statements from the source, so it covers new
// ones automatically.
func TestNoStatementScansAGrowingTable(t *testing.T) {
	all := readStatements(t)
	if len(all) < 100 {
		t.Fatalf("only %d statements were found", len(all))
	}

	used, stores := make(map[string]bool), 0
	forStores(t, func(t *testing.T, db *DB) {
		stores++
		tables := tablesOf(t, db)
		// matches statements for the other database only
		explain, other := explainSQLite, regexp.MustCompile(`pg_|ctid|_charges(_month|_before)?\(`)
		if db.IsPostgres() {
			explain, other = explainPostgres, regexp.MustCompile(`sqlite_`)
		}

		for _, s := range all {
			if other.MatchString(s.text) {
				continue
			}

			for _, scan := range explain(t, db, s, tables) {
				key := s.function + " " + scan.table
				used[key] = true
				if fixed[scan.table] == "" && scanned[key] == "" {
					t.Errorf("%s: %s reads all of %s (%s): add an index, or a reason to this test\n%s", s.position,
						s.function, scan.table, scan.how, s.text)
				}
			}
		}
	})
	for key := range scanned {
		if !used[key] && stores == 2 { // a statement may scan on one database and not on the other
			t.Errorf("no statement of %q does a full scan any more: remove it from the list", key)
		}
	}
}

// The test above detects scans.
func TestScansAreFound(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		explain := explainSQLite
		if db.IsPostgres() {
			explain = explainPostgres
		}

		for _, text := range []string{
			`SELECT id FROM users WHERE name = $1`,
			`SELECT u.id FROM users AS u WHERE u.name = $1 ORDER BY u.id`,
			`DELETE FROM api_keys WHERE name = $1`,
			`UPDATE accounts SET plan = $1 WHERE created_at < $2`,
			`SELECT a.id FROM accounts a WHERE a.id = $1 AND EXISTS (SELECT 1 FROM mails m WHERE m.tries = 3)`,
		} {
			testkit.Equal(t, len(explain(t, db, statement{text: text}, tablesOf(t, db))), 1, "scans in %s", text)
		}
	})
}

var deletion = regexp.MustCompile(`(?i)DELETE\s+FROM\s+(\w+)`)

// Every foreign key has an index. Deleting a row looks for the rows that refer to it, but no query plan shows that.
func TestReferencesToDeletedRowsHaveAnIndex(t *testing.T) {
	db := open(t, t.TempDir()+"/accounts.db")
	deleted := make(map[string]bool)
	for _, s := range readStatements(t) {
		if match := deletion.FindStringSubmatch(s.text); match != nil {
			deleted[match[1]] = true
		}
	}

	for _, table := range tablesOf(t, db) {
		for _, reference := range texts(t, db, `SELECT "table" || '.' || "from" FROM pragma_foreign_key_list($1)`,
			table) {
			target, column, _ := strings.Cut(reference, ".")
			if !deleted[target] {
				continue
			}

			leading := texts(t, db, `SELECT i.name FROM pragma_index_list($1) l JOIN pragma_index_info(l.name) i
				WHERE i.seqno = 0 AND l.partial = 0`, table)
			if !slices.Contains(leading, column) {
				t.Errorf("%s.%s refers to rows of %s, which are deleted, and no index begins with it", table, column,
					target)
			}
		}
	}
}

// statement is a statement that the package sends to a database.
type statement struct{ function, position, text string }

// scan is a table that a statement scans completely.
type scan struct{ table, how string }

var isStatement = regexp.MustCompile(`(?is)^\s*(SELECT\s.*\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|WITH\s.*\sAS\s)`)

// sources are the packages that send statements to the database.
var sources = []string{".", "../../billing/store"}

// readStatements reads all statements in the sources. Statements that are assembled at run time cannot be read, and
// fail the test.
func readStatements(t *testing.T) (all []statement) {
	for _, folder := range sources {
		found := readFolder(t, folder)
		if len(found) < 20 {
			t.Fatalf("only %d statements were found in %s", len(found), folder)
		}

		all = append(all, found...)
	}

	return all
}

func readFolder(t *testing.T, folder string) []statement {
	names := testkit.Must(filepath.Glob(filepath.Join(folder, "*.go")))
	r := &statementReader{T: t, files: gotoken.NewFileSet(), constants: make(map[string]ast.Expr)}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}

		file := testkit.Must(parser.ParseFile(r.files, name, nil, 0))
		files = append(files, file)
		ast.Inspect(file, r.isConstant)
	}

	for _, file := range files {
		for _, declaration := range file.Decls {
			r.function = ""
			if f, ok := declaration.(*ast.FuncDecl); ok {
				r.function = f.Name.Name
			}

			ast.Inspect(declaration, r.inspect)
		}
	}

	return r.found
}

type statementReader struct {
	*testing.T
	files     *gotoken.FileSet
	constants map[string]ast.Expr
	function  string
	found     []statement
}

// isConstant records the constants by name.
func (r *statementReader) isConstant(n ast.Node) bool {
	if g, ok := n.(*ast.GenDecl); ok && g.Tok == gotoken.CONST {
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i := range v.Values {
				if other, known := r.constants[v.Names[i].Name]; known && other != v.Values[i] {
					r.Errorf("%s: two constants have the name %s", r.files.Position(v.Pos()), v.Names[i].Name)
				}
				r.constants[v.Names[i].Name] = v.Values[i]
			}
		}
	}

	return true
}

// inspect records an expression that is a whole statement.
func (r *statementReader) inspect(n ast.Node) bool {
	if g, ok := n.(*ast.GenDecl); ok && g.Tok == gotoken.CONST {
		return false // a fragment of a statement; it is found where it is used
	}

	e, ok := n.(ast.Expr)
	if !ok {
		return true
	}
	if call, ok := e.(*ast.CallExpr); ok && r.queue(call) {
		return false
	}
	if literal, ok := e.(*ast.CompositeLit); ok && r.rows(literal) {
		return false
	}

	text, whole := r.text(e)
	if !isStatement.MatchString(text) {
		return true
	}

	position := r.files.Position(n.Pos()).String()
	if !whole {
		r.Errorf("%s: only a part of this statement is constant, so the test cannot explain it:\n%s", position, text)
	}

	r.found = append(r.found, statement{cmp.Or(r.function, position), position, text})
	return false
}

// queue records the statements of a work queue, if the call creates one.
func (r *statementReader) queue(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "NewQueue" || len(call.Args) != 3 {
		return false
	}
	if name, ok := f.X.(*ast.Ident); !ok || name.Name != "work" {
		return false
	}

	var args [3]string
	position := r.files.Position(call.Pos()).String()
	for i, arg := range call.Args {
		text, whole := r.text(arg)
		if !whole {
			r.Errorf("%s: the arguments of work.NewQueue are not constant, so the test cannot explain its statements",
				position)
		}

		args[i] = text
	}

	for _, text := range work.NewQueue(args[0], args[1], args[2]).Statements() {
		r.found = append(r.found, statement{"queue", position, text})
	}

	return true
}

// rows records a database.Statement, for one row.
func (r *statementReader) rows(literal *ast.CompositeLit) bool {
	kind, ok := literal.Type.(*ast.SelectorExpr)
	if !ok || kind.Sel.Name != "Statement" {
		return false
	}

	var s database.Statement
	for _, element := range literal.Elts {
		field := element.(*ast.KeyValueExpr)
		switch value := field.Value.(type) {
		case *ast.BasicLit:
			s.Text, _ = r.text(value)
		case *ast.CompositeLit:
			for _, kind := range value.Elts {
				text, _ := r.text(kind)
				s.Types = append(s.Types, text)
			}
		case *ast.CallExpr: // make([]string, n)
			n, _ := strconv.Atoi(value.Args[1].(*ast.BasicLit).Value)
			s.Types = make([]string, n)
		}
	}

	position := r.files.Position(literal.Pos()).String()
	r.found = append(r.found, statement{position, position, s.For(1)})
	return true
}

// text returns the value of a constant expression, or its constant prefix.
func (r *statementReader) text(e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == gotoken.STRING && err == nil
	case *ast.Ident:
		if value, ok := r.constants[e.Name]; ok {
			return r.text(value)
		}
	case *ast.ParenExpr:
		return r.text(e.X)
	case *ast.BinaryExpr:
		left, ok := r.text(e.X)
		if !ok || e.Op != gotoken.ADD {
			return left, false
		}

		right, ok := r.text(e.Y)
		return left + right, ok
	}

	return "", false
}

var placeholder = regexp.MustCompile(`\$(\d+)`)

// placeholders returns the number of placeholders in a statement.
func placeholders(text string) (n int) {
	for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
		number, _ := strconv.Atoi(match[1])
		n = max(n, number)
	}
	return n
}

// explainSQLite finds scans in SQLite's query plan, which names a table by its alias.
func explainSQLite(t *testing.T, db *DB, s statement, tables []string) (scans []scan) {
	rows, err := db.Writer.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+s.text, make([]any, placeholders(s.text))...)
	if err != nil {
		t.Errorf("%s: %v\n%s", s.position, err, s.text)
		return nil
	}
	defer rows.Close()

	for rows.Next() {
		var id, parent, unused int
		var step string
		testkit.NoError(t, rows.Scan(&id, &parent, &unused, &step))

		name, scans1 := strings.CutPrefix(step, "SCAN ")
		if !scans1 {
			continue
		}

		name, _, _ = strings.Cut(name, " ")
		for _, table := range tables {
			if name == table || regexp.MustCompile(`\b`+table+`\s+(AS\s+)?`+regexp.QuoteMeta(name)+
				`\b`).MatchString(s.text) {
				scans = append(scans, scan{table, step})
				break
			}
		}
	}

	testkit.NoError(t, rows.Err())

	return scans
}

// explainPostgres finds scans in PostgreSQL's generic plan. The planner would prefer scans because the tables are
// empty, so scans are disabled. Hash and merge joins are disabled as well. The planner still uses them if there is no
// other plan.
func explainPostgres(t *testing.T, db *DB, s statement, _ []string) (scans []scan) {
	tx := testkit.Must(db.Writer.BeginTx(t.Context(), nil))
	defer tx.Rollback()

	execute := `EXECUTE planned`
	if n := placeholders(s.text); n > 0 {
		execute += `(NULL` + strings.Repeat(`, NULL`, n-1) + `)`
	}

	for _, step := range []string{
		`SET LOCAL enable_seqscan = off`, `SET LOCAL enable_hashjoin = off`, `SET LOCAL enable_mergejoin = off`,
		`SET LOCAL plan_cache_mode = force_generic_plan`, `PREPARE planned AS ` + s.text,
	} {
		if _, err := tx.ExecContext(t.Context(), step); err != nil {
			t.Errorf("%s: %v\n%s", s.position, err, s.text)
			return nil
		}
	}

	var text string
	if err := tx.QueryRowContext(t.Context(), `EXPLAIN (FORMAT JSON) `+execute).Scan(&text); err != nil {
		t.Errorf("%s: %v\n%s", s.position, err, s.text)
		return nil
	}
	testkit.NoError(t, testkit.Err(tx.ExecContext(t.Context(), `DEALLOCATE planned`)))

	var plans []struct{ Plan planNode }
	testkit.NoError(t, json.Unmarshal([]byte(text), &plans))

	for _, p := range plans {
		scans = p.Plan.scans(scans, "")
	}

	return scans
}

// planNode is a step of a plan of PostgreSQL.
type planNode struct {
	Type      string `json:"Node Type"`
	Table     string `json:"Relation Name"`
	Index     string `json:"Index Name"`
	Condition string `json:"Index Cond"`
	Plans     []planNode
}

// scans collects the full scans of a step and of the steps below it. For a bitmap index scan, the step above it names
// the table.
func (n planNode) scans(found []scan, table string) []scan {
	table = cmp.Or(n.Table, table)
	switch n.Type {
	case "Seq Scan":
		found = append(found, scan{table, n.Type})
	case "Index Scan", "Index Only Scan", "Bitmap Index Scan":
		if n.Condition == "" {
			found = append(found, scan{table, fmt.Sprint(n.Type, " using ", n.Index)})
		}
	}

	for _, below := range n.Plans {
		found = below.scans(found, table)
	}

	return found
}

// tablesOf lists the tables of a store.
func tablesOf(t *testing.T, db *DB) []string {
	t.Helper()
	query := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if db.IsPostgres() {
		query = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`
	}

	return texts(t, db, query)
}
