package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/testkit"
)

const goldenOpenAPI = "testdata/openapi.json"

// TestOpenAPI compares the description with the golden file. A change that an existing client would notice is rejected,
// even with -update, unless Version differs from the golden file's.
func TestOpenAPI(t *testing.T) {
	var got bytes.Buffer
	if err := json.Indent(&got, NewDescription(newOperations(), customer.StripeCallback(nil)).At("").JSON, "",
		" "); err != nil {
		t.Fatal(err)
	}

	got.WriteByte('\n')
	golden, err := os.ReadFile(goldenOpenAPI)
	if err != nil && !testkit.Update() {
		t.Fatal(err)
	}
	if bytes.Equal(got.Bytes(), golden) {
		return
	}
	if broken := breaks(t, golden, got.Bytes()); len(broken) > 0 {
		t.Fatalf("the contract changed in a way that clients notice, and its version is still %s:\n%s", Version,
			strings.Join(broken, "\n"))
	}
	if !testkit.Update() {
		t.Fatal("the description differs from testdata/openapi.json; run go test ./api -update and read the diff")
	}
	if err := os.WriteFile(goldenOpenAPI, got.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// breaks lists promises of the old description that the new one breaks, if both have the same version.
func breaks(t *testing.T, old, new []byte) []string {
	if len(old) == 0 {
		return nil
	}

	var was, is map[string]any
	if err := json.Unmarshal(old, &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(new, &is); err != nil {
		t.Fatal(err)
	}
	if version(was) != version(is) {
		return nil
	}

	var broken []string
	for _, part := range []string{"paths", "components"} {
		missing("/"+part, was[part], is[part], &broken)
	}

	return broken
}

func version(doc map[string]any) any { return doc["info"].(map[string]any)["version"] }

// missing compares both trees and lists the names and values of the old tree that the new one lacks, except texts
// meant for people, and parameters that became required. References are compared by name: the schemas to which they
// refer are compared once, and a schema's name is a type in generated clients.
func missing(at string, was, is any, broken *[]string) {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			*broken = append(*broken, at+" is gone")
			return
		}

		for name, value := range was {
			text := slices.Contains([]string{"description", "summary", "example", "examples", "tags", "headers"}, name)
			if !text || strings.HasSuffix(at, "/properties") {
				missing(at+"/"+name, value, is[name], broken)
			}
		}
	case []any:
		is, _ := is.([]any)
		for i, value := range was {
			if parameter, ok := value.(map[string]any); ok && parameter["name"] != nil {
				missing(fmt.Sprint(at, "/", parameter["name"]), value, named(is, parameter["name"]), broken)
			} else if !slices.ContainsFunc(is, func(v any) bool { return keeps(value, v) }) {
				*broken = append(*broken, fmt.Sprintf("%s[%d]: %v is gone", at, i, value))
			}
		}
	default:
		if fmt.Sprint(was) != fmt.Sprint(is) && !widened(fmt.Sprint(was), fmt.Sprint(is)) {
			*broken = append(*broken, fmt.Sprintf("%s: %v became %v", at, was, is))
		}
	}
}

// keeps reports whether a new item of a list has everything that an old one has.
func keeps(was, is any) bool {
	var broken []string
	missing("", was, is, &broken)
	return broken == nil
}

// namesPattern matches the pattern of a list of names, ^(a|b)( *, *(a|b))*$.
var namesPattern = regexp.MustCompile(`^\^\(([\w.|]+)\)\( \*, \*\(([\w.|]+)\)\)\*\$$`)

// classPattern matches the pattern of a text that ends with a class of characters, ^[A-Z]{2}[0-9 .\-]+$.
var classPattern = regexp.MustCompile(`^(\^.*\[)([^^\]\[]+)(\\-\]\+\)?\$)$`)

// widened reports whether the new pattern accepts all names or characters of the old pattern and others as well.
func widened(was, is string) bool {
	if old, now := classPattern.FindStringSubmatch(was), classPattern.FindStringSubmatch(is); old != nil && now != nil {
		return old[1] == now[1] && old[3] == now[3] && strings.HasPrefix(now[2], old[2])
	}

	old, now := namesPattern.FindStringSubmatch(was), namesPattern.FindStringSubmatch(is)
	if old == nil || now == nil {
		return false
	}

	known := strings.Split(now[1], "|")
	return !slices.ContainsFunc(strings.Split(old[1], "|"), func(name string) bool {
		return !slices.Contains(known, name)
	})
}

func named(list []any, name any) any {
	for _, v := range list {
		if m, ok := v.(map[string]any); ok && m["name"] == name {
			return m
		}
	}

	return nil
}

// Files are served in parts and revalidated, and the description says so.
func TestFilesAreDescribedWithRanges(t *testing.T) {
	var description struct {
		Paths map[string]map[string]struct {
			Responses map[string]any `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(NewDescription(newOperations(), customer.StripeCallback(nil)).At("").JSON,
		&description); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{"/v1/jobs/{id}/result", "/v1/releases/{date}/companies.parquet",
		"/v1/releases/{date}/companies.csv.zst"} {
		for _, status := range []string{"200", "206", "304", "416"} {
			if description.Paths[path]["get"].Responses[status] == nil {
				t.Errorf("GET %s: the description has no response %s", path, status)
			}
		}
	}
}

func TestContractBreaksAreSeen(t *testing.T) {
	golden, err := os.ReadFile(goldenOpenAPI)
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct{ name, from, to string }{
		{"a field is renamed", `"requestedDate"`, `"askedDate"`},
		{"a route is moved", `"/v1/fx-rates/convert"`, `"/v1/convert"`},
		{"a parameter is dropped", `"name": "basis"`, `"name": "rule"`},
		{"a value is dropped", `"invoice"`, `"bill"`},
		{"a schema has another name", `CompanyPage`, `CompanyList`},
		{"a field of a stream's last line is renamed", `"creditsCost"`, `"cost"`},
		{"a character is dropped", `[0-9A-Za-z .`, `[0-9A-Za-z`},
		{"a name of a list is dropped", `^(balanceSheets|legalRepresentatives|`, `^(balanceSheets|`},
	} {
		if broken := breaks(t, golden, bytes.ReplaceAll(golden, []byte(c.from), []byte(c.to))); len(broken) == 0 {
			t.Errorf("nothing is said when %s", c.name)
		}
	}

	longer := bytes.ReplaceAll(golden, []byte(`"oldestCursor": {`),
		[]byte(`"newestCursor": {"type": "string"}, "oldestCursor": {`))
	if broken := breaks(t, golden, longer); len(broken) > 0 {
		t.Errorf("a further field of problems is called a break: %.300s", broken)
	}

	worded := bytes.ReplaceAll(golden, []byte("reference rates"), []byte("rates"))
	if broken := breaks(t, golden, worded); len(broken) > 0 {
		t.Errorf("a changed description counts as a breaking change: %v", broken)
	}

	bumped := bytes.Replace(bytes.ReplaceAll(golden, []byte(`"requestedDate"`), []byte(`"askedDate"`)),
		[]byte(`"version": "`+Version+`"`), []byte(`"version": "2.0.0"`), 1)
	if broken := breaks(t, golden, bumped); len(broken) > 0 {
		t.Errorf("a new version may not change: %v", broken)
	}
}
