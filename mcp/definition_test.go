package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var toolNames = []string{
	"convert_currency", "get_caen_code", "get_company", "get_fx_rate_history", "get_fx_rates",
	"search_caen_codes", "search_cities", "search_companies", "search_counties", "suggest_companies",
}

func TestListOfTools(t *testing.T) {
	one, other := newWorld(t), newWorld(t)
	first := one.send("POST", list).Body.String()
	var names []string
	for _, tool := range read(t, one.send("POST", list)).Result.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, toolNames) {
		t.Errorf("tools %v", names)
	}
	for i := range 100 {
		if one.send("POST", list).Body.String() != first || other.send("POST", list).Body.String() != first {
			t.Fatalf("list %d differs", i)
		}
	}
	if keyed := one.send("POST", list, "Authorization", goodKey).Body.String(); keyed != first {
		t.Error("the list depends on the caller")
	}
	modern := one.sendModern("tools/list", "", "").Body.String()
	for range 10 {
		if other.sendModern("tools/list", "", "").Body.String() != modern {
			t.Fatal("the modern list differs")
		}
	}
	if r := read(t, one.sendModern("tools/list", "", "")); r.Result.ResultType != "complete" || r.Result.TTLMs != 300_000 || r.Result.CacheScope != "public" || len(r.Result.Tools) != len(toolNames) {
		t.Errorf("the modern list: %+v", r.Result)
	}
}

// TestDefinitionsGuideModels holds what can be checked of a tool's definition
// without a model.
func TestDefinitionsGuideModels(t *testing.T) {
	w := newWorld(t)
	for _, tool := range read(t, w.send("POST", list)).Result.Tools {
		t.Run(tool.Name, func(t *testing.T) {
			if !regexp.MustCompile(`^(get|search|suggest|convert)_[a-z_]{1,100}$`).MatchString(tool.Name) {
				t.Error("the name is not verb_noun")
			}
			if len(tool.Title) <= len(tool.Name) || strings.EqualFold(strings.ReplaceAll(tool.Name, "_", " "), tool.Title) {
				t.Errorf("the title %q says no more than the name", tool.Title)
			}
			if n := len([]rune(tool.Description)); n < 120 || n > 900 {
				t.Errorf("the description has %d characters", n)
			}
			sibling := func(name string) bool { return name != tool.Name && strings.Contains(tool.Description, name) }
			if !slices.ContainsFunc(toolNames, sibling) || !strings.Contains(tool.Description, "Use it") || !strings.Contains(tool.Description, "instead") {
				t.Errorf("the description does not say when to use the tool, and when a sibling: %s", tool.Description)
			}
			if !strings.Contains(tool.Description, "credit") && !strings.Contains(tool.Description, "Free") {
				t.Error("the description does not say the cost")
			}
			want := map[string]any{"title": tool.Title, "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
				"openWorldHint": w.tools[tool.Name].OpenWorld}
			if fmt.Sprint(tool.Annotations) != fmt.Sprint(want) {
				t.Errorf("annotations %v", tool.Annotations)
			}
			if company := strings.Contains(tool.Name, "compan"); company != w.tools[tool.Name].OpenWorld {
				t.Error("only company tools reach registries as they are today")
			}
			checkInput(t, tool.InputSchema)
			checkOutput(t, tool.Name, tool.OutputSchema)
		})
	}
}

func checkInput(t *testing.T, schema map[string]any) {
	t.Helper()
	if schema["type"] != "object" || schema["additionalProperties"] != false {
		t.Errorf("the input is not a closed object: %v", schema)
	}
	for _, keyword := range []string{"$ref", "oneOf", "anyOf", "allOf"} {
		if schema[keyword] != nil {
			t.Errorf("the input has %s", keyword)
		}
	}
	for name, property := range schema["properties"].(map[string]any) {
		p := property.(map[string]any)
		if description, _ := p["description"].(string); len(description) < 5 {
			t.Errorf("%s has no description", name)
		}
		if p["type"] != "string" {
			t.Errorf("%s is a %v: arguments are texts, as in REST", name, p["type"])
		}
	}
}

func checkOutput(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	if schema["type"] == nil {
		t.Errorf("%s has no type", path)
	}
	if schema["additionalProperties"] == false {
		t.Errorf("%s is closed: a later field would break clients", path)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		p := property.(map[string]any)
		if description, _ := p["description"].(string); description == "" {
			t.Errorf("%s.%s has no description", path, name)
		}
		checkOutput(t, path+"."+name, p)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		checkOutput(t, path+"[]", items)
	}
}

func TestInstructionsStandAlone(t *testing.T) {
	first, _, more := strings.Cut(instructions, "\n")
	if n := len([]rune(first)); n > 512 || n < 300 {
		t.Errorf("the first paragraph has %d characters", n)
	}
	for _, word := range []string{"ANAF", "ONRC", "BNR", "Rev.3", "Rev.2", "RON for 1 unit", "credit", "search_companies", "get_company", "search_caen_codes", "get_caen_code", "No key"} {
		if !strings.Contains(first, word) {
			t.Errorf("the first paragraph does not say %q", word)
		}
	}
	if !more {
		t.Error("there is nothing after the first paragraph")
	}
}
