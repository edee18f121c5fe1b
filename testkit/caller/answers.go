package caller

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Answers makes the calls of a text file, and compares the answers with those below them. Between blank lines there is
// a comment, which names the call, its target, and its answer: the value as show describes it, or the problem.
func (c *Caller) Answers(t *testing.T, path string, show func(value any) string) {
	t.Helper()
	var written []string
	all := 0
	for name, lines := range testkit.Blocks(t, path) {
		all++
		target, want, _ := strings.Cut(lines, "\n")
		t.Run(name, func(t *testing.T) {
			reply := c.Get(t, target)
			got := strings.TrimSpace(show(reply.Value))
			if p := reply.Problem; p != nil {
				got = fmt.Sprintf("%d %s: %s", reply.Status, p.Kind.Slug, p.Detail)
			}

			written = append(written, "# "+name+"\n"+target+"\n"+got)
			if got != want && !testkit.Update() {
				t.Errorf("%s answers\n%s\nwant\n%s", target, got, want)
			}
		})
	}

	switch {
	case !testkit.Update():
	case len(written) < all:
		t.Fatalf("%s is not updated: only %d of its %d calls were made", path, len(written), all)
	default:
		testkit.NoError(t, os.WriteFile(path, []byte(strings.Join(written, "\n\n")+"\n"), 0o644))
	}
}
