// Package samples writes programs that send a request to the API, in the languages of the reference.
package samples

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Request is the request that a sample sends.
type Request struct {
	Method string
	// URL is the complete URL, with an escaped query.
	URL string
	// Key is true if the request may have a key. KeyNeeded is true if it must have one.
	Key, KeyNeeded bool
	// Type is the media type of Body; empty for a request without one.
	Type, Body string
	Answer     Answer
	// File is the name of the file in which a sample saves the answer, if the answer is a file.
	File string
}

// Answer is what a sample does with the answer.
type Answer int

const (
	// JSON is an answer to print. Languages that can decode JSON in one line decode it first.
	JSON Answer = iota
	// Text is printed.
	Text
	// Nothing is an answer without a body. The sample prints its status.
	Nothing
	// File is saved.
	File
)

// Placeholder stands for the caller's key.
const Placeholder = "rodata_live_..."

// jsonType is the media type of bodies that samples write as literals of their language.
const jsonType = "application/json"

// Sample is a program that sends a request.
type Sample struct {
	// ID names the language in HTML and in the fences of Markdown.
	ID string
	// Language is the name of the language. With is the library that sends the request; empty for a command such as
	// curl.
	Language, With string
	Code           Code
}

// Code is a program in parts.
type Code []Part

// Part is a piece of a program. The program is complete without the parts that send the key.
type Part struct {
	Text string
	Key  bool
}

// With returns the program that sends a key.
func (c Code) With() string { return c.text(true) }

// Without returns the program that sends no key.
func (c Code) Without() string { return c.text(false) }

func (c Code) text(key bool) string {
	var text strings.Builder
	for _, p := range c {
		if key || !p.Key {
			text.WriteString(p.Text)
		}
	}

	return text.String()
}

// All returns a request in every language.
func All(r Request) []Sample {
	return []Sample{
		{"sh", "curl", "", r.code(r.curl)},
		{"js", "JavaScript", "fetch", r.code(r.javaScript)},
		{"python", "Python", "urllib", r.code(r.python)},
		{"php", "PHP", "cURL", r.code(r.php)},
		{"csharp", "C#", "HttpClient", r.code(r.cSharp)},
		{"go", "Go", "net/http", r.code(r.golang)},
	}
}

// code runs a writer of a language.
func (r Request) code(write func(*writer)) Code {
	w := &writer{keyed: r.Key}
	write(w)
	return w.code
}

// writer collects the parts of a program.
type writer struct {
	keyed bool
	code  Code
}

// add adds texts, a newline after each.
func (w *writer) add(lines ...string) {
	for _, line := range lines {
		w.put(line + "\n")
	}
}

// put adds a text as it is.
func (w *writer) put(text string) {
	if last := len(w.code) - 1; last >= 0 && !w.code[last].Key {
		w.code[last].Text += text
		return
	}

	w.code = append(w.code, Part{Text: text})
}

// key adds a text that sends the key, if the request has one.
func (w *writer) key(text string) {
	if w.keyed {
		w.code = append(w.code, Part{text, true})
	}
}

// bearer is the value of the header Authorization.
const bearer = "Bearer " + Placeholder

// quote returns a text as a JSON string, which is also a valid literal in JavaScript, Python, C# and Go.
func quote(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
