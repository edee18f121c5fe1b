package housetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

const module = "github.com/rodata/rodata/"

// ladder lists the rooms and what each may import: only rooms below its own. Packages of the same room may import each
// other.
var ladder = []rung{
	{"client", nil}, // a library for other programs
	{"internal/panics", nil},
	{"internal/spelling", nil},
	{"internal/jsontext", nil},
	{"internal/county", []string{"internal/spelling"}},
	{"internal/database", nil},
	{"internal/pdf", nil},
	{"internal/tradenumber", []string{"internal/spelling"}},
	{"internal/table", nil},
	{"internal/coding", nil},
	{"internal/recent", nil},
	{"internal/writebehind", nil},
	{"internal/work", []string{"internal/database"}},
	{"internal/tsv", nil},
	{"op/jsonschema", []string{"internal/jsontext"}},
	{"op/problem", []string{"internal/jsontext", "op/jsonschema"}},
	{"internal/web", []string{"internal/jsontext", "op/problem"}},
	{"ro", []string{"internal/spelling", "op/jsonschema", "op/problem"}},
	{"internal/upload", []string{"internal/spelling", "internal/table", "op/problem"}},
	{"cache", []string{"internal/panics"}},
	{"metering", []string{"internal/writebehind"}},
	{"fleet", []string{"cache", "metering"}},
	{"account", []string{"internal/panics", "internal/jsontext", "internal/web", "internal/spelling",
		"internal/database", "internal/work", "internal/recent", "internal/writebehind", "op/problem", "metering"}},
	{"op", []string{"internal/panics", "internal/coding", "internal/web", "internal/spelling", "internal/jsontext",
		"op/jsonschema", "op/problem", "ro", "account", "metering"}},
	{"api", []string{"internal/panics", "internal/spelling", "internal/county", "internal/jsontext",
		"internal/tradenumber", "internal/recent", "internal/table", "op/jsonschema", "internal/upload", "op/problem",
		"ro", "account", "metering", "op"}},
	{"history", []string{"internal/jsontext", "internal/database", "internal/pdf", "internal/recent", "ro", "account",
		"op", "api"}},
	{"watch", []string{"internal/web", "internal/spelling", "internal/database", "internal/work",
		"internal/writebehind", "internal/recent", "op/problem", "ro", "api", "account", "history", "metering", "op"}},
	{"jobs", []string{"internal/panics", "internal/spelling", "internal/jsontext", "internal/database",
		"internal/work", "internal/table", "internal/upload", "op/problem", "ro", "api", "account", "metering", "op"}},
	{"billing", []string{"internal/panics", "internal/web", "internal/county", "internal/database", "internal/work",
		"internal/pdf", "op/problem", "ro", "api", "account"}},
	{"search", []string{"internal/spelling", "internal/county", "internal/tradenumber", "internal/table", "ro", "api",
		"history"}},
	{"upstream", []string{"internal/panics", "internal/web", "internal/spelling", "internal/county",
		"internal/tradenumber", "internal/recent", "internal/table", "internal/tsv", "internal/work", "op/problem",
		"ro", "api", "history", "cache", "metering", "op", "search"}},
	{"profile", []string{"internal/panics", "internal/spelling", "internal/jsontext", "internal/county",
		"internal/tradenumber", "internal/work", "op/problem", "ro", "api", "history", "cache", "metering", "op",
		"search", "upstream"}},
	{"mcp", []string{"internal/web", "internal/jsontext", "internal/recent", "op/problem", "ro", "api", "account",
		"metering", "op"}},
	{"rest", []string{"internal/coding", "internal/upload", "internal/web", "internal/spelling",
		"op/problem", "api", "metering", "op"}},
	{"compat", []string{"internal/web", "internal/jsontext", "internal/recent", "op/jsonschema", "op/problem", "ro",
		"api", "account", "metering", "op"}},
	{"site", []string{"internal/coding", "internal/web", "internal/spelling", "internal/recent", "op/jsonschema",
		"op/problem", "ro", "op", "api"}},
	{"testkit", []string{"internal/tradenumber", "internal/tsv",
		"internal/upload", "ro", "op", "api", "account", "metering", "billing", "rest", "upstream"}},
	{"caddymodule/internal", nil},
	{"caddymodule/settings", []string{"internal/web", "internal/database", "internal/upload", "op", "api", "account",
		"billing", "watch", "jobs", "metering", "fleet", "upstream", "profile", "caddymodule/internal"}},
	{"service", []string{"internal/panics", "internal/web", "internal/work", "internal/recent", "op/problem", "ro",
		"op", "api", "account", "billing", "history", "watch", "jobs", "metering", "cache", "fleet", "upstream",
		"profile", "rest", "mcp", "compat", "site", "caddymodule/settings"}},
	{"caddymodule", []string{"internal/web", "op/problem", "ro", "op", "api", "account", "billing", "history",
		"metering", "rest", "mcp", "compat", "site", "caddymodule/internal", "caddymodule/settings", "service"}},
	{"cmd", []string{"internal/spelling", "internal/county", "internal/table", "internal/upload", "op/problem", "ro",
		"api", "account", "metering", "search", "upstream", "profile", "client", "service", "caddymodule", "testkit"}},
	{"bench", []string{"ro", "op", "api", "history", "upstream", "testkit"}},
	{"internal/clienttypes", []string{"internal/jsontext"}},
	{"internal/housetest", nil},
	{"testkit/long", nil},
}

type rung struct {
	room  string
	below []string // other rooms that its packages may import
}

// homes lists the only rooms that may import each library.
var homes = map[string][]string{
	"github.com/dgraph-io/ristretto/": {"cache"},
	"go.etcd.io/bbolt":                {"cache"},
	"github.com/sony/gobreaker/":      {"upstream"},
	"github.com/mark3labs/mcp-go/":    {"mcp"},
	"golang.org/x/time/":              {"metering"},
	"github.com/redis/rueidis":        {"fleet"},
	"github.com/shopspring/decimal":   {"ro"},
	"modernc.org/sqlite":              {"internal/database"},
	"github.com/jackc/pgx/":           {"internal/database", "account", "testkit"},
	"github.com/pressly/goose/":       {"internal/database", "account"},
	"github.com/wneessen/go-mail":     {"account"},
	"golang.org/x/oauth2":             {"account"},
	"github.com/coreos/go-oidc/":      {"account"},
	"github.com/stripe/stripe-go/":    {"billing", "testkit"},
	"codeberg.org/":                   {"internal/pdf"},
	"github.com/boombuler/":           {"internal/pdf"},
	"github.com/go-jose/":             {"history"},
	"github.com/xuri/excelize/":       {"internal/table"},
	"github.com/parquet-go/":          {"internal/table"},
	"github.com/klauspost/compress/":  {"internal/table", "internal/coding"},
	"github.com/yuin/goldmark":        {"site"},
	"github.com/tdewolff/":            {"site"},
	"github.com/RoaringBitmap/":       {"search"},
	"github.com/blevesearch/":         {"search", "upstream"},
	"github.com/caddyserver/":         {"caddymodule", "caddymodule/settings", "caddymodule/internal", "cmd"},
	"github.com/spf13/":               {"cmd"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

// packages returns all packages of the modules: the gateway's and the benchmarks'.
func packages(t *testing.T) []goPackage {
	t.Helper()
	var list []byte
	for _, folder := range []string{".", "bench"} {
		out, err := exec.Command("go", "-C", folder, "list", "-json=ImportPath,Imports", "./...").Output()
		testkit.NoError(t, err)

		list = append(list, out...)
	}

	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(list)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}

		all = append(all, p)
	}
}

// below lists folders that are rooms of their own, because rooms below the rest of their top-level folder import them.
var below = []string{"op/problem", "op/jsonschema", "caddymodule/settings", "caddymodule/internal"}

// room returns the room of a package: its top-level folder, its folder below internal, or a folder in below.
func room(importPath string) string {
	rest, _ := strings.CutPrefix(importPath, module)
	for _, folder := range below {
		if rest == folder || strings.HasPrefix(rest, folder+"/") {
			return folder
		}
	}

	room, rest, _ := strings.Cut(rest, "/")
	if room == "internal" {
		leaf, _, _ := strings.Cut(rest, "/")
		return room + "/" + leaf
	}

	return room
}

// subjects are the packages of api, each of which may import those before it.
var subjects = []string{
	"tag", "reference", "rate", "lists", "proof", "customer", "system", "company", "release", "vat", "verdict", "job",
	"monitoring", "",
}

// subject returns the place of a package among the subjects of api; -1 if it is none.
func subject(importPath string) int {
	rest, below := strings.CutPrefix(importPath+"/", module+"api/")
	if !below {
		return -1
	}
	return slices.Index(subjects, strings.TrimSuffix(rest, "/"))
}

func TestLadder(t *testing.T) {
	t.Chdir(root)
	all := packages(t)
	if len(all) < len(ladder) {
		t.Fatalf("only %d packages were listed", len(all))
	}

	for _, p := range all {
		if p.ImportPath+"/" == module {
			continue // the root is above all rooms but the commands
		}

		own := room(p.ImportPath)
		i := slices.IndexFunc(ladder, func(r rung) bool { return r.room == own })
		if i < 0 {
			t.Errorf("%s is in no room of the ladder", p.ImportPath)
			continue
		}

		if own == "api" && subject(p.ImportPath) < 0 {
			t.Errorf("%s is not among the subjects", p.ImportPath)
		}

		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, module) && room(imported) != own &&
				!slices.Contains(ladder[i].below, room(imported)) {
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, imported)
			}

			if own == "api" && room(imported) == own && subject(imported) >= subject(p.ImportPath) {
				t.Errorf("%s imports %s, which is not before it among the subjects", p.ImportPath, imported)
			}

			for library, rooms := range homes {
				if strings.HasPrefix(imported, library) && !slices.Contains(rooms, own) {
					t.Errorf("%s imports %s, which is reserved for %v", p.ImportPath, imported, rooms)
				}
			}
		}
	}
}
