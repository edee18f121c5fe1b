package table

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/rodata/rodata/testkit"
)

// The library holds a row group in memory, so a group of long texts has fewer rows than others.
func TestParquetOfLongTexts(t *testing.T) {
	const rows, columns = 200, 8
	var all []Column
	for i := range columns {
		all = append(all, Column{Name: fmt.Sprint(i)})
	}

	var file bytes.Buffer
	w := NewParquet(&file, all, Info{})
	cells := make([]string, columns)
	for row := range rows {
		for i := range cells {
			cells[i] = fmt.Sprint(row, i) + strings.Repeat("x", 32_000)
		}
		testkit.NoError(t, w.Write(cells))
	}
	testkit.NoError(t, w.Close())

	read, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	testkit.NoError(t, err)
	if read.NumRows() != rows {
		t.Errorf("got %d rows", read.NumRows())
	}
	for _, group := range read.Metadata().RowGroups {
		if size := group.TotalByteSize; size > 20<<20 {
			t.Errorf("a row group has %d rows and %d MiB", group.NumRows, size>>20)
		}
	}
}
