package testkit

import (
	"testing"
	"time"
)

// patience is how long a condition may take on a busy machine.
const patience = 2 * time.Minute

// Until polls until a condition holds, and returns the time that it took. It fails the test after two minutes, with the
// description of the condition.
func Until(t testing.TB, what string, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > patience {
			t.Fatalf("not within %s: %s", patience, what)
		}
		<-time.After(5 * time.Millisecond)
	}

	return time.Since(began)
}
