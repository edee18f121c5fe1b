package upload

import (
	"context"
	"io"
	"runtime"
	"time"

	"github.com/rodata/rodata/op/problem"
)

const (
	// maxSteps is the maximum number of steps: XML tokens and attributes, JSON members, and cells, and each stepBytes
	// of them.
	maxSteps  = 100_000_000
	stepBytes = 64
	// maxWork is the maximum time spent on a file, without the time in which other files have their turn.
	maxWork = 20 * time.Second
	// maxExpanded is the maximum size of all rows in bytes. A small file may expand to much more, since many cells can
	// share a text. Each cell counts cellCost bytes besides its text.
	maxExpanded = 256 << 20
	cellCost    = 16
	// turnSteps is the number of steps between two checks of the clock, and turnTime the length of a turn.
	turnSteps = 256
	turnTime  = 10 * time.Millisecond
)

// turns is a semaphore with a slot for each file that is being read. Files take turns on half of the processors, so
// that neither a small file nor any other call waits for a large one.
var turns = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))

// TakeTurn waits until the caller may read a file, or do other work on the rows of a file that may be large. The turn
// lasts until end is called. The error is that of the context.
func TakeTurn(ctx context.Context) (end func(), err error) {
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// budget bounds the work for a file, and lets other files have their turn.
type budget struct {
	ctx             context.Context // of the one call of Read
	endTurn         func()          // nil between two turns
	began           time.Time       // of the turn
	work            time.Duration
	steps, unlooked int
	expanded        int
}

// begin waits for a turn.
func (b *budget) begin() error {
	end, err := TakeTurn(b.ctx)
	if err == nil {
		b.endTurn, b.began = end, time.Now()
	}
	return err
}

// end gives up the turn.
func (b *budget) end() {
	if b.endTurn != nil {
		b.endTurn()
		b.endTurn = nil
	}
}

// step spends steps. If the turn is over, it waits for the next one.
func (b *budget) step(n int) error {
	if b.unlooked += n; b.unlooked < turnSteps {
		return nil
	}
	if b.steps += b.unlooked; b.steps > maxSteps {
		return tooMuchWork()
	}

	b.unlooked = 0
	spent := time.Since(b.began)
	if spent < turnTime {
		return context.Cause(b.ctx)
	}
	if b.work += spent; b.work > maxWork {
		return tooMuchWork()
	}

	b.end()
	return b.begin()
}

func tooMuchWork() error {
	return refuse(problem.TooLong, "a file that can be read in 20 seconds",
		"reading the file takes more than %s; send only the table, as CSV, or split it into several files", maxWork)
}

// expand spends the size of a row.
func (b *budget) expand(cells []string) error {
	b.expanded += cellCost * len(cells)
	for _, cell := range cells {
		b.expanded += len(cell)
	}

	if b.expanded > maxExpanded {
		return refuse(problem.TooLong, "a file whose rows take at most 256 MiB",
			"the rows of the file take more than %d MiB; leave out columns, or split it into several files",
			maxExpanded>>20)
	}
	return nil
}

// meter gives a parser at most as many bytes as are left for the current element.
type meter struct {
	io.Reader
	left int
	over error // once they are used up
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, m.over
	}

	n, err := m.Reader.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}

func tooLongRow(row int) error {
	return refuse(problem.TooLong, "rows of at most 1 MiB", "row %d is longer than %d MiB", rowNumber(row),
		maxRow>>20)
}
