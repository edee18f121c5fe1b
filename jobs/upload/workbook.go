package upload

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/problem"
)

const (
	// maxExpansion is the maximum ratio of a workbook's unpacked size to its file size. For tables of numbers the ratio
	// is 10.
	maxExpansion = 100
	// minBudget is the unpacked size that every workbook may have, because small workbooks consist mostly of styles.
	minBudget = 1 << 20
	// maxBudget bounds the unpacked size of any workbook: reading that much takes half a minute.
	maxBudget = 1 << 30
)

// errBomb reports a zip bomb: a workbook that exceeds its budget when it is unpacked.
var errBomb = errors.New("the workbook grows too much when it is unpacked")

// workbook is an XLSX file.
type workbook struct {
	files    map[string]*zip.File
	budget   int64 // bytes that may still be unpacked
	sheet    string
	shared   []string // texts
	dates    []bool   // whether a cell style displays days
	from1904 bool     // days are counted from 1904
}

// openWorkbook reads everything of a workbook except its sheets.
func openWorkbook(file []byte) (*workbook, error) {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, refuse(problem.Malformed, workbookForm, "the workbook is damaged: its ZIP directory cannot be read")
	}

	w := &workbook{files: make(map[string]*zip.File, len(archive.File)),
		budget: min(max(maxExpansion*int64(len(file)), minBudget), maxBudget)}
	for _, f := range archive.File {
		const encrypted = 1 // APPNOTE 4.4.4
		if f.Flags&encrypted != 0 {
			return nil, refuse(problem.InvalidFormat, workbookForm,
				"the file is protected by a password; save it without one")
		}

		w.files[strings.TrimPrefix(f.Name, "/")] = f
	}

	for _, read := range []func() error{w.findSheet, w.readShared, w.readStyles} {
		if err := read(); err != nil {
			return nil, problemOf(err)
		}
	}

	return w, nil
}

// problemOf returns the problem of a workbook that could not be read. It returns other errors unchanged.
func problemOf(err error) error {
	switch {
	case errors.Is(err, errBomb):
		return refuse(problem.TooLong, workbookForm,
			"the workbook grows to more than %d times its size, or %d MiB, when it is unpacked; send the table as CSV",
			maxExpansion, maxBudget>>20)
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm), errors.Is(err, zip.ErrChecksum),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isSyntax(err):
		return refuse(problem.Malformed, workbookForm,
			"the workbook is damaged; open it in a spreadsheet program, and save it again")
	}

	return err
}

func isSyntax(err error) bool {
	_, syntax := errors.AsType[*xml.SyntaxError](err)
	_, tag := errors.AsType[xml.UnmarshalError](err)
	_, number := errors.AsType[*strconv.NumError](err)
	_, deflate := errors.AsType[flate.CorruptInputError](err)
	return syntax || tag || number || deflate
}

// open unpacks a file of the archive.
func (w *workbook) open(name string) (io.ReadCloser, error) {
	f := w.files[name]
	if f == nil {
		return nil, refuse(problem.Malformed, workbookForm, "the file is not a workbook: it has no %s", name)
	}
	if f.UncompressedSize64 > uint64(w.budget) {
		return nil, problemOf(errBomb)
	}

	content, err := f.Open()
	if err != nil {
		return nil, problemOf(err)
	}

	return &budgetReader{content, w}, nil
}

// budgetReader reads a file of a workbook within the workbook's budget.
type budgetReader struct {
	io.ReadCloser
	workbook *workbook
}

func (r *budgetReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.workbook.budget -= int64(n); r.workbook.budget < 0 {
		return 0, errBomb
	}
	return n, err
}

// decode reads a small file of the archive into a value. If the file is missing, the value stays unchanged.
func (w *workbook) decode(name string, into any) error {
	if w.files[name] == nil {
		return nil
	}

	content, err := w.open(name)
	if err != nil {
		return err
	}
	defer content.Close()

	return xml.NewDecoder(content).Decode(into)
}

const workbookFile = "xl/workbook.xml"

// findSheet finds the file of the first visible sheet.
func (w *workbook) findSheet() error {
	var book struct {
		Properties struct {
			From1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			State    string `xml:"state,attr"`
			Relation string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	if w.files[workbookFile] == nil {
		return refuse(problem.InvalidFormat, workbookForm, "the file is a ZIP archive, but not an XLSX workbook")
	}
	if err := w.decode(workbookFile, &book); err != nil {
		return err
	}

	w.from1904 = book.Properties.From1904 == "1" || book.Properties.From1904 == "true"

	var relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := w.decode("xl/_rels/workbook.xml.rels", &relations); err != nil {
		return err
	}

	for _, sheet := range book.Sheets {
		if sheet.State != "" && sheet.State != "visible" {
			continue
		}

		for _, r := range relations.All {
			if r.ID != sheet.Relation {
				continue
			}
			if w.sheet = path.Join("xl", r.Target); strings.HasPrefix(r.Target, "/") {
				w.sheet = strings.TrimPrefix(r.Target, "/")
			}
			return nil
		}
	}

	w.sheet = "xl/worksheets/sheet1.xml"
	return nil
}
