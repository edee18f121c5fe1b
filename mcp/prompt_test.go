package mcp

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// getBoth gets a prompt in both protocol eras.
func (w *world) getBoth(name, arguments string) (legacy, modern *httptest.ResponseRecorder) {
	params := fmt.Sprintf(`"name":%q,"arguments":%s,`, name, arguments)
	legacy = w.send("POST", rpc(1, "prompts/get", "{"+strings.TrimSuffix(params, ",")+"}"))
	return legacy, w.sendModern("prompts/get", name, params)
}

func TestListOfPrompts(t *testing.T) {
	w := newWorld(t)
	for era, answer := range map[string]*httptest.ResponseRecorder{
		"legacy": w.send("POST", rpc(1, "prompts/list", "{}")), "modern": w.sendModern("prompts/list", "", ""),
	} {
		var names []string
		for _, p := range read(t, answer).Result.Prompts {
			names = append(names, p.Name)
			if p.Title == "" || len(p.Description) < 40 || len(p.Arguments) == 0 || !p.Arguments[0].Required {
				t.Errorf("%s: %+v", era, p)
			}

			for _, a := range p.Arguments {
				if len(a.Description) < 20 {
					t.Errorf("%s: %s of %s is not described", era, a.Name, p.Name)
				}
			}
		}

		if strings.Join(names, " ") != "convert_invoice find_caen_code verify_supplier" {
			t.Errorf("%s: %v", era, names)
		}
	}
}

func TestPromptsLeadToTools(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, arguments string
		says            []string
	}{
		{"verify_supplier", `{"cui":"9900000010"}`,
			[]string{"9900000010", "get_company", "Today", "inactive.status", "never as no"}},
		{"verify_supplier", `{"cui":"9900000010","date":"2026-06-10"}`,
			[]string{"digits only, and with date=2026-06-10", "statusDate", "asOfBasis",
				"knownAt=2026-06-10", "receipt"}},
		{"find_caen_code", `{"activity":"repairing bicycles"}`,
			[]string{"repairing bicycles", "search_caen_codes", "get_caen_code", "type=class", "Rev.2"}},
		{"convert_invoice", `{"amount":"1250.50","currency":"EUR","date":"2026-06-10"}`,
			[]string{"amount=1250.50, from=EUR, to=RON, date=2026-06-10 and basis=invoice", "convert_currency",
				"art. 290"}},
	} {
		legacy, modern := w.getBoth(c.name, c.arguments)
		for _, answer := range []*httptest.ResponseRecorder{legacy, modern} {
			r := read(t, answer).Result
			if answer.Code != 200 || len(r.Messages) != 1 || r.Messages[0].Role != "user" ||
				r.Messages[0].Content.Type != "text" {
				t.Fatalf("%s: %d %s", c.name, answer.Code, answer.Body)
			}

			text := r.Messages[0].Content.Text
			for _, part := range c.says {
				if !strings.Contains(text, part) {
					t.Errorf("%s does not say %q: %s", c.name, part, text)
				}
			}

			for _, word := range strings.FieldsFunc(text, func(r rune) bool {
				return r != '_' && (r < 'a' || r > 'z')
			}) {
				if strings.Contains(word, "_") && word != "in_operation" && w.tools[word] == nil {
					t.Errorf("%s names the tool %s, which does not exist", c.name, word)
				}
			}
		}
	}
}

func TestPromptsSayWhatTheyNeed(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ name, prompt, arguments, says string }{
		{"nothing", "verify_supplier", `{}`, "needs the argument cui"},
		{"something empty", "convert_invoice", `{"amount":" ","currency":"EUR","date":"2026-06-10"}`,
			"needs the argument amount"},
		{"something unknown", "find_caen_code", `{"activity":"x","nace":"62"}`, `no argument "nace"; it has activity`},
		{"an unknown prompt", "verify_customer", `{}`, "there is no prompt"},
	} {
		legacy, modern := w.getBoth(c.prompt, c.arguments)
		for i, answer := range []*httptest.ResponseRecorder{legacy, modern} {
			if r := read(t, answer); r.Error == nil || r.Error.Code != -32602 || answer.Code != []int{200, 400}[i] ||
				!strings.Contains(r.Error.Message, c.says) {
				t.Errorf("%s: %d %s", c.name, answer.Code, answer.Body)
			}
		}
	}
}
