package siruta

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

var calls = caller.New(api.Registries{Gazetteer: Load()})

// get makes a call without a key.
func get(t testing.TB, target string) op.Reply {
	t.Helper()
	return calls.Get(t, target)
}

func TestClujNapoca(t *testing.T) {
	reply := get(t, "/v1/cities?q=cluj-napoca")
	const want = `{"totalCount":1,"limit":25,"offset":0,"items":[{"id":54975,"name":"Cluj-Napoca","slug":"cluj-napoca","type":"municipality",` +
		`"countyId":12,"countyName":"CLUJ","countyCode":"CJ","anafCode":103,"sirutaCode":54975}]}`
	if got := string(reply.Document.JSON); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if reply.Cost != 0 || reply.Cache != op.Hit || reply.MaxAge != 24*time.Hour || reply.Private {
		t.Errorf("cost %d, cache %q, max-age %v, private %t", reply.Cost, reply.Cache, reply.MaxAge, reply.Private)
	}
}

func TestCountyCluj(t *testing.T) {
	const want = `{"totalCount":1,"limit":50,"offset":0,"items":[{"id":12,"name":"CLUJ","slug":"cluj","code":"CJ","anafCode":12,"sirutaCode":127}]}`
	for _, query := range []string{"q=cluj", "q=CJ", "q=jud.+Cluj", "id=12", "id=12,99"} {
		if got := string(get(t, "/v1/counties?"+query).Document.JSON); got != want {
			t.Errorf("%s: got %s\nwant %s", query, got, want)
		}
	}
}

// TestAnswers compares the beginnings of pages with testdata/answers.txt.
func TestAnswers(t *testing.T) {
	calls.Answers(t, "testdata/answers.txt", func(value any) string {
		var names []string
		switch v := value.(type) {
		case reference.CountyPage:
			for _, c := range v.Items {
				names = append(names, c.Name)
			}
			return fmt.Sprintf("%d: %s", v.TotalCount, strings.Join(names, ", "))
		case reference.PlacePage:
			for _, p := range v.Items[:min(len(v.Items), 4)] {
				names = append(names, fmt.Sprintf("%s %s %s", p.Name, p.Type, p.CountyCode))
			}
			return fmt.Sprintf("%d: %s", v.TotalCount, strings.Join(names, ", "))
		}

		return ""
	})
}
