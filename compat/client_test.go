package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// client describes a program written for the registries: the requests it sends and the parts of the answers it reads.
// The files in testdata/clients were written from the programs' documentation and behaviour, without any of their code.
type client struct {
	Client string
	Sends  []struct {
		Why          string
		Method, Path string
		Header       map[string]string
		Body         json.RawMessage
		Bulk         int // the number of companies, instead of a body
		Status       int
		ContentType  string
		Lacks        []string
		Shown        bool              // the complete text shown to a person
		Reads        map[string]string // paths in the answer, and the expected kinds or texts
	}
}

// days are the placeholders in the files.
var days = strings.NewReplacer("TODAY", ro.Today().String(), "TOMORROW", (ro.Today() + 1).String(), "YESTERDAY",
	(ro.Today() - 1).String(), "KEY", goodKey)

// TestClients sends each program's requests, and checks every part of the answers that it reads.
func TestClients(t *testing.T) {
	files, err := filepath.Glob("testdata/clients/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d clients, %v", len(files), err)
	}

	for _, file := range files {
		text, err := os.ReadFile(file)
		testkit.NoError(t, err)

		var c client
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}

		for _, send := range c.Sends {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+"/"+send.Why, func(t *testing.T) {
				var header []string
				for name, value := range send.Header {
					header = append(header, name, days.Replace(value))
				}

				body := days.Replace(string(send.Body))
				if send.Bulk > 0 {
					body = strings.ReplaceAll(inquire(send.Bulk), "2026-11-22", ro.Today().String())
				}

				a := newService(t).ask(t, send.Method, send.Path, body, header...)
				if got := a.Header["Content-Type"]; a.StatusCode != send.Status || len(got) != 1 ||
					got[0] != send.ContentType {
					t.Fatalf("%d %q: %.300s", a.StatusCode, got, a.text)
				}

				for path, want := range send.Reads {
					if err := check(lookUp(a.json(t), path), days.Replace(want)); err != nil {
						t.Errorf("%s: %v", path, err)
					}
				}

				for _, text := range append(send.Lacks, "<html", "<!DOCTYPE") {
					if strings.Contains(a.text, text) {
						t.Errorf("the answer has %q", text)
					}
				}

				if send.Shown && (len(a.text) > 300 || strings.ContainsAny(a.text, "<>")) {
					t.Errorf("shown to a person: %s", a.text)
				}
			})
		}
	}
}

func (a response) json(t *testing.T) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(strings.NewReader(a.text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, a.text)
	}

	return v
}

// absent is the value of a path that does not exist.
type absent struct{}

func lookUp(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				return absent{}
			}

			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				return absent{}
			}

			v = at[i]
		default:
			return absent{}
		}
	}

	return v
}

// check compares a value with a program's expectation: a kind, or a text.
func check(v any, want string) error {
	ok := false
	switch want {
	case "text":
		_, ok = v.(string)
	case "number":
		_, ok = v.(json.Number)
	case "truth":
		_, ok = v.(bool)
	case "object":
		_, ok = v.(map[string]any)
	case "list":
		_, ok = v.([]any)
	case "empty":
		list, is := v.([]any)
		ok = is && len(list) == 0
	case "absent":
		_, ok = v.(absent)
	default:
		ok = fmt.Sprint(v) == want
	}

	if !ok {
		return fmt.Errorf("is %T %v, want %s", v, v, want)
	}

	return nil
}
