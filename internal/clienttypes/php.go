package main

import (
	"fmt"
	"slices"
	"strings"
)

var inPHP = notation{
	primitives: map[string]string{"string": "string", "integer": "int", "number": "int|float", "boolean": "bool",
		"null": "null"},
	object:   "array<string, mixed>",
	or:       "|",
	list:     func(of string) string { return "list<" + of + ">" },
	literals: func(texts []string) string { return joinQuoted(texts, "'", "|") },
}

// php writes a class with the methods. The types are array shapes in its doc comment, which static analysers and
// editors read: https://phpstan.org/writing-php-code/phpdoc-types.
func php(d *description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<?php\n// %s\ndeclare(strict_types=1);\n\nnamespace Rodata;\n\n/**\n"+
		" * Calls a gateway: it has a method for each operation. Answers are arrays.\n *\n", generated)
	for _, s := range d.Components.Schemas {
		fmt.Fprintf(&b, " * @phpstan-type %s %s\n", s.name, shape(s.value))
	}

	b.WriteString(" */\nfinal class Client extends Core\n{\n")
	for i, m := range d.methods() {
		if i > 0 {
			b.WriteByte('\n')
		}
		m.writePHP(&b)
	}

	b.WriteString("}\n")
	return b.String()
}

// shape returns the type of an array with its keys.
func shape(s schema) string {
	if len(s.Properties) == 0 {
		return inPHP.expression(s)
	}

	var keys []string
	for _, p := range s.Properties {
		keys = append(keys, p.name+optional(slices.Contains(s.Required, p.name))+": "+inPHP.expression(p.value))
	}

	return "array{" + strings.Join(keys, ", ") + ", ...}"
}

func (m *method) writePHP(b *strings.Builder) {
	var arguments, documented, options []string
	for _, p := range m.inPath {
		arguments = append(arguments, inPHP.argument(p)+" $"+p.Name)
	}
	if m.body != nil {
		arguments, options = append(arguments, "array $body"), append(options, "body: $body")
		documented = append(documented, "@param "+inPHP.expression(*m.body)+" $body")
	}
	if m.file {
		arguments, options = append(arguments, "string $file", "string $type"),
			append(options, "file: $file", "type: $type")
	}

	if len(m.query) > 0 {
		documented = append(documented, "@param "+m.queryInPHP()+" $query")
		argument := "array $query"
		if !slices.ContainsFunc(m.query, func(p parameter) bool { return p.Required }) {
			argument += " = []"
		}

		arguments, options = append(arguments, argument), append(options, "query: $query")
	}

	if m.repeatable {
		options = append(options, "repeatable: true")
	}

	answer, call := "void", "call"
	switch m.form {
	case jsonForm:
		answer, documented = "array", append(documented, "@return "+inPHP.expression(*m.answer))
	case textForm, bytesForm:
		answer, call = "string", "bytes"
	}

	fmt.Fprintf(b, "    /**\n     * %s: %s %s\n", m.summary, m.verb, m.path)
	for _, line := range documented {
		fmt.Fprintf(b, "     * %s\n", line)
	}

	path := "'" + m.fillPath(func(name string) string { return "' . self::segment($" + name + ") . '" }) + "'"
	path = strings.ReplaceAll(path, " . ''", "")
	passed := strings.Join(slices.Concat([]string{"'" + m.verb + "'", path}, options), ", ")
	result := "return "
	if m.form == none {
		result = ""
	}

	fmt.Fprintf(b, "     */\n    public function %s(%s): %s\n    {\n        %s$this->%s(%s);\n    }\n", camel(m.name),
		strings.Join(arguments, ", "), answer, result, call, passed)
}

func (m *method) queryInPHP() string {
	var keys []string
	for _, p := range m.query {
		keys = append(keys, p.Name+optional(p.Required)+": "+inPHP.argument(p))
	}
	return "array{" + strings.Join(keys, ", ") + "}"
}
