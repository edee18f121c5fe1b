package operate

import (
	"encoding/json"
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
