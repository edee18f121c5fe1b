package upload

import (
	"bytes"

	"github.com/rodata/rodata/op/problem"
)

// The first bytes of ZIP files, and of compound files. Excel uses compound files for encrypted workbooks and for the
// format before 2007: [MS-CFB] 2.2, [MS-OFFCRYPTO] 2.3.
var (
	zipMagic      = []byte("PK\x03\x04")
	compoundMagic = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}
)

// checkContent refuses a file whose first bytes contradict its media type.
func checkContent(head []byte, media string) error {
	isZIP := bytes.HasPrefix(head, zipMagic)
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))
	switch {
	case len(text) == 0:
		return refuse(problem.Empty, "a CSV, XLSX, NDJSON or JSON file", "the file is empty")
	case bytes.HasPrefix(head, compoundMagic):
		return refuse(problem.InvalidFormat, "an XLSX workbook without a password",
			"the file is protected by a password, or in the format .xls of before 2007; save it as an XLSX workbook "+
				"without a password")
	case media == XLSX && !isZIP:
		return refuse(problem.InvalidFormat, "an XLSX workbook",
			"the file is not an XLSX workbook; send it with the Content-Type of its format")
	case media != XLSX && isZIP:
		return refuse(problem.InvalidFormat, "a text file, or an XLSX workbook with its own Content-Type",
			"the file is a ZIP archive or a workbook, and not text; send a workbook with Content-Type: %s", XLSX)
	case text[0] == '<':
		return refuse(problem.InvalidFormat, "a CSV, XLSX, NDJSON or JSON file",
			"the file is a page of HTML or XML, which some programs name .csv or .xls; open it in a spreadsheet "+
				"program, and save it as a workbook or as CSV")
	}

	return nil
}
