package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/cmd/rodata/ask"
	"github.com/rodata/rodata/upstream/onrc"
)

// progressBar shows the progress of a load. On a terminal it redraws one line; otherwise it prints a line at intervals
// and at the end of each step.
type progressBar struct {
	out      io.Writer
	terminal bool
	step     string
	complete bool // the last line of the step was printed
	shown    time.Time
}

const (
	barWidth = 30
	logEvery = 10 * time.Second
)

func newProgressBar(out io.Writer) *progressBar {
	return &progressBar{out: out, terminal: ask.IsTerminal(out)}
}

// show draws the progress. A failed write does not end the load.
func (b *progressBar) show(p onrc.Progress) {
	now := time.Now()
	news := p.Step != b.step
	if news && b.step != "" && b.terminal {
		fmt.Fprintln(b.out)
	}

	ends := p.Total > 0 && p.Done == p.Total && (news || !b.complete)
	b.step, b.complete = p.Step, ends || b.complete && !news
	switch {
	case b.terminal:
		fmt.Fprintf(b.out, "\r%s\x1b[K", progressLine(p, now))
	case news || ends || now.Sub(b.shown) >= logEvery:
		fmt.Fprintln(b.out, progressLine(p, now))
		b.shown = now
	}
}

// end finishes the drawn line.
func (b *progressBar) end() {
	if b.terminal && b.step != "" {
		fmt.Fprintln(b.out)
	}
}

// progressLine is a progress bar, with the amounts, the speed and the remaining time.
func progressLine(p onrc.Progress, now time.Time) string {
	full := barWidth * p.Percent() / 100
	line := fmt.Sprintf("%-20s [%s%s] %3d %%", p.Step, strings.Repeat("=", full), strings.Repeat(" ", barWidth-full),
		p.Percent())
	rate := p.Rate(now)
	if p.Unit == "bytes" {
		line += fmt.Sprintf("  %s of %s, %s/s", humanize.Bytes(uint64(max(p.Done, 0))), humanize.Bytes(uint64(p.Total)),
			humanize.Bytes(uint64(max(rate, 0))))
	} else {
		line += fmt.Sprintf("  %s of %s %s, %s/s", humanize.Comma(p.Done), humanize.Comma(p.Total), p.Unit,
			humanize.Comma(int64(rate)))
	}

	if left := p.Left(now); left > 0 {
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}

	return line
}
