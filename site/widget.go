package site

import (
	"bytes"
	_ "embed"
	"regexp"
)

//go:embed widget.js
var widgetSource []byte

// widgetPath is the address of the widget, which pages of other hosts load.
const widgetPath = "/widget.js"

// addWidget adds the script that turns an input on any web page into a company search. Browsers cache it for a day.
// For another week they may use the old copy while they fetch a new one or if the service does not answer.
func (s *Site) addWidget() {
	s.add(widgetPath, file{
		contentType:  contentTypes[".js"],
		cacheControl: "public, max-age=86400, stale-while-revalidate=604800, stale-if-error=604800",
		bodies:       inEveryLanguage(minified(widgetSource)),
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

// minified returns a script without comment lines, indentation and most spaces. A full minifier would save little more
// on the widget.
func minified(script []byte) []byte {
	script = commentLines.ReplaceAll(script, nil)
	script = indentation.ReplaceAll(script, nil)
	return spaces.ReplaceAllFunc(script, func(part []byte) []byte {
		if part[0] == '\'' || part[0] == '`' {
			return part
		}
		return bytes.TrimSpace(part)
	})
}
