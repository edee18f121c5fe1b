package table

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/xuri/excelize/v2"
)

// MaxXLSXRows is the maximum number of rows of a sheet, including the row of names
// (https://support.microsoft.com, Excel specifications and limits, 2026-11-23).
const MaxXLSXRows = excelize.TotalRows

// ErrTooManyRows is returned when a workbook has more rows than its format permits.
var ErrTooManyRows = fmt.Errorf("a sheet of a workbook holds at most %d rows; CSV and Parquet hold more", MaxXLSXRows)

// errTooLarge is returned when a sheet would need ZIP64, which Excel rejects in archives that are written in one pass.
var errTooLarge = errors.New("a sheet of a workbook holds at most 4 GiB of XML; CSV and Parquet hold more")

// xlsxWriter writes a workbook in one pass. Excelize writes everything except the rows, because its own stream writer
// collects up to 16 MiB of rows and then the whole archive in memory.
type xlsxWriter struct {
	archive *zip.Writer
	sheet   io.Writer // the file in the archive that contains the rows
	frame   frame
	columns []Column
	row     xlsxRow
	rows    int
	size    int64 // of the sheet, in bytes
	err     error
}

// NewXLSX returns a Writer of a workbook. The sheet "data" has the names of the columns in its first row, which stays
// in view. The sheet "info" shows info. Texts are never stored as formulas. Rows are written as they arrive; only the
// buffers of the compressor stay in memory. Write fails with [ErrTooManyRows] after [MaxXLSXRows].
func NewXLSX(w io.Writer, columns []Column, info Info) Writer {
	x := &xlsxWriter{archive: zip.NewWriter(w), columns: columns}
	x.err = x.begin(&info)
	return x
}

// begin writes everything that precedes the rows, and the row of names.
func (x *xlsxWriter) begin(info *Info) (err error) {
	if x.frame, err = writeFrame(x.archive, x.columns, info); err != nil {
		return err
	}
	x.row.names, x.row.day, x.row.time = x.frame.names, x.frame.day, x.frame.time
	if x.sheet, err = x.archive.Create(rowsPart); err != nil {
		return err
	}
	if err := x.write(x.frame.head); err != nil {
		return err
	}

	x.row.begin(1)
	for i := range x.columns {
		x.row.text(i, x.frame.bold, x.columns[i].Name)
	}

	return x.add()
}

// add writes the prepared row.
func (x *xlsxWriter) add() error {
	if x.rows == MaxXLSXRows {
		return ErrTooManyRows
	}

	x.rows++
	return x.write(x.row.end())
}

func (x *xlsxWriter) write(text []byte) error {
	if x.size += int64(len(text)); x.size > math.MaxUint32 {
		return errTooLarge
	}

	_, err := x.sheet.Write(text)
	return err
}

// Write implements Writer.
func (x *xlsxWriter) Write(cells []string, kinds ...Kind) error {
	if x.err != nil {
		return x.err
	}
	if x.err = checkWidth(cells, x.columns); x.err != nil {
		return x.err
	}

	x.row.begin(x.rows + 1)
	for i, cell := range cells {
		kind := x.columns[i].Kind
		if i < len(kinds) {
			kind = kinds[i]
		}
		x.row.cell(i, kind, cell)
	}

	x.err = x.add()
	return x.err
}

// Close implements Writer.
func (x *xlsxWriter) Close() error {
	err := x.err
	if err == nil {
		err = x.write(x.frame.tail)
	}
	if err == nil {
		err = x.archive.Close()
	}

	x.err = errors.New("the workbook is closed")
	return err
}
