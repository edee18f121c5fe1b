package openapi

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// Only tags with operations are listed.
func TestTagsInUse(t *testing.T) {
	used := op.Tag{Name: "Used", Description: "Tags that are used."}
	nothing := func(context.Context, account.Caller, struct{}) (op.Answer[struct{}], error) {
		return op.Answer[struct{}]{}, nil
	}
	description := New(Contract{
		Tags: []op.Tag{{Name: "Unused", Description: "Nothing."}, used},
		Operations: []*op.Operation{
			op.Define(op.Spec{Name: "a", Method: "GET", Path: "/a", Tag: used}, nothing),
		},
		ProblemExample: func(*problem.Kind) json.RawMessage { return nil },
		Example:        func(string, string) json.RawMessage { return nil },
	}).At("")

	var got struct{ Tags []struct{ Name string } }
	testkit.NoError(t, json.Unmarshal(description.JSON, &got))
	if len(got.Tags) != 1 || got.Tags[0].Name != used.Name {
		t.Errorf("got the tags %v", got.Tags)
	}
}

func TestSchemasHaveOneMeaning(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two schemas of one name went unnoticed")
		}
	}()
	c := newComponents(new(Contract))
	c.refer(jsonschema.Schema{Name: "Thing", Type: "object"})
	c.refer(jsonschema.Schema{Name: "Thing", Type: "string"})
}
