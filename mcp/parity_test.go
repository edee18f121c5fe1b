package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rodata/rodata/api"
)

// compare asks for an operation as REST does and as MCP does, and holds the two
// answers against each other. Literals are sent to MCP as numbers.
func compare(t *testing.T, w *world, tool string, args api.Args) {
	t.Helper()
	rest, problemText := restCall(t, w, tool, args)
	var members []string
	for _, a := range args {
		value, _ := json.Marshal(a.Text)
		if a.Literal {
			value = []byte(a.Text)
		}
		name, _ := json.Marshal(a.Name)
		members = append(members, string(name)+":"+string(value))
	}
	call := callOf(1, tool, "{"+strings.Join(members, ",")+"}")
	answer := w.send("POST", call)
	r := read(t, answer).Result
	if answer.Code != 200 || len(r.Content) != 1 {
		t.Fatalf("%s: %d %s", call, answer.Code, answer.Body)
	}
	if got := string(r.Meta["ro.rodata/status"]); got != fmt.Sprint(rest.Status) {
		t.Fatalf("%s: status %s, REST %d\n%s", call, got, rest.Status, answer.Body)
	}
	if r.IsError != (rest.Status >= 400) {
		t.Errorf("%s: isError is %t at %d", call, r.IsError, rest.Status)
	}
	if !r.IsError {
		if r.Content[0].Text != string(rest.Document.JSON) || !sameJSON(t, r.StructuredContent, rest.Document.JSON) {
			t.Errorf("%s: %s\nREST: %s", call, answer.Body, rest.Document.JSON)
		}
		if cache := strings.Trim(string(r.Meta["ro.rodata/cache"]), `"`); cache != rest.Cache {
			t.Errorf("%s: cache %q, REST %q", call, cache, rest.Cache)
		}
	} else if withoutID(t, r.Content[0].Text) != withoutID(t, problemText) {
		t.Errorf("%s: %s\nREST: %s", call, r.Content[0].Text, problemText)
	}
	if cost := string(r.Meta["ro.rodata/creditsCost"]); cost != fmt.Sprint(rest.Cost) {
		t.Errorf("%s: cost %s, REST %d", call, cost, rest.Cost)
	}
}

func restCall(t *testing.T, w *world, tool string, args api.Args) (api.Reply, string) {
	t.Helper()
	op := w.tools[tool].Operation
	path, query := op.Path, make([]string, 0, len(args))
	for _, a := range args {
		if hole := "{" + a.Name + "}"; strings.Contains(path, hole) {
			path = strings.Replace(path, hole, url.PathEscape(a.Text), 1)
		} else {
			query = append(query, url.QueryEscape(a.Name)+"="+url.QueryEscape(a.Text))
		}
	}
	call := api.Call{Channel: "rest"}
	for _, p := range op.Params() {
		for _, a := range args {
			if p.InPath && a.Name == p.Name {
				call.Args = append(call.Args, api.Arg{Name: a.Name, Text: a.Text})
			}
		}
	}
	call.Args, call.Malformed = api.ArgsFromQuery(call.Args, strings.Join(query, "&"))
	reply := w.Gateway.Do(t.Context(), op, &call)
	if reply.Problem == nil {
		return reply, ""
	}
	return reply, string(reply.Problem.Document(hostURL(&http.Request{Host: "rodata.example"})).JSON)
}

// withoutID blots out the id of an internal error, which each has for itself.
func withoutID(t *testing.T, text string) string {
	t.Helper()
	if p := readProblem(t, []byte(text)); p.ID != "" {
		return strings.ReplaceAll(text, p.ID, "ID")
	}
	return text
}

// corpus are values worth trying for any parameter.
var corpus = []string{
	"", " ", "0", "1", "00", "25", "100", "101", "-1", "+1", "1.5", "1e2", "999999", "1000000", "9007199254740993", "12345678901234567890",
	"RO14399840", "1900101221144", "19", "9900000010", "EUR", "eur", "RON", "USD", "XXX", "EUR,USD", "EUR,,USD", "HRK", "fixing", "invoice", "Invoice",
	"2026-06-10", "2026-06-31", "2005-01-02", "2005-01-03", "2099-01-01", "10.06.2026", "A", "Z", "62", "621", "6210", "6201", "62.10", "62100",
	"section", "class", "CJ", "Cluj", "cluj-napoca", "BACĂU", "ș", "ş", "balanceSheets", "legalRepresentatives", "balanceSheets,x", "asc", "desc", "ASC",
	"relevance", "name", "true", "null", "a\x00b", "a\nb", "<b>", `"`, `\`, "%", "&", "=", "+", ";", "💶", strings.Repeat("a", 500), strings.Repeat("ă", 251),
}

// good are arguments that every tool accepts, to vary one of.
func good(tool string) api.Args {
	switch tool {
	case "get_company":
		return api.Args{{Name: "cui", Text: example.String()}}
	case "get_caen_code":
		return api.Args{{Name: "code", Text: "6210"}}
	case "get_fx_rate_history":
		return api.Args{{Name: "currency", Text: "EUR"}, {Name: "from", Text: "2026-06-01"}, {Name: "to", Text: "2026-06-10"}}
	case "convert_currency":
		return api.Args{{Name: "amount", Text: "2500"}, {Name: "from", Text: "EUR"}, {Name: "to", Text: "USD"}}
	}
	return nil
}

func with(args api.Args, changed api.Arg) api.Args {
	var out api.Args
	for _, a := range args {
		if a.Name != changed.Name {
			out = append(out, a)
		}
	}
	return append(out, changed)
}

func TestParity(t *testing.T) {
	for _, tool := range toolNames {
		t.Run(tool, func(t *testing.T) {
			w := newWorld(t)
			_, _ = restCall(t, w, "get_company", good("get_company")) // later answers are all hits
			compare(t, w, tool, good(tool))
			compare(t, w, tool, nil)
			compare(t, w, tool, append(good(tool), api.Arg{Name: "nonsense", Text: "1"}))
			compared := 3
			for _, p := range w.tools[tool].Params() {
				for _, text := range corpus {
					compare(t, w, tool, with(good(tool), api.Arg{Name: p.Name, Text: text}))
					compared++
					if plainNumber(text) {
						compare(t, w, tool, with(good(tool), api.Arg{Name: p.Name, Text: text, Literal: true}))
						compared++
					}
				}
			}
			for _, cui := range []api.CUI{broken, slow, shut, mistaken, panicky, unknown} {
				if tool == "get_company" {
					compare(t, w, tool, api.Args{{Name: "cui", Text: cui.String()}})
					compared++
				}
			}
			for _, from := range []string{"2025-06-09", "2025-06-10"} { // 366 and 365 days
				if tool == "get_fx_rate_history" {
					compare(t, w, tool, api.Args{{Name: "currency", Text: "EUR"}, {Name: "from", Text: from}, {Name: "to", Text: "2026-06-10"}})
				}
			}
			if compared < 60 {
				t.Errorf("only %d inputs were compared", compared)
			}
		})
	}
}

// plainNumber reports whether a text is also a JSON number.
func plainNumber(text string) bool {
	var n json.Number
	return json.Unmarshal([]byte(text), &n) == nil && !strings.HasPrefix(text, `"`) && text != "null" && strings.TrimSpace(text) == text
}

func FuzzParity(f *testing.F) {
	for i, text := range corpus {
		f.Add(uint8(i), uint8(i/3), text)
	}
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, tool, parameter uint8, text string) {
		if !utf8.ValidString(text) {
			t.Skip("JSON texts are UTF-8") // a query's are not; TestInvalidUTF8 has it
		}
		name := toolNames[int(tool)%len(toolNames)]
		params := w.tools[name].Params()
		if strings.TrimLeft(text, "0") == hanging.String() {
			t.Skip("it would wait for the deadline")
		}
		compare(t, w, name, with(good(name), api.Arg{Name: params[int(parameter)%len(params)].Name, Text: text}))
	})
}

func TestInvalidUTF8(t *testing.T) {
	w := newWorld(t)
	r := read(t, w.send("POST", callOf(1, "search_cities", "{\"q\":\"a\xff\"}"))).Result
	if !r.IsError || readProblem(t, []byte(r.Content[0].Text)).Status != 400 {
		t.Errorf("%+v", r)
	}
}
