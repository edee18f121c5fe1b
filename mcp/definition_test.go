package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rodata/rodata/testkit"
)

var toolNames = []string{
	"add_business_days", "check_vat_number", "check_vat_numbers", "compare_company", "convert_currency",
	"get_caen_code", "get_companies", "get_company", "get_company_history", "get_company_status", "get_fx_rate_history",
	"get_fx_rates", "get_holidays", "get_statement_state", "get_usage", "list_changes", "search_caen_codes",
	"search_cities", "search_companies", "search_counties", "suggest_companies", "unwatch_company",
	"verify_supplier", "watch_company",
}

func TestListOfTools(t *testing.T) {
	one, other := newWorld(t), newWorld(t)
	first := one.send("POST", list).Body.String()
	var names []string
	for _, tool := range read(t, one.send("POST", list)).Result.Tools {
		names = append(names, tool.Name)
	}
	testkit.Equal(t, names, toolNames)

	modern := one.sendModern("tools/list", "", "")
	for i := range 100 {
		if one.send("POST", list).Body.String() != first || other.send("POST", list).Body.String() != first ||
			other.sendModern("tools/list", "", "").Body.String() != modern.Body.String() {
			t.Fatalf("list %d differs", i)
		}
	}

	testkit.Equal(t, one.send("POST", list, "Authorization", goodKey).Body.String(), first, "the list for an account")
	if r := read(t, modern); r.Result.ResultType != "complete" ||
		r.Result.TTLMs != 300_000 || r.Result.CacheScope != "public" || len(r.Result.Tools) != len(toolNames) {
		t.Errorf("the modern list: %+v", r.Result)
	}
}

// A model reads all definitions before it calls one tool, so they must be short.
func TestDefinitionsAreShort(t *testing.T) {
	const average, longest = 1_950, 4_800 // characters
	w := newWorld(t)
	sum := 0
	for _, name := range toolNames {
		n := utf8.RuneCount(mustEncode(w.tools[name].definition()))
		sum += n
		if n > longest {
			t.Errorf("%s has %d characters, more than %d", name, n, longest)
		}

		t.Logf("%5d %s", n, name)
	}

	if n := sum / len(toolNames); n > average {
		t.Errorf("a tool has %d characters on average, more than %d", n, average)
	}
}

// TestDefinitionsGuideModels checks the parts of a tool's definition that can be checked without a model.
func TestDefinitionsGuideModels(t *testing.T) {
	w := newWorld(t)
	tools := read(t, w.send("POST", list)).Result.Tools
	// tools that look something up, and watch-list tools, whose names distinguish them
	if n := len(tools); n < 3 || n > 26 {
		t.Errorf("%d tools: a model picks best among few", n)
	}

	for i, tool := range tools {
		for _, other := range tools[:i] {
			named := strings.Contains(tool.Description, other.Name) || strings.Contains(other.Description, tool.Name)
			if !named && similarity(tool.Description, other.Description) > 0.4 {
				t.Errorf("%s and %s are alike, and neither names the other", tool.Name, other.Name)
			}
		}

		t.Run(tool.Name, func(t *testing.T) {
			op := w.tools[tool.Name]
			if !regexp.MustCompile(`^(add|check|compare|verify|get|list|search|suggest|convert|watch|unwatch)_[a-z_]{1,100}$`).MatchString(tool.Name) {
				t.Error("the name is not verb_noun")
			}
			if len(tool.Title) <= len(tool.Name) ||
				strings.EqualFold(strings.ReplaceAll(tool.Name, "_", " "), tool.Title) {
				t.Errorf("the title %q says no more than the name", tool.Title)
			}

			checkDescription(t, op, tool.Description)
			want := map[string]any{"readOnlyHint": !op.Mutates, "destructiveHint": op.Destructive,
				"idempotentHint": true, "openWorldHint": op.OpenWorld}
			if fmt.Sprint(tool.Annotations) != fmt.Sprint(want) {
				t.Errorf("annotations %v", tool.Annotations)
			}
			if op.Method != "GET" && !op.HasRows() && !op.Mutates { // a list does not fit into a URL
				t.Errorf("%s does not only read", op.Method)
			}
			if asks := regexp.MustCompile("compan|vat_number|supplier|statement").MatchString(tool.Name) &&
				!op.Account; asks != op.OpenWorld {
				t.Error("only tools for companies, statements and VAT numbers reach registries as they are today")
			}

			checkInput(t, op, tool.InputSchema)
			checkOutput(t, tool.Name, readObject(t, mustEncode(op.Output())))
			checkOutline(t, op, tool.OutputSchema)
		})
	}
}

// similarity returns the share of the words of two texts that both contain (Jaccard index).
func similarity(one, other string) float64 {
	in, both := make(map[string]int), 0
	for i, text := range []string{one, other} {
		for word := range strings.FieldsSeq(strings.ToLower(text)) {
			in[word] |= i + 1
		}
	}

	for _, texts := range in {
		both += texts / 3
	}
	return float64(both) / float64(len(in))
}

// checkDescription checks for information that neither schema nor annotations contain.
func checkDescription(t *testing.T, op *tool, description string) {
	t.Helper()
	if n := len([]rune(description)); n < 120 || n > 900 {
		t.Errorf("the description has %d characters", n)
	}
	if strings.EqualFold(description, op.Name) || strings.EqualFold(description, op.Title) {
		t.Error("the description says no more than the name")
	}

	sibling := func(name string) bool { return name != op.Name && strings.Contains(description, name) }
	if !slices.ContainsFunc(toolNames, sibling) || !strings.Contains(description, "Use it") {
		t.Errorf("the description does not say when to use the tool: %s", description)
	}
	if !op.Account && !strings.Contains(description, "instead") { // the only tool about the account
		t.Errorf("the description does not say when to use a sibling: %s", description)
	}

	cost := "Free"
	if op.Cost > 0 {
		cost = fmt.Sprintf("Costs %d credit", op.Cost)
	}

	key := "without a key|no key needed|No key needed"
	if op.Account {
		key = "Needs a key"
	}

	says := []string{cost, key}
	if strings.Contains(op.Name, "search") || strings.Contains(op.Name, "suggest") {
		says = append(says, "An empty items list means")
	}
	if strings.Contains(op.Name, "fx_rates") || op.Name == "convert_currency" {
		says = append(says, "weekend", "holiday", "BNR")
	}
	if op.Cost > 0 && !op.Account || op.Name == "get_caen_code" {
		says = append(says, "404|An empty items list", "at most a day old|monthly release|with a release")
	}

	for _, part := range says {
		if !regexp.MustCompile(part).MatchString(description) {
			t.Errorf("the description does not say %q: %s", part, description)
		}
	}

	if verb := regexp.MustCompile(`(?i)\b(creates?|deletes?|removes?|sends?|updates?|writes?)\b`).FindString(
		description); verb != "" && !op.Mutates {
		t.Errorf("the description says %q of a tool that only reads", verb)
	}
}

// secrets would be logged by clients if they were arguments.
var secrets = regexp.MustCompile(`(?i)key|token|secret|password`)

func checkInput(t *testing.T, op *tool, schema map[string]any) {
	t.Helper()
	if schema["type"] != "object" || schema["additionalProperties"] != false {
		t.Errorf("the input is not a closed object: %v", schema)
	}

	for _, keyword := range []string{`"$ref"`, `"$defs"`, `"oneOf"`, `"anyOf"`, `"allOf"`} {
		if strings.Contains(string(op.input), keyword) {
			t.Errorf("the input has %s, which many hosts do not read", keyword)
		}
	}

	for name, property := range schema["properties"].(map[string]any) {
		p := property.(map[string]any)
		if p["type"] != "string" && !op.HasBody() {
			t.Errorf("%s is a %v: arguments are texts, as in REST", name, p["type"])
		}

		has := func(keyword string) bool { return p[keyword] != nil }
		if !slices.ContainsFunc([]string{"pattern", "enum", "format", "minLength", "items", "minimum"}, has) {
			t.Errorf("%s may be anything", name)
		}
		if !slices.ContainsFunc([]string{"examples", "default", "enum"}, has) {
			t.Errorf("%s has no example", name)
		}
		if secrets.MatchString(name) {
			t.Errorf("%s is a secret among the arguments", name)
		}
	}
}

// Some hosts drop all tools of a server because of one input schema with a list of types, a format, or an enum that is
// not of strings.
func TestInputsSuitEveryHost(t *testing.T) {
	w := newWorld(t)
	for _, tool := range read(t, w.send("POST", list)).Result.Tools {
		checkForHosts(t, tool.Name, tool.InputSchema)
		for _, p := range w.tools[tool.Name].Params() {
			if p.Schema.Type != "array" {
				continue
			}

			list := membersOf(tool.InputSchema)[p.Name].(map[string]any)
			most, _ := list["maxItems"].(float64)
			tooMany := "[" + strings.Repeat(`"x",`, int(most)) + `"x"]`
			answer := read(t, w.send("POST", callOf(1, tool.Name, `{"`+p.Name+`":`+tooMany+`}`))).Result
			if most != 100 || !answer.IsError {
				t.Errorf("%s.%s has at most %v items, and more get %+v", tool.Name, p.Name, most, answer)
			}
		}
	}
}

func checkForHosts(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	kind, one := schema["type"].(string)
	if _, is := schema["enum"]; !one || schema["format"] != nil || is && kind != "string" {
		t.Errorf("%s: %v", path, schema)
	}

	for name, member := range membersOf(schema) {
		if description, _ := member.(map[string]any)["description"].(string); len(description) < 5 {
			t.Errorf("%s.%s has no description", path, name)
		}

		checkForHosts(t, path+"."+name, member.(map[string]any))
	}

	if items := itemsOf(schema); items != nil {
		checkForHosts(t, path+"[]", items)
	}
}

// checkOutput checks the whole schema of an answer, as OpenAPI has it.
func checkOutput(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	if schema["type"] == nil {
		t.Errorf("%s has no type", path)
	}
	if schema["additionalProperties"] == false {
		t.Errorf("%s is closed: a later field would break clients", path)
	}

	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if properties[name.(string)] == nil {
			t.Errorf("%s needs %s, which it does not have", path, name)
		}
	}

	for name, property := range properties {
		p := property.(map[string]any)
		if description, _ := p["description"].(string); description == "" {
			t.Errorf("%s.%s has no description", path, name)
		}

		checkOutput(t, path+"."+name, p)
	}

	if items := itemsOf(schema); items != nil {
		checkOutput(t, path+"[]", items)
	}
}

// checkOutline checks that a tool's output schema names every member of the answer and of its items with its type, and
// requires none. TestOutputsAcceptNulls checks which may be null.
func checkOutline(t *testing.T, op *tool, schema map[string]any) {
	t.Helper()
	whole := membersOf(readObject(t, mustEncode(op.Output())))
	properties := membersOf(schema)
	for name := range whole {
		if p, _ := properties[name].(map[string]any); p["type"] == nil {
			t.Errorf("the output schema has no type for %s", name)
		}
	}

	for name, member := range properties {
		if !knownKeywords(member.(map[string]any)) {
			t.Errorf("%s has more than a type and a brief description: %v", name, member)
		}
	}

	rows, want := membersOf(itemsOf(properties["items"])), membersOf(itemsOf(whole["items"]))
	testkit.Equal(t, len(rows), len(want), "the members of items in the output schema")
	if schema["type"] != "object" || schema["required"] != nil || schema["additionalProperties"] != nil {
		t.Errorf("the output is not an open object: %v", schema)
	}
}

// A tool's output schema accepts null exactly where an answer of REST may contain it, in the members of the answer and
// of its items.
func TestOutputsAcceptNulls(t *testing.T) {
	w := newWorld(t)
	for _, name := range toolNames {
		whole := readObject(t, mustEncode(w.tools[name].Output()))
		answer := exampleWithNulls(whole).(map[string]any)
		schema := w.schema(t, name)
		testkit.NoError(t, schema.Validate(answer), name)
		refused := 0
		checkNullsRefused := func(object, members map[string]any) {
			for member, property := range members {
				if value := object[member]; !isNullable(property.(map[string]any)) {
					object[member] = nil
					if refused++; schema.Validate(answer) == nil {
						t.Errorf("%s: %s may be null in the output schema, but not over REST", name, member)
					}
					object[member] = value
				}
			}
		}
		checkNullsRefused(answer, membersOf(whole))
		if items, _ := answer["items"].([]any); items != nil {
			checkNullsRefused(items[0].(map[string]any), membersOf(itemsOf(membersOf(whole)["items"])))
		}
		if refused == 0 && len(answer) > 0 {
			t.Errorf("%s: every member may be null", name)
		}
	}
}

// schema returns the output schema of a tool.
func (w *world) schema(t testing.TB, tool string) *jsonschema.Resolved {
	t.Helper()
	if w.schemas[tool] == nil {
		var schema jsonschema.Schema
		testkit.NoError(t, json.Unmarshal(w.tools[tool].output, &schema))
		w.schemas[tool] = testkit.Must(schema.Resolve(nil))
	}
	return w.schemas[tool]
}

// exampleWithNulls returns a value that a schema accepts, with null wherever it may be.
func exampleWithNulls(schema map[string]any) any {
	kind := schema["type"]
	if kinds, several := kind.([]any); several {
		kind = kinds[0]
	}

	switch {
	case isNullable(schema):
		return nil
	case kind == "object":
		object := make(map[string]any)
		for name, member := range membersOf(schema) {
			object[name] = exampleWithNulls(member.(map[string]any))
		}
		return object
	case kind == "array":
		return []any{exampleWithNulls(itemsOf(schema))}
	}
	return map[any]any{"string": "", "boolean": false, "integer": 1, "number": 0.5}[kind]
}

// isNullable reports whether a schema accepts null.
func isNullable(schema map[string]any) bool {
	types, _ := schema["type"].([]any)
	alternatives, _ := schema["anyOf"].([]any)
	return slices.Contains(types, any("null")) || slices.ContainsFunc(alternatives, func(s any) bool {
		return s.(map[string]any)["type"] == "null"
	})
}

func itemsOf(schema any) map[string]any {
	array, _ := schema.(map[string]any)
	items, _ := array["items"].(map[string]any)
	return items
}

func membersOf(schema any) map[string]any {
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	return properties
}

// knownKeywords reports whether a schema has only the keywords of an outline.
func knownKeywords(schema map[string]any) bool {
	for keyword := range schema {
		if !slices.Contains([]string{"type", "description", "items"}, keyword) {
			return false
		}
	}

	return true
}

func readObject(t *testing.T, text []byte) (object map[string]any) {
	t.Helper()
	testkit.NoError(t, json.Unmarshal(text, &object))
	return object
}

func TestInstructionsStandAlone(t *testing.T) {
	first, _, more := strings.Cut(instructions, "\n")
	if n := len([]rune(first)); n > 512 || n < 300 {
		t.Errorf("the first paragraph has %d characters", n)
	}

	for _, word := range []string{"ANAF", "ONRC", "BNR", "Rev.3", "Rev.2", "RON for 1 unit", "credit",
		"search_companies", "get_company", "search_caen_codes", "get_caen_code", "No key"} {
		testkit.Contains(t, first, word)
	}

	if !more {
		t.Error("there is nothing after the first paragraph")
	}
}
