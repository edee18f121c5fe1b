package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// compare calls an operation over REST and over MCP in both protocol eras (with and without sessions), without a key
// and with one, and compares the answers. Literals are sent to MCP as numbers.
func compare(t *testing.T, w *world, tool string, args op.Args) {
	t.Helper()
	arguments := object(args)
	for _, authorization := range []string{"", manyKey} {
		rest := restCall(t, w, tool, args, authorization)
		legacy := w.send("POST", callOf(1, tool, arguments), "Authorization", authorization)
		rest.compare(t, legacy, arguments)
		rest.Credits -= int64(rest.Cost) // for the next call
		modern := w.sendModern("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":%s,`, tool, arguments),
			"Authorization", authorization)
		rest.compare(t, modern, arguments)
	}
}

// object returns the arguments as JSON.
func object(args op.Args) string {
	var members []string
	for _, a := range args {
		value, _ := json.Marshal(a.Text)
		switch {
		case a.JSON != "":
			value = []byte(a.JSON)
		case a.Literal:
			value = []byte(a.Text)
		}

		name, _ := json.Marshal(a.Name)
		members = append(members, string(name)+":"+string(value))
	}

	return "{" + strings.Join(members, ",") + "}"
}

// restAnswer is the answer of REST, its encoded problem, and the tool's output schema.
type restAnswer struct {
	*op.Reply
	problem string
	schema  *jsonschema.Resolved
}

// compare compares an answer of MCP with the preceding answer of REST.
func (rest *restAnswer) compare(t *testing.T, answer *httptest.ResponseRecorder, call string) {
	t.Helper()
	r := read(t, answer).Result
	if answer.Code != 200 || len(r.Content) != 1 {
		t.Fatalf("%s: %d %s", call, answer.Code, answer.Body)
	}
	if r.IsError != (rest.Status >= 400) {
		t.Errorf("%s: isError is %t at %d", call, r.IsError, rest.Status)
	}

	text := r.Content[0].Text
	if rest.Problem != nil {
		want, inMeta := withoutID(t, rest.problem), withoutID(t, string(r.Meta["ro.rodata/problem"]))
		if withoutID(t, text) != want || !sameJSON(t, []byte(inMeta), []byte(want)) {
			t.Errorf("%s: %s\nREST: %s", call, answer.Body, rest.problem)
		}
	} else {
		body := timeless(string(rest.body()))
		if timeless(text) != body || !sameJSON(t, []byte(text), r.StructuredContent) {
			t.Errorf("%s: %s\nREST: %s", call, answer.Body, body)
		}
		testkit.NoError(t, rest.schema.Validate(readObject(t, r.StructuredContent)), call)
	}

	for _, fact := range []struct {
		name, want string
		present    bool
	}{
		{"status", fmt.Sprint(rest.Status), true},
		{"cache", strconv.Quote(rest.Cache), rest.Problem == nil && rest.Cache != ""},
		{"creditsCost", fmt.Sprint(rest.Cost), true},
		{"creditsRemaining", fmt.Sprint(rest.Credits - int64(rest.Cost)), rest.Credits >= 0},
		{"rateLimit", fmt.Sprintf(`{"limit":%d,"remaining":%d}`, rest.Allowance.Rate.N, rest.Allowance.Remaining),
			true},
		{"retryAfterSeconds", fmt.Sprint(rest.RetrySeconds()), rest.RetrySeconds() > 0},
	} {
		got, present := r.Meta["ro.rodata/"+fact.name]
		if present != fact.present || present && string(got) != fact.want {
			t.Errorf("%s: %s is %q, REST has %q", call, fact.name, got, fact.want)
		}
	}
}

// body returns the document; an empty object where REST has no body.
func (rest *restAnswer) body() []byte {
	if rest.Status == http.StatusNoContent {
		return []byte("{}")
	}
	return rest.Document.JSON
}

// timeless blanks out the duration of a search.
func timeless(body string) string { return tookMs.ReplaceAllString(body, `"tookMs":0`) }

var tookMs = regexp.MustCompile(`"tookMs":\d+`)

func restCall(t testing.TB, w *world, tool string, args op.Args, authorization string) *restAnswer {
	t.Helper()
	o := w.tools[tool].Operation
	path, query := o.Path, make([]string, 0, len(args))
	for _, a := range args {
		if hole := "{" + a.Name + "}"; strings.Contains(path, hole) {
			path = strings.Replace(path, hole, url.PathEscape(a.Text), 1)
		} else {
			query = append(query, url.QueryEscape(a.Name)+"="+url.QueryEscape(a.Text))
		}
	}

	call := op.Call{Channel: "rest", Authorization: authorization}
	var others op.Args
	n := 0
	for _, a := range args {
		known := func(in op.Arg) bool { return in.Name == a.Name }
		if strings.Contains(o.Path, "{"+a.Name+"}") && !slices.ContainsFunc(call.InPath[:n], known) {
			call.InPath[n] = op.Arg{Name: a.Name, Text: a.Text}
			n++
		} else {
			others = append(others, a)
		}
	}

	call.Args, call.Malformed = op.ArgsFromQuery(strings.Join(query, "&"))
	if o.HasBody() {
		call.Args, call.Malformed = op.ArgsFromJSON([]byte(object(others)))
		call.BaseURL = hostURL(&http.Request{Host: "rodata.example"})
	}

	rest := &restAnswer{Reply: w.Gateway.Do(t.Context(), o, &call), schema: w.schema(t, tool)}
	if rest.Problem != nil {
		rest.problem = string(rest.Problem.JSON(hostURL(&http.Request{Host: "rodata.example"})))
	}

	return rest
}

// withoutID blanks out the id of an internal error, which is unique.
func withoutID(t *testing.T, text string) string {
	t.Helper()
	if p := readProblem(t, []byte(text)); p.ID != "" {
		return strings.ReplaceAll(text, p.ID, "ID")
	}
	return text
}

// corpus are useful test values for any parameter.
var corpus = []string{
	"", " ", "0", "1", "00", "25", "100", "101", "-1", "+1", "1.5", "1e2", "999999", "1000000", "9007199254740993",
	"12345678901234567890",
	"RO14399840", "DE445947920", "none", "1900101221144", "19", "9900000010", "EUR", "eur", "RON", "USD", "XXX",
	"EUR,USD", "EUR,,USD", "HRK", "fixing", "invoice", "Invoice",
	"2026-06-10", "2026-06-31", "2005-01-02", "2005-01-03", "2099-01-01", "10.06.2026", "A", "Z", "62", "621", "6210",
	"6201", "62.10", "62100",
	"section", "class", "CJ", "Cluj", "cluj-napoca", "BACĂU", "ș", "ş", "balanceSheets", "legalRepresentatives",
	"balanceSheets,x", "asc", "desc", "ASC",
	"relevance", "name", "true", "null", "a\x00b", "a\nb", "<b>", `"`, `\`, "%", "&", "=", "+", ";", "💶",
	strings.Repeat("a", 500), strings.Repeat("ă", 251),
}

// good are arguments that every tool accepts, as a base for variations.
func good(tool string) op.Args {
	switch tool {
	case "watch_company", "unwatch_company":
		return op.Args{{Name: "id", Text: "default"}, {Name: "cui", Text: example.String()}}
	case "get_company", "get_company_status", "get_company_history", "get_statement_state", "compare_company",
		"verify_supplier":
		return op.Args{{Name: "cui", Text: example.String()}}
	case "get_companies":
		return op.Args{{Name: "taxIds", JSON: "[" + example.String() + `,"` + broken.String() + `","x"]`}}
	case "add_business_days":
		return op.Args{{Name: "from", Text: "2026-10-30"}, {Name: "days", Text: "1"}}
	case "check_vat_number":
		return op.Args{{Name: "id", Text: "DE445947920"}}
	case "check_vat_numbers":
		return op.Args{{Name: "vatNumbers", JSON: `["DE445947920","ATU89089584","x"]`}}
	case "get_caen_code":
		return op.Args{{Name: "code", Text: "6210"}}
	case "get_fx_rate_history":
		return op.Args{{Name: "currency", Text: "EUR"}, {Name: "from", Text: "2026-06-01"},
			{Name: "to", Text: "2026-06-10"}}
	case "convert_currency":
		return op.Args{{Name: "amount", Text: "2500"}, {Name: "from", Text: "EUR"}, {Name: "to", Text: "USD"}}
	}

	return nil
}

func with(args op.Args, changed op.Arg) op.Args {
	var out op.Args
	for _, a := range args {
		if a.Name != changed.Name {
			out = append(out, a)
		}
	}

	return append(out, changed)
}

func TestParityLong(t *testing.T) {
	w := newWorld(t)
	restCall(t, w, "get_company", good("get_company"), "") // later answers are all hits
	for _, tool := range toolNames {
		t.Run(tool, func(t *testing.T) {
			inputs := append(handPicked(w, tool), generated(t, w, tool)...)
			for _, args := range inputs {
				compare(t, w, tool, args)
			}
			if len(inputs) < 100 {
				t.Errorf("only %d inputs were compared", len(inputs))
			}
		})
	}
}

// handPicked returns the good arguments with each one replaced by each value of the corpus, and tool-specific cases.
func handPicked(w *world, tool string) []op.Args {
	inputs := []op.Args{good(tool), nil, append(good(tool), good(tool)...)}
	names := []string{"nonsense"} // unknown to all tools
	for _, p := range w.tools[tool].Params() {
		names = append(names, p.Name)
	}

	for _, name := range names {
		for _, text := range corpus {
			inputs = append(inputs, with(good(tool), op.Arg{Name: name, Text: text}))
			if isPlainNumber(text) {
				inputs = append(inputs, with(good(tool), op.Arg{Name: name, Text: text, Literal: true}))
			}
		}
	}

	switch tool {
	case "get_company":
		for _, cui := range []ro.CUI{broken, slow, shut, mistaken, panicky, unknown} {
			inputs = append(inputs, op.Args{{Name: "cui", Text: cui.String()}})
		}
	case "get_fx_rate_history":
		for _, from := range []string{"2025-06-09", "2025-06-10"} { // 366 and 365 days
			inputs = append(inputs, with(good(tool), op.Arg{Name: "from", Text: from}))
		}
	}

	return inputs
}

// generated returns randomly drawn arguments, the same in each run.
func generated(t *testing.T, w *world, tool string) (inputs []op.Args) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(len(tool))))
	params := w.tools[tool].Params()
	for range long.Length(t, 25, 100) {
		var args op.Args
		for range random.IntN(4) {
			name := "nonsense"
			if len(params) > 0 && random.IntN(10) > 0 {
				name = params[random.IntN(len(params))].Name
			}

			args = append(args, op.Arg{Name: name, Text: corpus[random.IntN(len(corpus))]})
		}

		inputs = append(inputs, args)
	}

	return inputs
}

// isPlainNumber reports whether a text is a JSON number that the other channels read in the same way. A whole number
// with a fraction or an exponent, such as 5.0, is accepted only in JSON.
func isPlainNumber(text string) bool {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) && strings.ContainsAny(text, ".eE") {
		return false
	}

	var n json.Number
	return json.Unmarshal([]byte(text), &n) == nil && !strings.HasPrefix(text, `"`) && text != "null" &&
		strings.TrimSpace(text) == text
}

func FuzzParity(f *testing.F) {
	for i, text := range corpus {
		f.Add(uint8(i), uint8(i/3), text)
	}

	w := newWorld(f)
	restCall(f, w, "get_company", good("get_company"), "") // later answers are all hits
	f.Fuzz(func(t *testing.T, tool, parameter uint8, text string) {
		if !utf8.ValidString(text) {
			t.Skip("JSON is UTF-8") // a query need not be valid JSON
		}

		name := toolNames[int(tool)%len(toolNames)]
		params := w.tools[name].Params()
		if strings.TrimLeft(text, "0") == hanging.String() {
			t.Skip("it would wait for the deadline")
		}

		argument := "nonsense"
		if len(params) > 0 {
			argument = params[int(parameter)%len(params)].Name
		}

		compare(t, w, name, with(good(name), op.Arg{Name: argument, Text: text}))
	})
}
