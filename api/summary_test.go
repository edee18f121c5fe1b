package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// TestContractSummary compares testdata/contract.txt with the golden description: a line for each operation, parameter
// and field, so that a person can review what a change does to the contract.
func TestContractSummary(t *testing.T) {
	golden, err := os.ReadFile(goldenOpenAPI)
	if err != nil {
		t.Fatal(err)
	}

	var d descriptionOutline
	if err := json.Unmarshal(golden, &d); err != nil {
		t.Fatal(err)
	}

	testkit.Golden(t, "testdata/contract.txt", string(d.summary()))
}

// descriptionOutline is the part of the description that its summary shows.
type descriptionOutline struct {
	Paths, Webhooks map[string]map[string]operationOutline
	Components      struct {
		Schemas map[string]schemaOutline
	}
}

type operationOutline struct {
	OperationID string `json:"operationId"`
	Credits     any    `json:"x-credits-cost"`
	Parameters  []struct {
		Name, In string
		Required bool
		Schema   schemaOutline
	}
	RequestBody contentOutline
	Responses   map[string]contentOutline
}

type contentOutline struct {
	Content map[string]struct{ Schema schemaOutline }
}

type schemaOutline struct {
	Reference  string `json:"$ref"`
	Type       any    // a text or a list of texts
	Format     string
	Enum       []any
	Items      *schemaOutline
	OneOf      []schemaOutline
	AnyOf      []schemaOutline
	Properties map[string]schemaOutline
	Required   []string
}

func (d *descriptionOutline) summary() []byte {
	var b bytes.Buffer
	for _, paths := range []map[string]map[string]operationOutline{d.Paths, d.Webhooks} {
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			for _, method := range slices.Sorted(maps.Keys(paths[path])) {
				o := paths[path][method]
				fmt.Fprintf(&b, "%s %s: %s", strings.ToUpper(method), path, o.OperationID)
				if o.Credits != nil {
					fmt.Fprintf(&b, ", %v credits", o.Credits)
				}

				b.WriteByte('\n')
				for _, p := range o.Parameters {
					fmt.Fprintf(&b, "\t%s in %s: %s%s\n", p.Name, p.In, p.Schema.shape(), optional(!p.Required))
				}

				o.RequestBody.write(&b, "body")
				var empty []string // the statuses of answers without content, and of problems
				for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
					r := o.Responses[status]
					if r.write(&b, status); len(r.Content) == 0 {
						empty = append(empty, status)
					}
				}

				fmt.Fprintf(&b, "\t%s\n", strings.Join(empty, ", "))
			}
		}
	}

	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		fmt.Fprintf(&b, "%s: %s\n", name, s.shape())
		s.writeFields(&b, "\t")
	}

	return b.Bytes()
}

// write writes a line for each media type.
func (c *contentOutline) write(b *bytes.Buffer, label string) {
	for _, media := range slices.Sorted(maps.Keys(c.Content)) {
		s := c.Content[media].Schema
		fmt.Fprintf(b, "\t%s: %s of %s\n", label, media, s.shape())
		s.writeFields(b, "\t\t")
	}
}

// writeFields writes a line for each property of an object that is described in place.
func (s *schemaOutline) writeFields(b *bytes.Buffer, indent string) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		fmt.Fprintf(b, "%s%s: %s%s\n", indent, name, p.shape(), optional(!slices.Contains(s.Required, name)))
		p.writeFields(b, indent+"\t")
		if p.Items != nil {
			p.Items.writeFields(b, indent+"\t")
		}
	}
}

// shape returns the type of a schema in a few words: the component's name, or "array of string, null".
func (s *schemaOutline) shape() string {
	if s.Reference != "" {
		return s.Reference[strings.LastIndex(s.Reference, "/")+1:]
	}

	var words []string
	switch types := s.Type.(type) {
	case string:
		words = append(words, types)
	case []any:
		for _, name := range types {
			words = append(words, fmt.Sprint(name))
		}
	}

	for _, alternative := range slices.Concat(s.OneOf, s.AnyOf) {
		words = append(words, alternative.shape())
	}

	text := strings.Join(words, ", ")
	if s.Items != nil {
		text = strings.Replace(text, "array", "array of "+s.Items.shape(), 1)
	}
	if s.Format != "" {
		text += " (" + s.Format + ")"
	}
	if len(s.Enum) > 0 {
		text += fmt.Sprintf(" %q", s.Enum)
	}

	return text
}

func optional(is bool) string {
	if is {
		return ", optional"
	}
	return ""
}
