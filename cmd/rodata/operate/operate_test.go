package operate

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/caddymodule/adminapi"
	"github.com/rodata/rodata/testkit"
)

// Each queue is printed under its name.
func TestQueueIsPrintedWhole(t *testing.T) {
	var queues []adminapi.Queue
	text := `[{"name":"anaf","interactive":11,"refresh":12,"prefetch":13,"quarantined":14,"again":15,"statements":16,"running":17,"requests":18,"companies":19,"split":20,"refused":21}]`
	testkit.NoError(t, json.Unmarshal([]byte(text), &queues))

	var out strings.Builder
	printQueues(&out, queues)
	head, row, _ := strings.Cut(out.String(), "\n")
	if row != "anaf\t11\t12\t13\t14\t15\t16\t17\t18\t19\t20\t21\n" ||
		strings.Count(head, "\t") != strings.Count(row, "\t") {
		t.Errorf("printed\n%s", &out)
	}
}

// If the gateway returns only the path of a link, the explanation does not go to the output, which scripts read.
func TestPasswordLinkWithoutBaseURL(t *testing.T) {
	const setting = "base_url (RODATA_BASE_URL)"
	for name, c := range map[string]struct {
		url, printed string
		asJSON       bool
		note         string
	}{
		"a whole link": {url: "https://api.example.ro/dashboard/reset?token=a",
			printed: "https://api.example.ro/dashboard/reset?token=a\n"},
		"a path": {url: "/dashboard/reset?token=a", printed: "/dashboard/reset?token=a\n", note: setting},
		"a path as JSON": {url: "/dashboard/reset?token=a", printed: `{"url":"/dashboard/reset?token=a"}` + "\n",
			asJSON: true, note: setting},
	} {
		t.Run(name, func(t *testing.T) {
			admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				testkit.Equal(t, r.URL.Path, "/rodata/accounts/a/password-link", "the path")
				io.WriteString(w, `{"url":"`+c.url+`"}`)
			}))
			defer admin.Close()

			var out, notes strings.Builder
			g := &Gateway{admin.Listener.Addr().String(), c.asJSON, &out, &notes}
			testkit.NoError(t, printPasswordLink(g, "/rodata/accounts/a"))
			testkit.Equal(t, out.String(), c.printed, "the output")
			if note := notes.String(); !strings.Contains(note, c.note) || (note == "") != (c.note == "") {
				t.Errorf("the note is %q, want it to name %q", note, c.note)
			}
		})
	}
}
