package caen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/caller"
)

var calls = caller.New(api.Registries{Classification: Load()})

// get makes a call without a key.
func get(t testing.TB, target string) op.Reply {
	t.Helper()
	return calls.Get(t, target)
}

func TestGetCAENCode(t *testing.T) {
	reply := get(t, "/v1/caen-codes/6210")
	const want = `{"code":"6210","name":"Activități de realizare a softului la comandă (software orientat client)","nameEn":"Computer programming activities",` +
		`"type":"class","description":null,"parentCode":"621","replacesRev2Codes":[6201],"parents":[` +
		`{"code":"K","name":"Telecomunicații; activități de programare și de consultanță în tehnologia informației; alte servicii informaționale",` +
		`"nameEn":"Telecommunication, computer programming, consulting, computing infrastructure and other information service activities","type":"section","description":null,"parentCode":null,"replacesRev2Codes":[]},` +
		`{"code":"62"`
	if !strings.HasPrefix(string(reply.Document.JSON), want) {
		t.Errorf("6210 is\n%s, want\n%s...", reply.Document.JSON, want)
	}
	if again := get(t, "/v1/caen-codes/6210"); again.Document != reply.Document {
		t.Error("every call creates the document again")
	}
	if reply.Cost != 0 || reply.Cache != op.Hit || reply.MaxAge != 24*time.Hour || reply.Private {
		t.Errorf("cost %d, cache %q, max-age %v, private %t", reply.Cost, reply.Cache, reply.MaxAge, reply.Private)
	}
}

// TestAnswers compares entries and pages with testdata/answers.txt.
func TestAnswers(t *testing.T) {
	calls.Answers(t, "testdata/answers.txt", func(value any) string {
		var b strings.Builder
		switch v := value.(type) {
		case reference.ActivityPage:
			fmt.Fprintf(&b, "%d:", v.TotalCount)
			for _, a := range v.Items {
				fmt.Fprint(&b, " ", a.Code)
			}
			if len(v.ReplacedBy) > 0 {
				fmt.Fprint(&b, "; parent replaced by ", v.ReplacedBy)
			}
		case reference.ActivityDetail:
			fmt.Fprintf(&b, "%s %s, replaces %v", v.Type, v.Code, v.ReplacesRev2Codes)
		}

		return b.String()
	})
}
