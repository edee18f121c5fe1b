package webhook

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/postgres"
	"github.com/rodata/rodata/testkit/process"
	"github.com/rodata/rodata/watch"
)

// crashes is the number of kills.
const crashes = 4

// TestHelperDelivers is the process to be killed. Once it leads, it keeps writing and delivering events.
func TestHelperDelivers(t *testing.T) {
	place := os.Getenv("RODATA_TEST_DELIVERS")
	if place == "" {
		t.Skip("is run by TestCrash and TestTakeover")
	}

	s := openService(t, place)
	os.Stdout.WriteString("open\n")
	testkit.Until(t, "the process leads", func() bool { return s.leading.Load() != nil })
	for range 10_000 {
		s.happen(t, 9900000010, 9900000028, 9900000036, 9900000044)
		<-time.After(2 * time.Millisecond)
	}
}

// delivering starts a process that keeps writing and delivering events.
func delivering(t *testing.T, place string) *process.Process {
	t.Helper()
	child, _ := process.StartUntilLine(t, process.Test(t, "TestHelperDelivers", "RODATA_TEST_DELIVERS="+place), "open")
	return child
}

// leaseOfTest is short, because the tests kill processes and wait for their leases.
const leaseOfTest = 3 * time.Second

// The processes that these tests start use the short lease as well.
func init() { leaseTime = leaseOfTest }

// No matter how often the process is killed, every committed event arrives at least once, always under the same id, and
// the events of a company arrive in order.
func TestCrash(t *testing.T) {
	databases.Places(t, "history.db", func(t *testing.T, place string) {
		endpoint := newReceiver(t, nil)
		t.Run("prepare", func(t *testing.T) { prepared(t, place).create(t, endpoint.URL) })
		for range crashes {
			before := len(endpoint.requests())
			child := delivering(t, place)
			testkit.Until(t, "the process delivers", func() bool { return len(endpoint.requests()) > before+20 })
			<-time.After(rand.N(100 * time.Millisecond))
			child.Kill()
		}

		committed := openService(t, place).wantDeliveryOfEachEvent(t, endpoint)
		t.Logf("%d events, %d requests, %d crashes", committed, len(endpoint.requests()), crashes)
	})
}

// When the delivering process is killed, another one takes over within a minute. The events of both arrive, each under
// its own id, and the events of a company arrive in order.
func TestTakeover(t *testing.T) {
	place, endpoint := postgres.URL(t), newReceiver(t, nil)
	t.Run("prepare", func(t *testing.T) { prepared(t, place).create(t, endpoint.URL) })
	first := delivering(t, place)
	testkit.Until(t, "the first process delivers", func() bool { return len(endpoint.requests()) > 20 })
	second := openService(t, place)
	second.happen(t, 9900000052)
	testkit.Until(t, "the first process delivers what the second writes", func() bool {
		for _, r := range endpoint.requests() {
			if bytes.Contains(r.body, []byte("9900000052")) {
				return true
			}
		}

		return false
	})
	if second.leading.Load() != nil {
		t.Error("both processes deliver")
	}

	first.Kill()
	killed, came := time.Now(), len(endpoint.requests())
	second.happen(t, 9900000010, 9900000052)
	testkit.Until(t, "another process delivers", func() bool {
		return second.leading.Load() != nil && len(endpoint.requests()) > came
	})
	took := time.Since(killed)
	committed := second.wantDeliveryOfEachEvent(t, endpoint)
	t.Logf("another process delivers %s after the kill, with a lease of %s; %d events, %d requests", took,
		leaseOfTest, committed,
		len(endpoint.requests()))
}

// wantDeliveryOfEachEvent waits until nothing is due, and returns the number of events.
func (s *service) wantDeliveryOfEachEvent(t *testing.T, endpoint *receiver) (committed int64) {
	t.Helper()
	testkit.Until(t, "nothing is due any more", func() bool {
		hooks, err := s.db.DueWebhooks(t.Context(), time.Now())
		return err == nil && len(hooks) == 0
	})
	committed = testkit.Must(s.db.Latest(t.Context()))
	companies := make(map[int64]ro.CUI)
	rows := testkit.Must(s.db.Reader.QueryContext(t.Context(), `SELECT number, company FROM events`))
	defer rows.Close()

	for rows.Next() {
		var number, company int64
		testkit.NoError(t, rows.Scan(&number, &company))

		companies[number] = ro.CUI(company)
	}

	testkit.NoError(t, rows.Err())

	came, last := make(map[string]bool), make(map[ro.CUI]int64)
	got := endpoint.requests()
	for i := range got {
		id := got[i].id()
		if came[id] {
			continue
		}

		came[id] = true
		number, _, ok := watch.ParseEventID(id)
		company, known := companies[number]
		if !ok || !known || last[company] > number {
			t.Errorf("event %d of company %d comes after event %d", number, company, last[company])
		}

		last[company] = number
	}

	for number := int64(1); number <= committed; number++ {
		if !came[watch.EventID(number, 1)] {
			t.Errorf("event %d never comes", number)
		}
	}

	return committed
}
