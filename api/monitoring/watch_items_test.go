package monitoring

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
)

// Problems take much memory, so those of a table are not all held.
func TestTableOfManyProblems(t *testing.T) {
	const rows = 1_000
	file := strings.NewReader("cui\n9900000010\n" + strings.Repeat("9x\n", rows))
	in := watchCompaniesInput{Mode: AddToWatchlist,
		Table: op.BodyFile{SectionReader: io.NewSectionReader(file, 0, file.Size())}}
	w, err := in.read(t.Context(), nil, WatchLimits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}

	held := slices.DeleteFunc(slices.Clone(w.items), func(i WatchItem) bool { return i.Problem == nil })
	result := w.result(WatchOutcome{Changes: []WatchChange{WatchAdded}})
	if len(held) != mostReported || len(result.Items) != mostReported || result.Failed != rows || result.Added != 1 {
		t.Errorf("%d problems are held and %d reported of %d, and %d companies added", len(held), len(result.Items),
			result.Failed, result.Added)
	}

	in.Mode = ReplaceWatchlist
	_, err = in.read(t.Context(), nil, WatchLimits{}.WithDefaults())
	if err == nil || !strings.Contains(err.Error(), "1000 of 1001 companies are invalid") {
		t.Errorf("got %v", err)
	}
}
