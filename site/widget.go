package site

import (
	"bytes"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed widget.js
var widgetSource []byte

// widgetScript returns the minified script. Minifying it takes longer than the rest of a reload of the site.
var widgetScript = sync.OnceValue(func() []byte { return minify(widgetSource) })

// widgetPath is the address of the widget, which pages of other hosts load.
const widgetPath = "/widget.js"

// addWidget adds the script that turns an input on any web page into a company search. Browsers cache it for a day.
// For another week they may use the old copy while they fetch a new one or if the service does not answer.
func (s *Site) addWidget() {
	s.add(widgetPath, file{
		contentType:  contentTypes[".js"],
		cacheControl: "public, max-age=86400, stale-while-revalidate=604800, stale-if-error=604800",
		bodies:       inEveryLanguage(widgetScript()),
		crossOrigin:  true,
	})
}

var (
	commentLines = regexp.MustCompile(`(?m)^\t*//.*\n`)
	indentation  = regexp.MustCompile(`(?m)^\t+|^\n`)
	// spaces matches strings and template literals, which must not change, and operators and brackets with the
	// insignificant spaces around them.
	spaces = regexp.MustCompile("'[^'\n]*'|`[^`]*`|\\s*\\} ?| ?[)=<>+?:&|!*-] ?| ?[{(;,]\\s*")
)

// minify returns a script without comment lines, indentation and most spaces, and with one letter for most names that
// it declares. A full minifier would save little more on the widget.
func minify(script []byte) []byte {
	script = commentLines.ReplaceAll(script, nil)
	script = indentation.ReplaceAll(script, nil)
	script = shortenNames(script)
	return spaces.ReplaceAllFunc(script, func(part []byte) []byte {
		if part[0] == '\'' || part[0] == '`' {
			return part
		}
		return bytes.TrimSpace(part)
	})
}

// declared matches the names of a declaration, and the parameters of a function.
var declared = regexp.MustCompile(`(?:const|let) (\w+(?:, \w+)*)|function (\w+)\(([\w, ]*)\)|\(([\w, ]+)\) =>`)

// shortenNames returns a script with one letter for each name that it declares, as far as there are unused letters. It
// keeps names that are also those of properties, or that template literals contain.
func shortenNames(script []byte) []byte {
	templates := regexp.MustCompile("`[^`]*`")
	code := regexp.MustCompile(`'[^'\n]*'`).ReplaceAll(templates.ReplaceAll(script, nil), nil)
	used := bytes.Join(templates.FindAll(script, -1), nil)
	var names []string
	for _, match := range declared.FindAllSubmatch(script, -1) {
		list := bytes.ReplaceAll(bytes.Join(match[1:], []byte(" ")), []byte(","), []byte(" "))
		names = append(names, strings.Fields(string(list))...)
	}

	slices.Sort(names)
	letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for _, name := range slices.Compact(names) {
		letters = strings.TrimLeftFunc(letters, func(l rune) bool { return wordPattern(string(l)).Match(script) })
		if letters == "" {
			break
		}
		if len(name) > 2 && !wordPattern(name).Match(used) &&
			!regexp.MustCompile(`[^.]\.`+name+`\b|\b`+name+`:`).Match(code) {
			script = renameIn(script, name, letters[:1])
		}
	}

	return script
}

// wordPattern matches a name as a whole word.
func wordPattern(name string) *regexp.Regexp { return regexp.MustCompile(`\b` + name + `\b`) }

// renameIn returns a script with another name for a name, except in its texts.
func renameIn(script []byte, name, other string) []byte {
	return regexp.MustCompile("'[^'\n]*'|`[^`]*`|\\b"+name+`\b`).ReplaceAllFunc(script, func(part []byte) []byte {
		if part[0] == '\'' || part[0] == '`' {
			return part
		}
		return []byte(other)
	})
}
