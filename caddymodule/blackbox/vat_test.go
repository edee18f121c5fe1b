package blackbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/standin"
)

// everyVATNumber makes VIES accept all well-formed numbers as valid.
func everyVATNumber(t *testing.T) func(*gateway) {
	return func(g *gateway) {
		registries := standin.For(t, standin.Options{Everybody: true, Latency: 150 * time.Millisecond})
		t.Setenv("RODATA_VIES_URL", registries.VIES.URL)
		g.registries.VIES = registries.VIES
	}
}

// vatNumbers returns the first n well-formed numbers of a pattern: the code of a state and digits, with zeros for the
// digits that count up.
func vatNumbers(t *testing.T, shape string, n int) (numbers []string) {
	t.Helper()
	prefix, digits, _ := strings.Cut(shape, "#")
	width := strings.Count(digits, "#") + 1
	suffix := strings.TrimLeft(digits, "#")
	for i := 1; len(numbers) < n; i++ {
		number := fmt.Sprintf("%s%0*d%s", prefix, width, i, suffix)
		if _, err := ro.ParseVATNumber(number); err == nil {
			numbers = append(numbers, number)
		}
		if i > 100_000 {
			t.Fatalf("%s has only %d numbers", shape, len(numbers))
		}
	}

	return numbers
}

type vatBatch struct {
	Count, Valid, Invalid, Refused, Unknown int
	TookMs                                  int64
	Items                                   []struct {
		Index, Status int
		VATNumber     string
		Check         struct{ Status string }
		Problem       struct {
			Detail            string
			RetryAfterSeconds int
		}
	}
}

// batchMargin is the maximum duration of a batch that waits for two seconds, on a busy machine.
var batchMargin = 4 * time.Second

// A hundred numbers of ten states, one of which hangs, return 90 answers within two seconds and 10 unknown ones.
func TestHangingStateDoesNotDelayOthersLong(t *testing.T) {
	long.Only(t, "waits for seconds")
	g := start(t, everyVATNumber(t))
	g.registries.VIES.Hang("DE")
	var numbers []string
	for _, shape := range []string{"DE1########", "ATU########", "BE01########", "DK1#######", "FI0#######",
		"FR0#0000000##", "HU1#######", "IT0##########", "PL1#########", "LU1#######"} {
		if shape == "FR0#0000000##" { // the key comes first
			for i := 1; i <= 10; i++ {
				company := 100_000_000 + i
				numbers = append(numbers, fmt.Sprintf("FR%02d%d", (12+3*(company%97))%97, company))
			}

			continue
		}

		numbers = append(numbers, vatNumbers(t, shape, 10)...)
	}

	body, err := json.Marshal(map[string]any{"vatNumbers": numbers, "waitSeconds": 2})
	testkit.NoError(t, err)

	a := g.do(t, "POST", "/v1/vat-numbers/batch",
		request{body: string(body), header: map[string]string{"Content-Type": "application/json"}})
	var got vatBatch
	if err := json.Unmarshal(a.body, &got); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", a.StatusCode, a.body)
	}
	if got.Count != 100 || got.Valid != 90 || got.Unknown != 10 || got.Invalid != 0 || got.Refused != 0 {
		t.Errorf("%d numbers: %d valid, %d unknown, %d invalid, %d refused", got.Count, got.Valid, got.Unknown,
			got.Invalid, got.Refused)
	}

	for _, item := range got.Items {
		german := strings.HasPrefix(item.VATNumber, "DE")
		if german != (item.Status == http.StatusGatewayTimeout) ||
			german != strings.Contains(item.Problem.Detail, "the register of Germany") ||
			german != (item.Problem.RetryAfterSeconds > 0) {
			t.Errorf("%+v", item)
		}
	}

	took := time.Duration(got.TookMs) * time.Millisecond
	t.Logf("90 answers and 10 unknowns after %s", took)
	if took <= 0 || took > batchMargin {
		t.Errorf("took %s", took)
	}
}
