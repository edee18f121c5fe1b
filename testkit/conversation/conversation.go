// Package conversation runs tests that are written as text: HTTP requests, and what their answers must contain.
//
//	# A line that begins with a hash is a comment.
//	== a name begins a case
//	: down anaf              a step, which is a function of the test, with its arguments
//	> POST /v1/keys          a request: method and address,
//	> Origin: {url}          its header,
//	| {"name": "ERP"}        and its body; one that begins with { or [ is JSON
//	< 201                    the status of the answer, or of a problem and its kind: 400 invalid-request
//	< Cache-Control: …       a member of its header; nothing behind the colon means that there is none
//	~ "name":"ERP"           a part of its body
//	! "secret"               what is neither in its body nor in its header
//	= {"ok":true}            its body
//	@ id items.0.id          a value of the answer to keep: a path into its JSON, or "header Set-Cookie"
//
// "<~ 404" sends the request again until the whole answer matches. ">> Authorization: Bearer {key}" adds to the
// header of all further requests of the case, or of all cases if it comes before the first. An ellipsis stands for any
// text, and a name in braces for a value that was kept. Lines before the first case are part of the test that runs the
// conversation.
package conversation

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Request is a request of a conversation.
type Request struct {
	Method, Address string
	Header          http.Header
	Body            string
}

// Answer is a complete answer.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Conversation is what a text is run with.
type Conversation struct {
	// Send sends a request. An error becomes the body of an answer with the status 0.
	Send func(*testing.T, Request) (Answer, error)
	// Steps are the functions that a text can call, by their names.
	Steps map[string]func(t *testing.T, arguments string)
	// Values are the texts that stand for names in braces.
	Values map[string]string

	header http.Header // of all requests of the case
}

// RunAll runs the conversations in the files that match a pattern, each as a subtest with a Conversation of its own.
func RunAll(t *testing.T, pattern string, open func(*testing.T) *Conversation) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no conversation at %s: %v", pattern, err)
	}

	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { open(t).Run(t, file) })
	}
}

// Run runs the conversation in a file.
func (c *Conversation) Run(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	lines := strings.Split(string(text), "\n")
	common := http.Header{} // what the lines before the first case add to the header of requests
	for from := 0; from < len(lines); {
		end := from + 1
		for end < len(lines) && !strings.HasPrefix(lines[end], "== ") {
			end++
		}

		name, named := strings.CutPrefix(lines[from], "== ")
		if !named {
			c.header = http.Header{}
			c.play(t, file, from, lines[from:end])
			common = c.header
		} else {
			t.Run(name, func(t *testing.T) {
				c.header = common.Clone()
				c.play(t, file, from+1, lines[from+1:end])
			})
		}

		from = end
	}
}

// play runs the lines of a case, which follow a number of lines of the file.
func (c *Conversation) play(t *testing.T, file string, before int, lines []string) {
	t.Helper()
	for i := 0; i < len(lines); {
		at := fmt.Sprintf("%s:%d", file, before+i+1)
		kind, rest, _ := strings.Cut(c.expand(lines[i]), " ")
		switch kind {
		case "", "#":
			i++
		case ":":
			name, arguments, _ := strings.Cut(rest, " ")
			step := c.Steps[name]
			if step == nil {
				t.Fatalf("%s: there is no step %q", at, name)
			}
			step(t, arguments)
			i++
		case ">>":
			setHeader(c.header, rest)
			i++
		case ">":
			n := exchangeLength(lines[i:])
			c.exchange(t, at, lines[i:i+n])
			i += n
		default:
			t.Fatalf("%s: the line is not part of a conversation: %s", at, lines[i])
		}
	}
}

// exchangeLength returns the number of lines of the exchange that begins with the first line.
func exchangeLength(lines []string) int {
	answered := false
	for i, line := range lines {
		kind, _, _ := strings.Cut(line, " ")
		switch kind {
		case "", ":", ">>":
			return i
		case ">":
			if answered {
				return i
			}
		case "<", "<~":
			answered = true
		}
	}

	return len(lines)
}

var name = regexp.MustCompile(`\{[a-zA-Z0-9]+\}`)

// expand replaces the names in braces that have a value.
func (c *Conversation) expand(text string) string {
	return name.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := c.Values[name[1:len(name)-1]]; ok {
			return value
		}
		return name
	})
}

// setHeader sets a member of a header, or removes it if it has no value.
func setHeader(h http.Header, member string) {
	name, value, _ := strings.Cut(member, ":")
	if value = strings.TrimSpace(value); value == "" {
		h.Del(name)
	} else {
		h.Set(name, value)
	}
}
