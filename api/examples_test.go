package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// TestEveryAnswerHasAnExample validates each example against the schema of its answer.
func TestEveryAnswerHasAnExample(t *testing.T) {
	named := make(map[string]bool)
	for _, op := range newOperations() {
		named[op.Name] = true
		if op.Success == 204 || !strings.HasSuffix(op.Offers()[0], "json") {
			continue
		}

		example := exampleOf(op.Name)
		if example == nil {
			t.Errorf("api/examples/%s.json is missing: save an answer of the sandbox there", op.Name)
			continue
		}

		for _, wrong := range against(op.Output(), example) {
			t.Errorf("api/examples/%s.json: %s", op.Name, wrong)
		}
	}

	files, err := exampleFiles.ReadDir("examples")
	if err != nil {
		t.Fatal(err)
	}

	for _, file := range files {
		if name, _, _ := strings.Cut(file.Name(), "."); !named[name] {
			t.Errorf("api/examples/%s is the example of no operation", file.Name())
		}
	}
}

// TestEveryProblemHasAnExample validates the examples of problems against their schema.
func TestEveryProblemHasAnExample(t *testing.T) {
	for _, k := range problem.Kinds {
		example := problemExample(k)
		for _, wrong := range against(lists.ProblemSchema(), example) {
			t.Errorf("%s: %s", k.Slug, wrong)
		}
		// These two problems belong to no operation.
		if _, own := problemExamples[k]; !own && k != problem.MethodNotAllowed && k != problem.MisdirectedRequest {
			t.Errorf("%s has no specific example", k.Slug)
		}
	}
}

func TestExamplesAreHeldAgainstTheirSchemas(t *testing.T) {
	schema := lists.ProblemSchema()
	good := string(problemExample(problem.InvalidRequest))
	for _, c := range []struct{ name, from, to string }{
		{"a required member is missing", `"detail"`, `"message"`},
		{"a number is a text", `"status":400`, `"status":"400"`},
		{"a value is not one of those listed", `"code":"invalid-request"`, `"code":"invalid"`},
		{"a member is null that cannot be", `"title":"Invalid request"`, `"title":null`},
		{"an item of a list is wrong", `"parameter":"cui"`, `"parameter":7`},
	} {
		bad := strings.Replace(good, c.from, c.to, 1)
		if bad == good {
			t.Fatalf("%s: the example has no %s", c.name, c.from)
		}
		if len(against(schema, json.RawMessage(bad))) == 0 {
			t.Errorf("nothing is said when %s", c.name)
		}
	}
}

// against lists the violations of a schema in a JSON text. Unlike JSON Schema it rejects members that an object's
// schema does not name, so that every member of an answer is described.
func against(s jsonschema.Schema, text json.RawMessage) []string {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return []string{err.Error()}
	}
	return mismatches(s, value, "")
}

func mismatches(s jsonschema.Schema, value any, at string) (wrong []string) {
	if s.Precise != nil {
		nullable := s.Nullable
		s = *s.Precise
		s.Nullable = nullable
	}

	switch v := value.(type) {
	case nil:
		if !s.Nullable {
			wrong = append(wrong, at+" is null")
		}
	case map[string]any:
		if s.Type == "object" && s.Properties == nil {
			return nil
		}

		for _, name := range slices.Sorted(maps.Keys(v)) {
			i := slices.IndexFunc(s.Properties, func(p jsonschema.Property) bool { return p.Name == name })
			if i < 0 {
				wrong = append(wrong, at+"/"+name+" is not in the schema")
				continue
			}

			wrong = append(wrong, mismatches(s.Properties[i].Schema, v[name], at+"/"+name)...)
		}

		for _, name := range s.Required {
			if _, has := v[name]; !has {
				wrong = append(wrong, at+"/"+name+" is missing")
			}
		}
	case []any:
		if s.Items == nil {
			return append(wrong, at+" is a list")
		}

		for i, item := range v {
			wrong = append(wrong, mismatches(*s.Items, item, fmt.Sprint(at, "/", i))...)
		}
	default:
		wrong = mismatch(s, v, at)
	}

	return wrong
}

// mismatch checks a text, number or boolean.
func mismatch(s jsonschema.Schema, value any, at string) []string {
	kinds := []string{s.Type, s.Or}
	switch v := value.(type) {
	case bool:
		if slices.Contains(kinds, "boolean") {
			return nil
		}
	case float64:
		if slices.Contains(kinds, "number") || slices.Contains(kinds, "integer") && v == float64(int64(v)) {
			return nil
		}
	case string:
		if slices.Contains(kinds, "string") {
			return formless(s, v, at)
		}
	}

	return []string{fmt.Sprintf("%s is %v, not %s", at, value, s.Type)}
}

// formless checks the format of a text.
func formless(s jsonschema.Schema, text, at string) (wrong []string) {
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		wrong = append(wrong, at+" is "+text+", not one of "+strings.Join(s.Enum, ", "))
	}
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(text) {
		wrong = append(wrong, at+" is "+text+", not "+s.Pattern)
	}

	layouts := map[string]string{"date": time.DateOnly, "date-time": time.RFC3339Nano}
	if layout, timed := layouts[s.Format]; timed {
		if _, err := time.Parse(layout, text); err != nil {
			wrong = append(wrong, at+" is "+text+", not a "+s.Format)
		}
	}

	return wrong
}
