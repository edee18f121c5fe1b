package statements

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

// TestTooManyStatements verifies that an endless file takes no more memory than some times that of the largest.
func TestTooManyStatements(t *testing.T) {
	b, err := NewBuilder(t.TempDir())
	testkit.NoError(t, err)
	defer b.Close()

	s := &Statement{CUI: invented.CUI(1)}
	for range maxStatements {
		testkit.NoError(t, b.Add(s))
	}
	if err := b.Add(s); !errors.Is(err, ErrFormat) {
		t.Errorf("after %d statements: %v", maxStatements, err)
	}
}

// TestFewerStatements verifies that a file with less than half of the statements does not replace an older one, and
// that a damaged one is replaced by any.
func TestFewerStatements(t *testing.T) {
	dir, key := t.TempDir(), Key{2025, company.SmallForm}
	complete := func(statements int) error {
		b, err := NewBuilder(dir)
		testkit.NoError(t, err)
		defer b.Close()

		for n := range statements {
			testkit.NoError(t, b.Add(&Statement{CUI: invented.CUI(n + 1)}))
		}
		if err := b.Complete(File{Key: key}); err != nil {
			return err
		}

		return b.Commit()
	}

	testkit.NoError(t, complete(9))
	if err := complete(4); !errors.Is(err, ErrFormat) || countIn(dir, key) != 9 {
		t.Errorf("4 statements in place of 9: %v, %d are left", err, countIn(dir, key))
	}
	testkit.NoError(t, complete(5))
	testkit.NoError(t, os.Truncate(Path(dir, key), 10))
	testkit.NoError(t, complete(1))
}

// TestInterruptedFirstLine verifies that a file is not refused when it breaks off in its first line, because a refused
// file is not fetched again.
func TestInterruptedFirstLine(t *testing.T) {
	broken := errors.New("the connection broke")
	file := io.MultiReader(strings.NewReader("CUI,CA"), iotest.ErrReader(broken))
	if _, err := Read(file, mustLegend(t, Key{2025, company.SmallForm}, general...), nil); !errors.Is(err, broken) ||
		errors.Is(err, ErrFormat) {
		t.Errorf("the error is %v", err)
	}
}
