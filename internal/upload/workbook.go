package upload

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path"
	"strings"

	"github.com/rodata/rodata/op/problem"
)

const workbookForm = "an XLSX workbook (ECMA-376) with a table"

const (
	// maxExpansion is the maximum ratio of a workbook's unpacked size to its file size. For tables of numbers the ratio
	// is 10.
	maxExpansion = 100
	// minUnpacked is the unpacked size that every workbook may have, because small workbooks consist mostly of styles.
	minUnpacked = 1 << 20
	// maxUnpacked bounds the unpacked size of any workbook: reading that much takes half a minute.
	maxUnpacked = 1 << 30
	// maxDirectory bounds the size of the archive's directory: each entry takes several hundred bytes in memory.
	maxDirectory = 1 << 20
	maxSheets    = 1_000
	// maxSheetName is the maximum size of the names of a sheet and its file in bytes. Excel permits 31 characters.
	maxSheetName = 1_000
)

// workbook is an XLSX file.
type workbook struct {
	budget   *budget
	files    map[string]*zip.File
	unpacked int64 // bytes that may still be unpacked
	sheets   []sheet
	shared   texts
	dates    []bool // whether a cell style displays days
	from1904 bool   // days are counted from 1904
}

// sheet is a sheet of a workbook.
type sheet struct {
	name, relation, file string
	hidden               bool
}

// openWorkbook reads everything of a workbook except its rows. The workbook must be closed, also after an error.
func (r *reader) openWorkbook() (*workbook, error) {
	w := &workbook{budget: r.budget, files: make(map[string]*zip.File),
		unpacked: min(max(maxExpansion*r.file.Size(), minUnpacked), maxUnpacked)}
	directory := &boundedReaderAt{r.file, 2 * maxDirectory}
	archive, err := zip.NewReader(directory, r.file.Size())
	if err != nil {
		return w, refuse(problem.Malformed, workbookForm, "the workbook is damaged: its ZIP directory cannot be read")
	}

	directory.left = math.MaxInt64 // the files have their own bound
	for _, f := range archive.File {
		const encrypted = 1 // APPNOTE 4.4.4
		if f.Flags&encrypted != 0 {
			return w, refuse(problem.InvalidFormat, workbookForm,
				"the file is protected by a password; save it without one")
		}

		w.files[strings.TrimPrefix(f.Name, "/")] = f
	}

	if err := w.readSheets(); err != nil {
		return w, err
	}
	if err := w.readStyles(); err != nil {
		return w, err
	}
	return w, w.readShared(r.Temp)
}

func (w *workbook) close() { w.shared.close() }

// boundedReaderAt reads at most a number of bytes.
type boundedReaderAt struct {
	io.ReaderAt
	left int64
}

func (r *boundedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, errors.New("the directory is too large")
	}
	return r.ReaderAt.ReadAt(p, at)
}

// read calls a function with each element in a file of the archive that begins. If the file is missing, it does
// nothing.
func (w *workbook) read(name string, do func(p *part, e xml.StartElement) error) error {
	if w.files[name] == nil {
		return nil
	}

	p, err := w.open(name)
	if err != nil {
		return err
	}
	defer p.close()

	for {
		t, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := t.(xml.StartElement); ok {
			if err := do(p, e); err != nil {
				return err
			}
		}
	}
}

// readSheets finds the files of the sheets (ECMA-376 part 1, 18.2.20).
func (w *workbook) readSheets() error {
	const book = "xl/workbook.xml"
	if w.files[book] == nil {
		return refuse(problem.InvalidFormat, workbookForm, "the file is a ZIP archive, but not an XLSX workbook")
	}

	err := w.read(book, func(_ *part, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			is := attribute(e, "date1904")
			w.from1904 = is == "1" || is == "true"
		case "sheet":
			state := attribute(e, "state")
			s := sheet{name: attribute(e, "name"), relation: attribute(e, "id"),
				hidden: state != "" && state != "visible"}
			if max(len(s.name), len(s.relation)) > maxSheetName {
				return refuse(problem.TooLong, workbookForm, "the name of a sheet has more than %d characters",
					maxSheetName)
			}
			if w.sheets = append(w.sheets, s); len(w.sheets) > maxSheets {
				return refuse(problem.TooMany, workbookForm, "the workbook has more than %d sheets", maxSheets)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(w.sheets) == 0 {
		w.sheets = []sheet{{name: "1", file: "xl/worksheets/sheet1.xml"}}
		return nil
	}

	files := make(map[string]string, len(w.sheets)) // by relation
	for _, s := range w.sheets {
		files[s.relation] = ""
	}

	err = w.read("xl/_rels/workbook.xml.rels", func(_ *part, e xml.StartElement) error {
		id, target := attribute(e, "Id"), attribute(e, "Target")
		if _, isWanted := files[id]; isWanted && e.Name.Local == "Relationship" && len(target) <= maxSheetName {
			files[id] = path.Join("/xl", target)
			if strings.HasPrefix(target, "/") {
				files[id] = path.Clean(target)
			}
		}
		return nil
	})
	for i := range w.sheets {
		w.sheets[i].file = strings.TrimPrefix(files[w.sheets[i].relation], "/")
	}
	return err
}

// maxStyles is the maximum number of cell styles in a workbook
// (https://support.microsoft.com, Excel specifications and limits, 2026-11-26).
const maxStyles = 65_490

// readStyles reads which cell styles display days (ECMA-376 part 1, 18.8).
func (w *workbook) readStyles() error {
	codes, inCells := make(map[int]bool), false // the formats that display days
	return w.read("xl/styles.xml", func(_ *part, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id := number(attribute(e, "numFmtId")); id >= 0 && len(codes) < maxStyles {
				codes[id] = isDateCode(attribute(e, "formatCode"))
			}
		case "cellXfs", "cellStyleXfs":
			inCells = e.Name.Local == "cellXfs"
		case "xf":
			if id := number(attribute(e, "numFmtId")); inCells && len(w.dates) < maxStyles {
				w.dates = append(w.dates, codes[id] || isDateFormat(id))
			}
		case "dxf":
			inCells = false
		}
		return nil
	})
}

// isDateFormat reports whether a built-in number format displays days or times (ECMA-376 part 1, 18.8.30).
func isDateFormat(id int) bool {
	return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58
}

// isDateCode reports whether a number format displays days or times: by the letters of its code outside quotation marks
// and brackets.
func isDateCode(code string) bool {
	if strings.EqualFold(code, "General") {
		return false
	}

	inQuotes, inBrackets, escaped := false, false, false
	for _, c := range strings.ToLower(code) {
		switch {
		case escaped:
			escaped = false
		case c == '\\' || c == '_' || c == '*':
			escaped = true
		case c == '"':
			inQuotes = !inQuotes
		case inQuotes:
		case c == '[':
			inBrackets = true
		case c == ']':
			inBrackets = false
		case !inBrackets && strings.ContainsRune("ymdhs", c):
			return true
		}
	}

	return false
}
