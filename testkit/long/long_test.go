package long

import (
	"fmt"
	"testing"
)

// misnamed is a test without the suffix.
type misnamed struct {
	testing.TB
	failure string
}

func (m *misnamed) Name() string { return "TestKills/Long" }

func (m *misnamed) Fatalf(format string, args ...any) { m.failure = fmt.Sprintf(format, args...) }

func TestTheVariableAndTheNameLong(t *testing.T) {
	t.Run("case", func(t *testing.T) {
		for value, want := range map[string]int{"": 3, "1": 30} {
			t.Setenv("RODATA_TEST_LONG", value)
			if n := Length(t, 3, 30); n != want || Full(t) != (want == 30) {
				t.Errorf("with %q the length is %d, want %d", value, n, want)
			}
		}
	})

	m := &misnamed{TB: t}
	Full(m)
	if m.failure != "TestKills depends on RODATA_TEST_LONG, so its name must end in Long" {
		t.Errorf("a test without the suffix: %q", m.failure)
	}
}
