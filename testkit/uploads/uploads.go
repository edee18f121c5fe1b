// Package uploads makes small files that are meant to take as much memory or time as possible when they are read.
package uploads

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/testkit"
)

// File is a crafted file.
type File struct {
	Name, Media string
	// IsRead reports that the file has a table within the limits, which must be read and not refused.
	IsRead bool
	// Make returns the content.
	Make func() string
}

// The names of XML namespaces.
const (
	main      = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	office    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packaging = "http://schemas.openxmlformats.org/package/2006/"
)

// Parts of a workbook.
const (
	bookHead  = `<workbook ` + main + ` xmlns:r="` + office + `"><sheets>`
	bookTail  = `</sheets></workbook>`
	linksHead = `<Relationships xmlns="` + packaging + `relationships">`
	linksTail = `</Relationships>`
	link      = `<Relationship Id="r1" Type="` + office + `/worksheet" Target="worksheets/sheet1.xml"/>`
	sheetHead = `<worksheet ` + main + `><sheetData><row><c t="inlineStr"><is><t>cui</t></is></c></row>`
	sheetTail = `</sheetData></worksheet>`
	id        = `<c><v>9900000010</v></c>`
	row       = "<row>" + id + "</row>"
)

// IsFull reports whether the environment requests files of full size: RODATA_TEST_UPLOADS=full.
func IsFull() bool { return os.Getenv("RODATA_TEST_UPLOADS") == "full" }

// Files returns crafted files. At full size they are those that took a gateway of 2 GiB down; otherwise they are fifty
// times smaller. See IsFull.
func Files(tb testing.TB) []File {
	tb.Helper()
	full, long, names := IsFull(), strings.Repeat("x", 150_000), 8
	if full {
		names = 80
	}
	many := func(text string, times int) string {
		if !full {
			times /= 50
		}
		return strings.Repeat(text, times)
	}
	rows := func(rows string) string { return workbook(tb, map[string]string{"worksheets/sheet1.xml": rows}) }
	texts := func(texts, rows string) string {
		return workbook(tb, map[string]string{"worksheets/sheet1.xml": sheetHead + rows + sheetTail,
			"sharedStrings.xml": "<sst " + main + ">" + texts + "</sst>"})
	}

	return []File{
		{"elements nested in elements", upload.XLSX, false, func() string { return rows(many("<a>", 20_000_000)) }},
		{"one text of many elements", upload.XLSX, true, func() string {
			return texts("<si>"+many("<t/>", 5_000_000)+"</si>", row)
		}},
		{"many empty texts", upload.XLSX, !full, func() string { return texts(many("<si/>", 5_000_000), row) }},
		{"one row of many attributes", upload.XLSX, false, func() string {
			return rows(sheetHead + "<row" + many(` a=""`, 3_000_000) + ">" + id)
		}},
		{"nested elements of many namespaces", upload.XLSX, false, func() string {
			return rows(sheetHead + strings.Repeat("<a "+strings.Repeat(`xmlns:a="" `, 18_000)+">", 28))
		}},
		{"one endless text", upload.XLSX, false, func() string {
			return rows(sheetHead + "<row><c><v>" + many("9", 60_000_000))
		}},
		{"many sheets with many relations", upload.XLSX, false, func() string {
			return workbook(tb, map[string]string{
				"workbook.xml":            bookHead + many(`<sheet name="a" r:id="b"/>`, 200_000) + bookTail,
				"_rels/workbook.xml.rels": linksHead + many(`<Relationship Id="a"/>`, 60_000) + linksTail,
			})
		}},
		{"long names of sheets", upload.XLSX, false, func() string {
			return workbook(tb, map[string]string{
				"workbook.xml": bookHead + strings.Repeat(`<sheet name="`+long+`" r:id="r1"/>`, names) + bookTail})
		}},
		{"long names of files", upload.XLSX, false, func() string {
			var sheets, links strings.Builder
			for i := range names {
				fmt.Fprintf(&sheets, `<sheet name="a" r:id="r%d"/>`, i)
				fmt.Fprintf(&links, `<Relationship Id="r%d" Target="%s"/>`, i, long)
			}
			return workbook(tb, map[string]string{"workbook.xml": bookHead + sheets.String() + bookTail,
				"_rels/workbook.xml.rels": linksHead + links.String() + linksTail})
		}},
		{"long names of formats", upload.XLSX, true, func() string {
			var formats strings.Builder
			for i := range names {
				fmt.Fprintf(&formats, `<numFmt numFmtId="%s%d" formatCode="d"/>`, long, i)
			}
			return workbook(tb, map[string]string{"styles.xml": "<styleSheet " + main + "><numFmts>" +
				formats.String() + "</numFmts></styleSheet>"})
		}},
		{"many styles", upload.XLSX, true, func() string {
			return workbook(tb, map[string]string{"styles.xml": "<styleSheet " + main + "><cellXfs>" +
				many(`<xf numFmtId="14"/>`, 3_000_000) + "</cellXfs></styleSheet>"})
		}},
		{"one long text in many cells", upload.XLSX, !full, func() string {
			return texts("<si><t>"+strings.Repeat("x", 32_767)+"</t></si>",
				many("<row>"+id+`<c t="s"><v>0</v></c></row>`, 42_000))
		}},
		{"long texts in turn", upload.XLSX, false, func() string { return texts(randomTexts(), textRows(700)) }},
		{"cells far to the right", upload.XLSX, !full, func() string {
			return texts("", many("<row>"+id+`<c r="ALL1"><v>1</v></c></row>`, 199_999))
		}},
		{"a directory of many files", upload.XLSX, false, func() string { return directory(tb, many("x", 400_000)) }},
		{"one line of delimiters", upload.CSV, true, func() string {
			return "cui\n" + many(",", 10_000_000) + "\n9900000010\n"
		}},
		{"one line of cells", upload.CSV, false, func() string { return "cui\n" + many("1,", 10_000_000) }},
		{"a quotation mark that is not closed", upload.CSV, false, func() string {
			return "cui\n\"" + many("x\n", 10_000_000)
		}},
		{"long names", upload.NDJSON, false, func() string {
			return `{"cui":9900000010,"` + many("x", 1_000_000) + `":1}`
		}},
		{"one endless element", upload.JSON, false, func() string { return "[" + many("[", 20_000_000) }},
		{"one element of many members", upload.JSON, false, func() string {
			return "[{" + many(`"a":1,`, 3_000_000) + `"cui":9900000010}]`
		}},
		{"many rows of many members", upload.NDJSON, true, func() string { return many(members()+"\n", 1_500) }},
		{"many rows", upload.CSV, true, func() string { return many("9900000010\n", 200_000) }},
	}
}

// turns is the number of texts that textRows refers to: a compressor does not look back as far as the last use of one.
const turns = 4

// randomTexts returns shared texts of the maximum length, which hardly compress.
func randomTexts() string {
	var all strings.Builder
	random := rand.New(rand.NewChaCha8([32]byte{}))
	for range turns {
		all.WriteString("<si><t>")
		for range 32_767 {
			all.WriteRune(rune('一' + random.IntN(20_000)))
		}
		all.WriteString("</t></si>")
	}
	return all.String()
}

// textRows returns rows that refer to the shared texts in turn.
func textRows(times int) string {
	var rows strings.Builder
	for i := range turns {
		fmt.Fprintf(&rows, `<row>%s<c t="s"><v>%d</v></c></row>`, id, i)
	}
	return strings.Repeat(rows.String(), times)
}

// members returns an object with as many members as a table may have columns.
func members() string {
	var object strings.Builder
	object.WriteString(`{"cui":9900000010`)
	for i := range 999 {
		fmt.Fprintf(&object, `,"m%d":%d`, i, i)
	}
	return object.String() + "}"
}

// workbook returns a workbook with these files of its folder xl instead of the usual ones. Random bytes pad it to a
// hundredth of its unpacked size, so that it is no conspicuous zip bomb.
func workbook(tb testing.TB, parts map[string]string) string {
	files := map[string]string{
		"[Content_Types].xml": `<Types xmlns="` + packaging + `content-types"><Override PartName="/xl/workbook.xml"` +
			` ContentType="` + upload.XLSX + `.main+xml"/></Types>`,
		"_rels/.rels": linksHead + `<Relationship Id="r1" Type="` + office + `/officeDocument"` +
			` Target="xl/workbook.xml"/>` + linksTail,
		"xl/workbook.xml":            bookHead + `<sheet name="a" sheetId="1" r:id="r1"/>` + bookTail,
		"xl/_rels/workbook.xml.rels": linksHead + link + linksTail,
		"xl/worksheets/sheet1.xml":   sheetHead + row + sheetTail,
	}
	size := 0
	for name, content := range parts {
		files["xl/"+name] = content
		size += len(content)
	}

	padding := make([]byte, size/90)
	_, _ = rand.NewChaCha8([32]byte{}).Read(padding) // it does not fail
	files["padding"] = string(padding)
	return archive(tb, func(w *zip.Writer) error {
		for name, content := range files {
			file, err := w.Create(name)
			if err == nil {
				_, err = io.WriteString(file, content)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// directory returns an archive with an empty file for each byte of a text, as far as a file may be uploaded.
func directory(tb testing.TB, files string) string {
	all := archive(tb, func(w *zip.Writer) error {
		for range files {
			if _, err := w.CreateHeader(&zip.FileHeader{Name: "a"}); err != nil {
				return err
			}
		}
		return nil
	})
	const most = 20 << 20
	return all[max(0, len(all)-most):]
}

func archive(tb testing.TB, fill func(w *zip.Writer) error) string {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	testkit.NoError(tb, fill(w))
	testkit.NoError(tb, w.Close())
	return out.String()
}
