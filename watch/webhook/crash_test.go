package webhook

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/watch"
)

// crashes is how often the process is killed.
const crashes = 4

// TestCrash is also the process that is killed: it writes events without end.
func TestCrash(t *testing.T) {
	if path := os.Getenv("RODATA_TEST_CRASH"); path != "" {
		s := openService(t, path)
		os.Stdout.WriteString("open\n")
		for range 10_000 {
			s.happen(t, 9900000010, 9900000028, 9900000036, 9900000044)
			<-time.After(2 * time.Millisecond)
		}
		return
	}

	// Every event that was committed arrives at least once, under its own id, whenever the process is killed; and those
	// of a company arrive in their order.
	path, endpoint := filepath.Join(t.TempDir(), "history.db"), newReceiver(t, nil)
	t.Run("prepare", func(t *testing.T) {
		s := openService(t, path)
		s.list(t, 1, "wl_a")
		s.create(t, endpoint.URL)
	})
	for range crashes {
		before := len(endpoint.requests())
		child := exec.Command(os.Args[0], "-test.run=^TestCrash$")
		child.Env = append(os.Environ(), "RODATA_TEST_CRASH="+path)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
			t.Fatalf("the process says %q, %v", line, err)
		}
		until(t, "the process delivers", func() bool { return len(endpoint.requests()) > before+20 })
		<-time.After(rand.N(100 * time.Millisecond))
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
	}

	s := openService(t, path)
	until(t, "nothing is due any more", func() bool {
		hooks, err := s.db.DueWebhooks(t.Context(), time.Now())
		return err == nil && len(hooks) == 0
	})
	committed, err := s.db.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, last := make(map[string]int), make(map[api.CUI]int64)
	got := endpoint.requests()
	for i := range got {
		id := got[i].id()
		if _, again := first[id]; again {
			continue
		}
		first[id] = i
		number, _, ok := watch.ParseEventID(id)
		company, err := database.One(t.Context(), s.db.Reader, "reading an event", nil, database.Value[int64], `SELECT company FROM events WHERE number = $1`, number)
		if !ok || err != nil || last[api.CUI(company)] > number {
			t.Errorf("event %d of company %d comes after event %d: %v", number, company, last[api.CUI(company)], err)
		}
		last[api.CUI(company)] = number
	}
	for number := int64(1); number <= committed; number++ {
		if _, ok := first[watch.EventID(number, 1)]; !ok {
			t.Errorf("event %d never comes", number)
		}
	}
	t.Logf("%d events, %d requests, %d crashes", committed, len(got), crashes)
}
