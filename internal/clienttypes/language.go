package main

import (
	"embed"
	"slices"
	"strings"
	"text/template"
)

// language is a programming language with a client.
type language struct {
	notation
	// template is the file that writes the client, in the folder templates.
	template string
	// path replaces the arguments in the path of an operation.
	path func(path string) string
}

// languages are the languages by the file that is written.
var languages = map[string]*language{
	"client/typescript/src/api.ts": &typeScript,
	"client/python/rodata/api.py":  &python,
	"client/php/src/Client.php":    &php,
}

var typeScript = language{
	notation: notation{
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
	},
	template: "typescript.tmpl",
	path:     strings.NewReplacer("{", "${segment(", "}", ")}").Replace,
}

var python = language{
	notation: notation{
		primitives: map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool",
			"null": "None"},
		object:   "dict[str, Any]",
		or:       " | ",
		list:     func(of string) string { return "list[" + of + "]" },
		literals: func(texts []string) string { return "Literal[" + joinQuoted(texts, `"`, ", ") + "]" },
	},
	template: "python.tmpl",
	path:     strings.NewReplacer("{", "{segment(", "}", ")}").Replace,
}

// The types of PHP are those that static analysers and editors read in comments:
// https://phpstan.org/writing-php-code/phpdoc-types.
var php = language{
	notation: notation{
		primitives: map[string]string{"string": "string", "integer": "int", "number": "int|float", "boolean": "bool",
			"null": "null"},
		object:   "array<string, mixed>",
		or:       "|",
		list:     func(of string) string { return "list<" + of + ">" },
		literals: func(texts []string) string { return joinQuoted(texts, "'", "|") },
	},
	template: "php.tmpl",
	path: func(path string) string {
		path = strings.NewReplacer("{", "' . self::segment($", "}", ") . '").Replace(path)
		return strings.TrimSuffix("'"+path+"'", " . ''")
	},
}

//go:embed templates
var templates embed.FS

// render returns the generated part of the client.
func (l *language) render(d *description) (string, error) {
	t := template.New(l.template)
	var text strings.Builder
	t, err := t.Funcs(template.FuncMap{
		"generated": func() string { return generated },
		"type":      l.expression, "argument": l.argument, "path": l.path,
		"camel": camel, "pythonName": pythonName, "replace": strings.ReplaceAll,
		// list returns the output of another template without the comma at its end.
		"list": func(name string, data any) (string, error) {
			var list strings.Builder
			err := t.ExecuteTemplate(&list, name, data)
			return strings.TrimSuffix(list.String(), ", "), err
		},
	}).ParseFS(templates, "templates/"+l.template)
	if err == nil {
		err = t.Execute(&text, d)
	}

	return text.String(), err
}

// camel turns get_company into getCompany.
func camel(snake string) string {
	words := strings.Split(snake, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// pythonName turns sortBy into sort_by, and from into from_.
func pythonName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}

		b.WriteRune(r)
	}

	if isPythonWord(b.String()) {
		b.WriteByte('_')
	}
	return b.String()
}

// isPythonWord reports whether a name is a Python keyword. It knows only the keywords that the API uses.
func isPythonWord(name string) bool {
	return slices.Contains([]string{"from", "in", "is", "not", "and", "or", "as", "class", "def", "for", "import",
		"with", "global", "pass"}, name)
}
