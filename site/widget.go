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

// addWidget adds the script that turns an input of any page into a company search. Pages keep it for a day, and use an
// older copy for a week while they fetch a new one or the service does not answer.
func (s *Site) addWidget() {
	s.add(widgetPath, file{
		contentType:  contentTypes[".js"],
		cacheControl: "public, max-age=86400, stale-while-revalidate=604800, stale-if-error=604800",
		bodies:       everywhere(squeezed(widgetSource)),
		foreign:      true,
	})
}

var (
	commentLines = regexp.MustCompile(`(?m)^\t*//.*\n`)
	indentation  = regexp.MustCompile(`(?m)^\t+|^\n`)
	// spaces are strings and template literals, which stay as they are, and operators and brackets with the spaces
	// around them that mean nothing.
	spaces = regexp.MustCompile("'[^'\n]*'|`[^`]*`|\\s*\\} ?| ?[)=<>+?:&|!*-] ?| ?[{(;,]\\s*")
)

// squeezed is a script without comment lines, indentation and most spaces. It is enough of a minifier for the widget,
// whose source has notes for readers.
func squeezed(script []byte) []byte {
	script = commentLines.ReplaceAll(script, nil)
	script = indentation.ReplaceAll(script, nil)
	return spaces.ReplaceAllFunc(script, func(part []byte) []byte {
		if part[0] == '\'' || part[0] == '`' {
			return part
		}
		return bytes.TrimSpace(part)
	})
}
