package conversation

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// exchange sends the request in some lines, and checks its answer against the others.
func (c *Conversation) exchange(t *testing.T, at string, lines []string) {
	t.Helper()
	var expected []string
	r := Request{Header: c.header.Clone()}
	r.Method, r.Address, _ = strings.Cut(c.expand(lines[0])[len("> "):], " ")
	var body []string
	for _, line := range lines[1:] {
		line = c.expand(line)
		switch kind, rest, _ := strings.Cut(line, " "); kind {
		case ">":
			setHeader(r.Header, rest)
		case "|":
			body = append(body, rest)
		case "#":
		default:
			expected = append(expected, line)
		}
	}

	r.Body = strings.Join(body, "\n")
	if strings.HasPrefix(r.Body, "{") || strings.HasPrefix(r.Body, "[") {
		if r.Header.Get("Content-Type") == "" {
			r.Header.Set("Content-Type", "application/json")
		}
	}

	var a Answer
	defects := func() []string {
		var err error
		if a, err = c.Send(t, r); err != nil {
			a = Answer{Body: err.Error()}
		}
		return c.defects(a, expected)
	}
	var found []string
	if len(expected) > 0 && strings.HasPrefix(expected[0], "<~") {
		testkit.Until(t, at, func() bool { found = defects(); return len(found) == 0 })
	} else {
		found = defects()
	}

	for _, defect := range found {
		t.Errorf("%s: %s %s: %s", at, r.Method, r.Address, defect)
	}
	if len(found) > 0 {
		t.Logf("got %d %v\n%.2000s", a.Status, a.Header, a.Body)
	}
}

// defects returns how an answer differs from the expected lines, and keeps values of it.
func (c *Conversation) defects(a Answer, expected []string) (defects []string) {
	note := func(holds bool, format string, args ...any) {
		if !holds {
			defects = append(defects, fmt.Sprintf(format, args...))
		}
	}
	for i, line := range expected {
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case i == 0:
			note(kind == "<" || kind == "<~", "the first line of an answer says its status: %s", line)
			status, problem, _ := strings.Cut(rest, " ")
			want, err := strconv.Atoi(status)
			note(err == nil && a.Status == want, "the status is %d, not %s", a.Status, status)
			if problem != "" && a.Status == want {
				defect := a.Problem(want, problem)
				note(defect == "", "%s", defect)
			}
		case kind == "<":
			name, want, _ := strings.Cut(rest, ":")
			got := strings.Join(a.Header.Values(name), ", ")
			note(matches(got, strings.TrimSpace(want)), "%s is %q", name, got)
		case kind == "~":
			note(pattern(rest).MatchString(a.Body), "there is no %s", rest)
		case kind == "!":
			note(!pattern(rest).MatchString(a.Body+fmt.Sprint(a.Header)), "there is %s", rest)
		case kind == "=":
			note(matches(a.Body, rest), "the body is not %s", rest)
		case kind == "@":
			name, path, _ := strings.Cut(rest, " ")
			value, err := a.value(path)
			note(err == nil, "keeping %s: %v", name, err)
			c.Values[name] = value
		default:
			note(false, "%q says nothing of an answer", line)
		}
	}

	return defects
}

// pattern returns the expression for a text in which an ellipsis stands for any text.
func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile("(?s)" + strings.ReplaceAll(regexp.QuoteMeta(text), "…", ".*"))
}

// matches reports whether a whole text matches a pattern; an ellipsis alone does not stand for the empty text.
func matches(got, want string) bool {
	if want == "…" {
		return got != ""
	}
	return regexp.MustCompile("^(?:" + pattern(want).String() + ")$").MatchString(got)
}

// value returns a value of the answer: a path into its JSON, or the first part of a member of its header.
func (a Answer) value(path string) (string, error) {
	if name, ok := strings.CutPrefix(path, "header "); ok {
		value, _, _ := strings.Cut(a.Header.Get(name), ";")
		if value == "" {
			return "", fmt.Errorf("the header has no %s", name)
		}
		return value, nil
	}

	var value any
	decoder := json.NewDecoder(strings.NewReader(a.Body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}

	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			value = nil
			if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
				value = v[i]
			}
		default: // it has no parts
			value = nil
		}
	}
	if value == nil {
		return "", fmt.Errorf("there is no %s", path)
	}

	return fmt.Sprint(value), nil
}

// Problem returns the defect of an answer that should be a complete problem of a kind; empty for none.
func (a Answer) Problem(status int, kind string) (defect string) {
	var p struct {
		Type, Title, Detail string
		Status              int
	}
	err := json.Unmarshal([]byte(a.Body), &p)
	switch {
	case a.Status != status || err != nil:
		return fmt.Sprintf("got %d %s, want the problem %s", a.Status, a.Body, kind)
	case p.Status != status || !strings.HasSuffix(p.Type, "/problems/"+kind) || !strings.HasPrefix(p.Type, "http") ||
		p.Title == "" || p.Detail == "":
		return "not a whole problem: " + a.Body
	case a.Header.Get("Content-Type") != "application/problem+json" || a.Header.Get("Cache-Control") != "no-store" ||
		a.Header.Get("x-credits-cost") != "0":
		return fmt.Sprintf("not the header of a problem: %v", a.Header)
	}

	return ""
}
