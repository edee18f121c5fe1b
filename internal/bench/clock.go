package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// clock is a clock that runs faster than real time. A program built with clockOverlay uses it, and the stand-ins can
// use it too. It is computed from the time since the machine booted (CLOCK_MONOTONIC), which all processes share.
type clock struct {
	factor int64
	booted atomic.Int64 // what the clock showed when the machine booted, as Unix time in nanoseconds
	read   func() int64 // CLOCK_MONOTONIC
}

// clockVariable is the environment variable that sets the clock of a program built with clockOverlay. Its value is the
// time that the clock showed when the machine booted, as Unix time in nanoseconds.
const clockVariable = "RODATA_TEST_CLOCK"

func newClock(factor int) *clock { return &clock{factor: int64(factor), read: monotonic} }

// set makes the clock show a time. It does not affect programs that are already running.
func (c *clock) set(t time.Time) error {
	up := c.read()
	if up > t.UnixNano()/c.factor { // the clock would have shown a time before 1970 when the machine booted
		return fmt.Errorf("the machine has been up for too long (%s) for a clock %d times as fast",
			time.Duration(up), c.factor)
	}

	c.booted.Store(t.UnixNano() - up*c.factor)
	return nil
}

func (c *clock) now() time.Time { return time.Unix(0, c.booted.Load()+c.read()*c.factor).UTC() }

// real converts a duration in real time to a duration on this clock.
func (c *clock) real(d time.Duration) time.Duration { return d * time.Duration(c.factor) }

// environment returns the environment variable that makes a program use the clock.
func (c *clock) environment() string {
	return clockVariable + "=" + strconv.FormatInt(c.booted.Load(), 10)
}

// monotonic reads CLOCK_MONOTONIC, in nanoseconds.
func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // every Linux has it
	}
	return t.Nano()
}

// clockEdit replaces a text that occurs once in a file. In the new text, %d is the factor.
type clockEdit struct{ file, old, new string }

// clockEdits speed up the clocks of the standard library, the wall clock and the monotonic clock, and with them all
// timers and deadlines. Where the runtime sleeps in the kernel, the edits convert the duration back to real time. The
// intervals of the scheduler stay in real time.
var clockEdits = []clockEdit{
	{"runtime/time_nofake.go", "\treturn nanotime1()\n", "\treturn nanotime1() * testFactor\n"},
	{"runtime/time.go", "\treturn time_now()\n", "\tsec, nsec, _ = time_now()\n\treturn sec, nsec, nanotime()\n"},
	{"runtime/netpoll_epoll.go", "\tvar waitms int32\n",
		"\tif delay > 0 {\n\t\tdelay = max(delay/testFactor, 1)\n\t}\n\tvar waitms int32\n"},
	{"runtime/os_linux.go", "\tts.setNsec(ns)\n\tfutex(", "\tts.setNsec(ns / testFactor)\n\tfutex("},
	{"runtime/proc.go", "notetsleep(&sched.stopnote, 100*1000)", "notetsleep(&sched.stopnote, 100*1000*testFactor)"},
	{"runtime/proc.go", "notetsleep(&sched.safePointNote, 100*1000)",
		"notetsleep(&sched.safePointNote, 100*1000*testFactor)"},
	{"runtime/proc.go", "forcePreemptNS = 10 * 1000 * 1000", "forcePreemptNS = 10 * 1000 * 1000 * testFactor"},
	{"time/time.go", "\tsec, nsec, mono := runtimeNow()\n",
		"\tsec, nsec, mono := runtimeNow()\n\tif testSet && mono != 0 {\n" +
			"\t\tsec, nsec = (testBooted+mono)/1e9, int32((testBooted+mono)%1e9)\n\t}\n"},
	{"time/time.go", "import (\n", "import (\n\t\"syscall\"\n"},
}

// patienceEdits edit files of this project. They keep the timeouts for PostgreSQL in real time, because PostgreSQL
// does not use the clock.
var patienceEdits = []clockEdit{
	{"metering/ledger.go", "writeTimeout = 5 * time.Second", "writeTimeout = 5 * time.Second * %d"},
	{"metering/ledger.go", "readTimeout  = 5 * time.Second", "readTimeout = 5 * time.Second * %d"},
	{"account/use.go", "finalUsesTimeout = 5 * time.Second", "finalUsesTimeout = 5 * time.Second * %d"},
	{"account/use.go", "usesTimeout      = 10 * time.Second", "usesTimeout = 10 * time.Second * %d"},
	{"account/directory.go", "lookupTimeout = 5 * time.Second", "lookupTimeout = 5 * time.Second * %d"},
	{"caddymodule/source.go", "storeTime = time.Second", "storeTime = time.Second * %d"},
	{"internal/lease/lead.go", "const Duration = 30 * time.Second", "const Duration = 30 * time.Second * %d"},
	{"internal/database/postgres.go", "silenceTimeout   = 15 * time.Second", "silenceTimeout = 15 * time.Second * %d"},
}

// clockAdditions are appended to files of the standard library.
var clockAdditions = map[string]string{
	"runtime/time_nofake.go": "\nconst testFactor = %d\n",
	"time/time.go": `
// Each clock is %d times as fast as the real one.
var testBooted, testSet = func() (n int64, set bool) {
	text, set := syscall.Getenv("` + clockVariable + `")
	for _, digit := range text {
		n = 10*n + int64(digit-'0')
	}
	return n, set
}()
`,
}

// apply edits a file of a folder. It reads the file unless an earlier edit has already added it to texts.
func (e clockEdit) apply(folder string, texts map[string]string, factor int) error {
	path := filepath.Join(folder, e.file)
	if texts[path] == "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		texts[path] = string(text)
	}

	if strings.Count(texts[path], e.old) != 1 {
		return fmt.Errorf("the clock cannot be changed: %s does not have %q exactly once", path, e.old)
	}

	texts[path] = strings.Replace(texts[path], e.old, strings.ReplaceAll(e.new, "%d", strconv.Itoa(factor)), 1)
	return nil
}

// clockOverlay writes an overlay for go build into a folder and returns its path. The overlay replaces files of the
// standard library, so the edits depend on the version of Go.
func clockOverlay(folder string, factor int) (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the standard library: %w", err)
	}

	product, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the module: %w", err)
	}

	source, module := filepath.Join(strings.TrimSpace(string(root)), "src"), strings.TrimSpace(string(product))
	texts := make(map[string]string)
	for folder, edits := range map[string][]clockEdit{source: clockEdits, module: patienceEdits} {
		for _, e := range edits {
			if err := e.apply(folder, texts, factor); err != nil {
				return "", err
			}
		}
	}

	for file, text := range clockAdditions {
		texts[filepath.Join(source, file)] += fmt.Sprintf(text, factor)
	}

	replace := make(map[string]string)
	for file, text := range texts {
		replace[file] = filepath.Join(folder, strings.ReplaceAll(file, "/", "-"))
		if err := os.WriteFile(replace[file], []byte(text), 0o600); err != nil {
			return "", err
		}
	}

	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}

	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
