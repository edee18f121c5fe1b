package table

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/xuri/excelize/v2"
)

// The sheets of a workbook.
const (
	dataSheet = "data"
	infoSheet = "info"
)

// MaxXLSXRows is the maximum number of rows of a sheet, including the row of names
// (https://support.microsoft.com, Excel specifications and limits, 2026-11-23).
const MaxXLSXRows = excelize.TotalRows

// ErrTooManyRows is returned when a workbook has more rows than its format permits.
var ErrTooManyRows = fmt.Errorf("a sheet of a workbook holds at most %d rows; CSV and Parquet hold more", MaxXLSXRows)

// exactDigits is the number of decimal digits that a workbook keeps of a number: cells are 64-bit floats.
const exactDigits = 15

// firstExcelDay is the first day that Excel numbers as the calendar does: it takes 1900 for a leap year.
var firstExcelDay = time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC)

// xlsxWriter writes a workbook.
type xlsxWriter struct {
	to      io.Writer
	file    *excelize.File
	data    *excelize.StreamWriter
	columns []Column
	info    Info
	day     int // style of dates
	rows    int
	row     []any
	err     error
}

// NewXLSX returns a Writer of a workbook. Its sheet "data" has the names of the columns in a row that stays in view,
// and its sheet "info" says where the rows come from. Texts are never formulas. Rows beyond a few megabytes are kept in
// a temporary file until Close, which writes the workbook. A row too many is [ErrTooManyRows].
func NewXLSX(w io.Writer, columns []Column, info Info) Writer {
	x := &xlsxWriter{to: w, file: excelize.NewFile(), columns: columns, info: info, row: make([]any, len(columns))}
	x.err = x.begin()
	return x
}

// begin writes what comes before the rows.
func (x *xlsxWriter) begin() (err error) {
	if err := x.file.SetSheetName("Sheet1", dataSheet); err != nil {
		return err
	}
	if err := x.file.SetDocProps(&excelize.DocProperties{Title: x.info.Title, Creator: "rodata"}); err != nil {
		return err
	}
	form := "yyyy-mm-dd"
	if x.day, err = x.file.NewStyle(&excelize.Style{CustomNumFmt: &form}); err != nil {
		return err
	}
	bold, err := x.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	if x.data, err = x.file.NewStreamWriter(dataSheet); err != nil {
		return err
	}

	for i, column := range x.columns {
		if err := x.data.SetColWidth(i+1, i+1, column.width()); err != nil {
			return err
		}
		x.row[i] = excelize.Cell{StyleID: bold, Value: column.Name}
	}
	header := &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}
	if err := x.data.SetPanes(header); err != nil {
		return err
	}
	return x.add()
}

// width is the width of a column in characters.
func (c *Column) width() float64 {
	least := 14
	if c.Kind == Text {
		least = 22
	}
	return float64(min(max(len(c.Name)+2, least), 60))
}

// add writes the row that is prepared.
func (x *xlsxWriter) add() error {
	if x.rows == MaxXLSXRows {
		return ErrTooManyRows
	}
	x.rows++
	return x.data.SetRow("A"+strconv.Itoa(x.rows), x.row)
}

// Write implements Writer.
func (x *xlsxWriter) Write(cells []string) error {
	if x.err != nil {
		return x.err
	}
	if x.err = checkWidth(cells, x.columns); x.err != nil {
		return x.err
	}
	for i, cell := range cells {
		x.row[i] = x.value(x.columns[i].Kind, cell)
	}
	x.err = x.add()
	return x.err
}

// value converts a cell for excelize: nil for an empty one, and a text if the column's type cannot hold it.
func (x *xlsxWriter) value(kind Kind, cell string) any {
	if cell == "" {
		return nil
	}
	switch kind {
	case Integer:
		if n, err := strconv.ParseInt(cell, 10, 64); err == nil && len(cell) <= exactDigits {
			return n
		}
	case Number:
		if n, err := strconv.ParseFloat(cell, 64); err == nil && finite(n) {
			return n
		}
	case Date:
		if day, err := time.Parse(time.DateOnly, cell); err == nil && !day.Before(firstExcelDay) {
			return excelize.Cell{StyleID: x.day, Value: day}
		}
	case Flag:
		if yes, err := parseFlag(cell); err == nil {
			return yes
		}
	}
	return cell
}

// Close implements Writer.
func (x *xlsxWriter) Close() error {
	if x.err == nil {
		x.err = x.finish()
	}
	err := errors.Join(x.err, x.file.Close())
	x.err = errors.New("the workbook is closed")
	return err
}

func (x *xlsxWriter) finish() error {
	if err := x.data.Flush(); err != nil {
		return err
	}
	if _, err := x.file.NewSheet(infoSheet); err != nil {
		return err
	}
	if err := x.file.SetColWidth(infoSheet, "A", "B", 40); err != nil {
		return err
	}

	for i, note := range x.info.notes() {
		row := []any{note.Name, note.Text}
		if err := x.file.SetSheetRow(infoSheet, "A"+strconv.Itoa(i+1), &row); err != nil {
			return err
		}
	}
	return x.file.Write(x.to)
}
