package main

import (
	"fmt"
	"slices"
	"strings"
)

var inPython = notation{
	primitives: map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool",
		"null": "None"},
	object:   "dict[str, Any]",
	or:       " | ",
	list:     func(of string) string { return "list[" + of + "]" },
	literals: func(texts []string) string { return "Literal[" + joinQuoted(texts, `"`, ", ") + "]" },
}

// python writes TypedDicts, and a class with the methods.
func python(d *description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\"\"\"The types of the answers, and a client with a method for each operation.\"\"\"\n\n",
		generated)
	b.WriteString("from __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict\n\n" +
		"from .core import Core, segment\n")
	for _, s := range d.Components.Schemas {
		if len(s.value.Properties) == 0 {
			fmt.Fprintf(&b, "\n%s = %s\n", s.name, inPython.expression(s.value))
		}
	}

	for _, s := range d.Components.Schemas {
		if len(s.value.Properties) > 0 {
			pythonDict(&b, s.name, s.value)
		}
	}

	b.WriteString("\n\nclass Client(Core):\n    \"\"\"Calls a gateway: it has a method for each operation.\"\"\"\n")
	for _, m := range d.methods() {
		m.writePython(&b)
	}

	return b.String()
}

// pythonDict writes the type of an object. If a key is a reserved word, it uses the functional syntax of TypedDict.
func pythonDict(b *strings.Builder, name string, s schema) {
	reserved := slices.ContainsFunc(s.Properties, func(p member[schema]) bool { return isPythonWord(p.name) })
	if reserved {
		fmt.Fprintf(b, "\n\n%s = TypedDict(\"%s\", {\n", name, name)
	} else {
		fmt.Fprintf(b, "\n\nclass %s(TypedDict):\n", name)
		docstring(b, "    ", s.Description)
	}

	for _, p := range s.Properties {
		of := inPython.expression(p.value)
		if !slices.Contains(s.Required, p.name) {
			of = "NotRequired[" + of + "]"
		}

		if reserved {
			fmt.Fprintf(b, "    # %s\n    \"%s\": \"%s\",\n", p.value.Description, p.name,
				strings.ReplaceAll(of, `"`, "'"))
			continue
		}

		fmt.Fprintf(b, "    %s: %s\n", p.name, of)
		docstring(b, "    ", p.value.Description)
	}

	if reserved {
		b.WriteString("})\n")
	}
}

func (m *method) writePython(b *strings.Builder) {
	arguments, options := []string{"self"}, []string{}
	for _, p := range m.inPath {
		arguments = append(arguments, pythonName(p.Name)+": "+inPython.argument(p))
	}
	if m.body != nil {
		arguments, options = append(arguments, "body: "+inPython.expression(*m.body)), append(options, "body=body")
	}
	if m.file {
		arguments, options = append(arguments, "file: bytes", "type: str"), append(options, "file=file", "type=type")
	}

	if len(m.query) > 0 {
		arguments = append(arguments, "*")
		var query []string
		for _, p := range m.query {
			arguments = append(arguments, pythonName(p.Name)+": "+inPython.argument(p)+pythonDefault(p))
			query = append(query, `"`+p.Name+`": `+pythonName(p.Name))
		}

		options = append(options, "query={"+strings.Join(query, ", ")+"}")
	}

	if m.repeatable {
		options = append(options, "repeatable=True")
	}

	answer := map[form]string{none: "None", textForm: "str", bytesForm: "bytes"}[m.form]
	if m.form == jsonForm {
		answer = inPython.expression(*m.answer)
	}

	call := map[form]string{none: "_call", jsonForm: "_call", textForm: "_text", bytesForm: "_bytes"}[m.form]
	path := m.fillPath(func(name string) string { return "{segment(" + pythonName(name) + ")}" })
	passed := strings.Join(slices.Concat([]string{`"` + m.verb + `"`, `f"` + path + `"`}, options), ", ")
	if len(m.inPath) == 0 {
		passed = strings.Replace(passed, `f"`, `"`, 1)
	}

	fmt.Fprintf(b, "\n    def %s(%s) -> %s:\n", m.name, strings.Join(arguments, ", "), answer)
	docstring(b, "        ", m.summary+": "+m.verb+" "+m.path)
	fmt.Fprintf(b, "        return self.%s(%s)\n", call, passed)
}

func pythonDefault(p parameter) string {
	if p.Required {
		return ""
	}
	return " | None = None"
}

// pythonName returns the name of an argument.
func pythonName(name string) string {
	name = snake(name)
	if isPythonWord(name) {
		return name + "_"
	}
	return name
}

// isPythonWord reports whether a name is a Python keyword. It knows only the keywords that the API uses.
func isPythonWord(name string) bool {
	return slices.Contains([]string{"from", "in", "is", "not", "and", "or", "as", "class", "def", "for", "import",
		"with", "global", "pass"}, name)
}

func docstring(b *strings.Builder, indent, text string) {
	if text != "" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `'`)
		fmt.Fprintf(b, "%s\"\"\"%s\"\"\"\n", indent, text)
	}
}
