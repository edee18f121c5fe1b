package databases

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// placeVariable is the environment variable that tells a test process to write until it is killed, and where.
const placeVariable = "RODATA_TEST_CRASH"

// acknowledgement begins a line about a completed write.
const acknowledgement = "written "

// CrashPlace reports whether this process was started by Crash to write until it is killed, and returns the place to
// write to.
func CrashPlace() (place string, crashes bool) { return os.LookupEnv(placeVariable) }

// Acknowledge tells the parent process that a write is complete.
func Acknowledge(write any) { fmt.Println(acknowledgement + fmt.Sprint(write)) }

// Crash runs the calling test in another process with a CrashPlace, and kills the process after it has acknowledged a
// number of writes and a delay has passed. It returns all acknowledged writes. Cut-off lines are not among them.
func Crash(t *testing.T, place string, writes int, delay time.Duration) (acknowledged []string) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$")
	process.Env = append(os.Environ(), placeVariable+"="+place)
	pipe, err := process.StdoutPipe()
	testkit.NoError(t, err)
	testkit.NoError(t, process.Start())

	var output string
	for lines := bufio.NewReader(pipe); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}

		write, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), acknowledgement)
		if !ok {
			output += line
			continue
		}
		if acknowledged = append(acknowledged, write); len(acknowledged) == writes {
			// The pipe keeps the acknowledgements until then.
			time.AfterFunc(delay, func() { _ = process.Process.Kill() })
		}
	}

	_ = process.Wait() // reports the kill
	if len(acknowledged) < writes {
		t.Fatalf("the process ended before it was killed, after %d writes: %s", len(acknowledged), output)
	}

	return acknowledged
}
