package caller

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

var update = flag.Bool("update", false, "write the answers in text files anew")

// Answers makes the calls of a text file, and compares the answers with those below them. Between blank lines there is
// a comment, which names the call, its target, and its answer: the value as show describes it, or the problem.
func (c *Caller) Answers(t *testing.T, path string, show func(value any) string) {
	t.Helper()
	file := strings.TrimSpace(string(testkit.Must(os.ReadFile(path))))
	var written []string
	for block := range strings.SplitSeq(file, "\n\n") {
		name, call, _ := strings.Cut(block, "\n")
		target, want, _ := strings.Cut(call, "\n")
		t.Run(strings.TrimPrefix(name, "# "), func(t *testing.T) {
			reply := c.Get(t, target)
			got := strings.TrimSpace(show(reply.Value))
			if p := reply.Problem; p != nil {
				got = fmt.Sprintf("%d %s: %s", reply.Status, p.Kind.Slug, p.Detail)
			}

			written = append(written, name+"\n"+target+"\n"+got)
			if got != want && !*update {
				t.Errorf("%s answers\n%s\nwant\n%s", target, got, want)
			}
		})
	}

	if *update {
		testkit.NoError(t, os.WriteFile(path, []byte(strings.Join(written, "\n\n")+"\n"), 0o644))
	}
}
