package table

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"strconv"

	"github.com/xuri/excelize/v2"
)

// The sheets of a workbook, and the file in the archive that contains the first sheet.
const (
	dataSheet = "data"
	infoSheet = "info"
	rowsPart  = "xl/worksheets/sheet1.xml"
)

// propertiesPart is the file with the title of a workbook (ECMA-376, part 2, 11). Programs such as exceljs 4.4
// (2026-11-26) look for its elements by their prefixes and not by their namespaces. The prefixes therefore have to be
// those that Excel writes, and Excelize uses others.
const (
	propertiesPart = "docProps/core.xml"
	propertiesHead = xml.Header + `<cp:coreProperties` +
		` xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>`
	propertiesTail = `</dc:title><dc:creator>rodata</dc:creator></cp:coreProperties>`
)

// frame is the XML of the sheet "data" around its rows.
type frame struct {
	head, tail      []byte
	bold, day, time int      // styles of names, dates and times
	names           []string // of the columns: A, B, ...
}

// writeFrame writes a workbook to an archive, except for the sheet of rows, which it returns.
func writeFrame(archive *zip.Writer, columns []Column, info *Info) (f frame, err error) {
	book := excelize.NewFile()
	defer func() { err = errors.Join(err, book.Close()) }()
	if err := book.SetSheetName("Sheet1", dataSheet); err != nil {
		return f, err
	}

	dayForm, timeForm := "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
	if f.day, err = book.NewStyle(&excelize.Style{CustomNumFmt: &dayForm}); err != nil {
		return f, err
	}
	if f.time, err = book.NewStyle(&excelize.Style{CustomNumFmt: &timeForm}); err != nil {
		return f, err
	}
	if f.bold, err = book.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}}); err != nil {
		return f, err
	}
	if f.names, err = columnNames(len(columns)); err != nil {
		return f, err
	}
	if err := setColumns(book, columns, f.names); err != nil {
		return f, err
	}
	if err := setInfo(book, info); err != nil {
		return f, err
	}

	kept := &parts{archive: archive}
	if err := book.SetZipWriter(func(io.Writer) excelize.ZipWriter { return kept }).Write(io.Discard); err != nil {
		return f, err
	}
	if err := writeProperties(archive, info.Title); err != nil {
		return f, err
	}

	head, tail, found := bytes.Cut(kept.rows.Bytes(), []byte("</sheetData>"))
	if !found {
		return f, errors.New("the workbook has no place for its rows")
	}

	f.head, f.tail = head, append([]byte("</sheetData>"), tail...)
	return f, nil
}

// writeProperties writes the title of the workbook.
func writeProperties(archive *zip.Writer, title string) error {
	part, err := archive.Create(propertiesPart)
	if err != nil {
		return err
	}

	text := bytes.NewBufferString(propertiesHead)
	if err := xml.EscapeText(text, []byte(title)); err != nil {
		return err
	}

	text.WriteString(propertiesTail)
	_, err = part.Write(text.Bytes())
	return err
}

// setColumns sets the widths of the columns and keeps their names in view. It leaves out the dimension of the sheet,
// which is unknown before the last row: some readers would ignore cells beyond a wrong one.
func setColumns(book *excelize.File, columns []Column, names []string) error {
	if err := book.SetSheetDimension(dataSheet, ""); err != nil {
		return err
	}

	for i, name := range names {
		if err := book.SetColWidth(dataSheet, name, name, columns[i].width()); err != nil {
			return err
		}
	}

	return book.SetPanes(dataSheet, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2",
		ActivePane: "bottomLeft"})
}

// width returns the width of a column in characters.
func (c *Column) width() float64 {
	least := 14
	if c.Kind == Text {
		least = 22
	}
	return float64(min(max(len(c.Name)+2, least), 60))
}

// setInfo fills the sheet "info".
func setInfo(book *excelize.File, info *Info) error {
	if _, err := book.NewSheet(infoSheet); err != nil {
		return err
	}
	if err := book.SetColWidth(infoSheet, "A", "B", 40); err != nil {
		return err
	}

	for i, note := range info.notes() {
		row := []any{note.Name, note.Text}
		if err := book.SetSheetRow(infoSheet, "A"+strconv.Itoa(i+1), &row); err != nil {
			return err
		}
	}

	return nil
}

// parts writes the files of a workbook to an archive, except for the sheet "data" and the properties.
type parts struct {
	archive *zip.Writer
	rows    bytes.Buffer
}

// Create implements [excelize.ZipWriter].
func (p *parts) Create(name string) (io.Writer, error) {
	switch name {
	case rowsPart:
		return &p.rows, nil
	case propertiesPart:
		return io.Discard, nil
	}

	return p.archive.Create(name)
}

// AddFS implements [excelize.ZipWriter].
func (p *parts) AddFS(fsys fs.FS) error { return p.archive.AddFS(fsys) }

// Close implements [excelize.ZipWriter]. The archive stays open: the rows are still to come.
func (p *parts) Close() error { return nil }
