package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// Each object that becomes a type in generated clients is described once and referenced elsewhere.
func TestDescriptionRefers(t *testing.T) {
	var description struct {
		Paths      map[string]map[string]struct{ Responses map[string]json.RawMessage }
		Webhooks   map[string]map[string]struct{ RequestBody json.RawMessage }
		Components struct{ Schemas, Responses, Examples map[string]json.RawMessage }
	}
	if err := json.Unmarshal(NewDescription(newOperations(), customer.StripeCallback(nil)).At("").JSON,
		&description); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"Company", "Address", "CompanySummary", "CompanyPage", "Event", "Webhook", "VATCheck",
		"Problem", "ProblemCode", "CreateWatchlistRequest"} {
		if description.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}

	company := description.Paths["/v1/companies/{cui}"]["get"].Responses
	if want := `{"$ref":"#/components/responses/NotFound"}`; string(company["404"]) != want {
		t.Errorf("a 404 of get_company is %s, not %s", company["404"], want)
	}
	if event := description.Webhooks["event"]["post"].RequestBody; !strings.Contains(string(event),
		`"$ref":"#/components/schemas/Event"`) {
		t.Errorf("what webhooks send is %s, not an event", event)
	}
	if description.Components.Examples["not-found"] == nil {
		t.Error("there is no example of a 404")
	}
}

// An operation without a declared tag would be in no group of the description.
func TestTagsAreDeclared(t *testing.T) {
	for _, o := range newOperations() {
		if !slices.Contains(tag.All, o.Tag) || o.Tag.Description == "" {
			t.Errorf("%s has the tag %q, which is not declared with a description", o.Name, o.Tag.Name)
		}
	}
}

// The definitions of tools contain no references, because MCP hosts do not follow them.
func TestToolsHaveNoReferences(t *testing.T) {
	for _, o := range newOperations() {
		if o.Tool && slices.ContainsFunc([]jsonschema.Schema{o.Input(), o.Output().Outline()}, refersSomewhere) {
			t.Errorf("%s has a reference in its schemas", o.ToolID())
		}
	}
}

func refersSomewhere(s jsonschema.Schema) bool {
	var tree any
	if err := json.Unmarshal(jsontext.MustEncode(s), &tree); err != nil {
		panic(err)
	}
	return hasReference(tree)
}

func hasReference(tree any) bool {
	switch tree := tree.(type) {
	case map[string]any:
		if tree["$ref"] != nil {
			return true
		}

		for _, value := range tree {
			if hasReference(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(tree, hasReference)
	}

	return false
}

// The page sizes of searches are strings in the contract. All other numeric parameters are numbers.
func TestNumbersOfParameters(t *testing.T) {
	var description struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name   string
				Schema struct{ Type string }
			}
		}
	}
	if err := json.Unmarshal(NewDescription(newOperations()).At("").JSON, &description); err != nil {
		t.Fatal(err)
	}

	seen := 0
	for _, o := range newOperations() {
		want, limited := "integer", false
		if o.Name == "search_companies" || o.Name == "search_caen_codes" {
			want = "string"
		}

		for _, p := range o.Params() {
			limited = limited || p.Name == "limit" && reflect.DeepEqual(p.Schema.Precise, op.Limit(0).Schema().Precise)
		}

		for _, p := range description.Paths[o.Path][strings.ToLower(o.Method)].Parameters {
			if !limited || p.Name != "limit" {
				continue
			}
			if seen++; p.Schema.Type != want {
				t.Errorf("limit of %s is %s, want %s", o.Name, p.Schema.Type, want)
			}
		}
	}

	if seen == 0 {
		t.Error("no operation has a limit")
	}
}
