package main

import (
	"fmt"
	"slices"
	"strings"
)

var inTypeScript = notation{
	primitives: map[string]string{"string": "string", "integer": "number", "number": "number", "boolean": "boolean",
		"null": "null"},
	object: "Record<string, unknown>",
	or:     " | ",
	list: func(of string) string {
		if strings.Contains(of, " | ") {
			of = "(" + of + ")"
		}
		return of + "[]"
	},
	literals: func(texts []string) string { return joinQuoted(texts, "'", " | ") },
}

// typeScript writes interfaces, and a class with the methods.
func typeScript(d *description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\nimport { Core, segment } from './core.js';\n", generated)
	for _, s := range d.Components.Schemas {
		b.WriteByte('\n')
		comment(&b, "", s.value.Description)
		if len(s.value.Properties) == 0 {
			fmt.Fprintf(&b, "export type %s = %s;\n", s.name, inTypeScript.expression(s.value))
			continue
		}

		fmt.Fprintf(&b, "export interface %s {\n", s.name)
		for _, p := range s.value.Properties {
			comment(&b, "\t", p.value.Description)
			fmt.Fprintf(&b, "\t%s%s: %s;\n", p.name, optional(slices.Contains(s.value.Required, p.name)),
				inTypeScript.expression(p.value))
		}

		b.WriteString("}\n")
	}

	b.WriteString("\n/** Client calls a gateway: it has a method for each operation. */\n" +
		"export class Client extends Core {\n")
	for i, m := range d.methods() {
		if i > 0 {
			b.WriteByte('\n')
		}
		m.writeTypeScript(&b)
	}

	b.WriteString("}\n")
	return b.String()
}

func (m *method) writeTypeScript(b *strings.Builder) {
	var arguments, options []string
	for _, p := range m.inPath {
		arguments = append(arguments, p.Name+": "+inTypeScript.argument(p))
	}
	if m.body != nil {
		arguments, options = append(arguments, "body: "+inTypeScript.expression(*m.body)), append(options, "body")
	}
	if m.file {
		arguments, options = append(arguments, "file: BodyInit", "type: string"), append(options, "file", "type")
	}
	if len(m.query) > 0 {
		arguments, options = append(arguments, m.queryInTypeScript()), append(options, "query")
	}
	if m.repeatable {
		options = append(options, "repeatable: true")
	}

	answer := map[form]string{none: "void", textForm: "string", bytesForm: "Uint8Array"}[m.form]
	call := map[form]string{none: "call<void>", textForm: "text", bytesForm: "bytes"}[m.form]
	if m.form == jsonForm {
		answer = inTypeScript.expression(*m.answer)
		call = "call<" + answer + ">"
	}

	comment(b, "\t", m.summary+": "+m.verb+" "+m.path)
	fmt.Fprintf(b, "\t%s(%s): Promise<%s> {\n", camel(m.name), strings.Join(arguments, ", "), answer)
	passed := ""
	if len(options) > 0 {
		passed = ", { " + strings.Join(options, ", ") + " }"
	}

	path := m.fillPath(func(name string) string { return "${segment(" + name + ")}" })
	fmt.Fprintf(b, "\t\treturn this.%s('%s', `%s`%s);\n\t}\n", call, m.verb, path, passed)
}

// queryInTypeScript returns the object of the query arguments, which is optional if all of them are.
func (m *method) queryInTypeScript() string {
	var fields []string
	required := false
	for _, p := range m.query {
		required = required || p.Required
		fields = append(fields, p.Name+optional(p.Required)+": "+inTypeScript.argument(p))
	}

	object := "query: { " + strings.Join(fields, "; ") + " }"
	if required {
		return object
	}

	return object + " = {}"
}

func optional(required bool) string {
	if required {
		return ""
	}
	return "?"
}

// comment writes a documentation comment, unless the text is empty.
func comment(b *strings.Builder, indent, text string) {
	if text != "" {
		fmt.Fprintf(b, "%s/** %s */\n", indent, strings.ReplaceAll(text, "*/", "* /"))
	}
}
