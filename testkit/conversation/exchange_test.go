package conversation

import (
	"net/http"
	"testing"
)

func TestDefects(t *testing.T) {
	a := Answer{Status: 200, Header: http.Header{"Etag": {`"a"`}, "Set-Cookie": {"id=1; Path=/"}},
		Body: `{"items":[{"id":9900000010}]}`}
	for _, status := range []string{"< 404", "<~ 404", "< 200 not-found", "<- 200", "< OK"} {
		if got := new(Conversation).defects(a, []string{status}); len(got) != 1 {
			t.Errorf("%s: got %q", status, got)
		}
	}

	for line, defects := range map[string]int{
		"< ETag: …": 0, "< ETag:": 1, "< Age:": 0, "< Age: …": 1, "< ETag: a": 1, `< Set-Cookie: id=…; Path=/`: 0,
		`~ "id":99`: 0, `~ "id":98`: 1, `! "id":99`: 1, "! x": 0, `= {"items":[…]}`: 0, "= {": 1, "status 200": 1,
		"@ id items.0.id": 0, "@ cookie header Set-Cookie": 0, "@ x items.1.id": 1,
	} {
		c := Conversation{Values: map[string]string{}}
		if got := c.defects(a, []string{"<~ 200", line}); len(got) != defects {
			t.Errorf("%s: got %q", line, got)
		}
		if id := c.Values["id"]; line == "@ id items.0.id" && id != "9900000010" ||
			line == "@ cookie header Set-Cookie" && c.Values["cookie"] != "id=1" {
			t.Errorf("kept %v", c.Values)
		}
	}
}

func TestExchangesAreSeparated(t *testing.T) {
	for _, c := range []struct {
		lines  []string
		length int
	}{
		{[]string{"> GET /", "< 200", "# more", "~ x", "> GET /"}, 4},
		{[]string{"> GET /", "> A: b", "| {}", "<~ 200", ": reload"}, 4},
		{[]string{"> GET /", "< 200", "", "~ x"}, 2},
		{[]string{"> GET /", "< 200"}, 2},
	} {
		if got := exchangeLength(c.lines); got != c.length {
			t.Errorf("%q: %d lines", c.lines, got)
		}
	}
}
