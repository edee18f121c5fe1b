package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// TestClientsAreUpToDate compares the generated files with the description.
func TestClientsAreUpToDate(t *testing.T) {
	root := filepath.Join("..", "..")
	d, err := read(filepath.Join(root, golden))
	testkit.NoError(t, err)

	for path, language := range languages {
		written, err := os.ReadFile(filepath.Join(root, path))
		testkit.NoError(t, err)
		if string(written) != rendered(t, language, d) {
			t.Errorf("%s is not what the description says; run go generate ./internal/clienttypes", path)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, c := range []struct{ name, schema, typeScript, python, php string }{
		{"a text", `{"type": "string"}`, "string", "str", "string"},
		{"a number or null", `{"type": ["integer", "null"]}`, "number | null", "int | None", "int|null"},
		{"a list", `{"type": "array", "items": {"type": "string"}}`, "string[]", "list[str]", "list<string>"},
		{"a list of alternatives", `{"type": "array", "items": {"oneOf": [{"type": "integer"}, {"type": "string"}]}}`,
			"(number | string)[]", "list[int | str]", "list<int|string>"},
		{"words", `{"type": "string", "enum": ["a", "b"]}`, "'a' | 'b'", `Literal["a", "b"]`, "'a'|'b'"},
		{"words or null", `{"type": ["string", "null"], "enum": ["a", null]}`, "'a' | null",
			`Literal["a"] | None`, "'a'|null"},
		{"a reference", `{"$ref": "#/components/schemas/Company"}`, "Company", "Company", "Company"},
		{"a reference or null", `{"anyOf": [{"$ref": "#/components/schemas/Company"}, {"type": "null"}]}`,
			"Company | null", "Company | None", "Company|null"},
		{"any object", `{"type": "object"}`, "Record<string, unknown>", "dict[str, Any]", "array<string, mixed>"},
	} {
		var s schema
		testkit.NoError(t, json.Unmarshal([]byte(c.schema), &s))

		for got, want := range map[string]string{
			typeScript.expression(s): c.typeScript, python.expression(s): c.python, php.expression(s): c.php,
		} {
			if got != want {
				t.Errorf("%s is %s, not %s", c.name, got, want)
			}
		}
	}
}

// Fields and arguments may have names that are reserved words in Python.
func TestWordsOfPython(t *testing.T) {
	d := describe(t, `{
		"paths": {"/v1/days": {"get": {"operationId": "get_days", "summary": "Days",
			"parameters": [{"name": "from", "in": "query", "required": true, "schema": {"type": "string"}}, {"name": "sortBy", "in": "query", "schema": {"type": "string"}}],
			"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Days"}}}}}}}},
		"components": {"schemas": {"Days": {"type": "object", "properties": {"from": {"type": "string"}}}}}}`)
	written := rendered(t, &python, d)
	for _, want := range []string{
		`def get_days(self, *, from_: str, sort_by: str | None = None) -> Days:`,
		`query={"from": from_, "sortBy": sort_by}`,
		`"from": "NotRequired[str]",`,
	} {
		if !strings.Contains(written, want) {
			t.Errorf("the client lacks %s:\n%s", want, written)
		}
	}
}

// Operations that only other services call, with their own bodies, are not methods of a client.
func TestBodiesOfOthers(t *testing.T) {
	d := describe(t, `{"paths": {"/v1/hook": {"post": {"operationId": "receive", "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
		"responses": {"204": {}}}}}}`)
	if methods := d.Methods(); len(methods) != 0 {
		t.Errorf("the client has %+v", methods)
	}
}

// A method sends a file unchanged, with the media type that the caller gives, and returns a file as bytes.
func TestFiles(t *testing.T) {
	d := describe(t, `{"paths": {"/v1/jobs": {"post": {"operationId": "create_job", "requestBody": {"content": {"text/csv": {"schema": {"type": "string"}}}},
		"responses": {"200": {"content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}}}}}}}}`)
	for want, written := range map[string]string{
		"createJob(file: BodyInit, type: string): Promise<Uint8Array> {\n" +
			"\t\treturn this.bytes('POST', `/v1/jobs`, { file, type });": rendered(t, &typeScript, d),
		"def create_job(self, file: bytes, type: str) -> bytes:": rendered(t, &python, d),
		"public function createJob(string $file, string $type): string\n    {\n" +
			"        return $this->bytes('POST', '/v1/jobs', file: $file, type: $type);": rendered(t, &php, d),
	} {
		if !strings.Contains(written, want) {
			t.Errorf("the client lacks %s:\n%s", want, written)
		}
	}
}

func rendered(t *testing.T, l *language, d *description) string {
	t.Helper()
	text, err := l.render(d)
	testkit.NoError(t, err)

	return text
}

func describe(t *testing.T, text string) *description {
	t.Helper()
	d := new(description)
	testkit.NoError(t, json.Unmarshal([]byte(text), d))

	return d
}
