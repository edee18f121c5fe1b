package ask

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// bar shows progress by redrawing one line of a terminal. It shows nothing if the output is not a terminal.
type bar struct {
	out   io.Writer
	drawn bool
}

const barWidth = 30

func newBar(out io.Writer) *bar {
	if !IsTerminal(out) {
		return &bar{}
	}
	return &bar{out: out}
}

// show draws the progress, with the remaining seconds, if known.
func (b *bar) show(done, total int, left *int) {
	if b.out == nil {
		return
	}

	b.drawn = true
	fmt.Fprintf(b.out, "\r%s\x1b[K", barLine(done, total, left))
}

// end removes the line.
func (b *bar) end() {
	if b.drawn {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.drawn = false
	}
}

func barLine(done, total int, left *int) string {
	full := 0
	if total > 0 {
		full = barWidth * min(done, total) / total
	}

	line := fmt.Sprintf("[%s%s] %s of %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full),
		humanize.Comma(int64(done)), humanize.Comma(int64(total)))
	if left != nil && *left > 0 {
		line += fmt.Sprintf(", %s left", time.Duration(*left)*time.Second)
	}

	return line
}
