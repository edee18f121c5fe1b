package upload

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// wideFiles returns a file of each format with a table of 300 rows and 4 columns.
func wideFiles() map[string]string {
	var sheet, lines strings.Builder
	for range 300 {
		sheet.WriteString(`<row><c><v>9900000010</v></c><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>`)
		lines.WriteString(`,` + "\n" + `{"cui":9900000010,"a":1,"b":2,"c":3}`)
	}

	objects := lines.String()[1:]
	return map[string]string{
		CSV:    "cui,a,b,c\n" + strings.Repeat("9900000010,1,2,3\n", 300),
		XLSX:   string(book(sheetRow("cui", "a", "b", "c") + sheet.String())),
		NDJSON: strings.ReplaceAll(objects, ",\n", "\n"),
		JSON:   "[" + objects + "]",
	}
}

// readFor reads a file while each of its 300 rows takes some time.
func readFor(ctx context.Context, media, file string, row time.Duration) error {
	_, err := Read(ctx, section(file), Options{Media: media, IsTaxID: isTaxID, IsDay: isDay},
		func(*Table, *Row) error {
			<-time.After(row)
			return nil
		})
	return err
}

// A file of any format is read for at most 20 seconds.
func TestTimeForAFile(t *testing.T) {
	for media, file := range wideFiles() {
		synctest.Test(t, func(t *testing.T) {
			if err := readFor(t.Context(), media, file, 19*time.Second/300); err != nil {
				t.Errorf("%s: a file that takes 19 seconds: %v", media, err)
			}

			began := time.Now()
			err := readFor(t.Context(), media, file, time.Second)
			took := time.Since(began)
			if !isProblem(err) || !strings.Contains(err.Error(), "more than 20s") || took > 90*time.Second {
				t.Errorf("%s: a file that takes 300 seconds: %v after %v", media, err, took)
			}
		})
	}
}

// The time in which other files have their turn does not count.
func TestTimeOfOtherFiles(t *testing.T) {
	usual := turns
	defer func() { turns = usual }()
	synctest.Test(t, func(t *testing.T) {
		turns = make(chan struct{}, 1)
		began := time.Now()
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				if err := readFor(t.Context(), CSV, wideFiles()[CSV], 15*time.Second/300); err != nil {
					t.Error(err)
				}
			})
		}

		readers.Wait()
		if took := time.Since(began); took != time.Minute {
			t.Errorf("four files of 15 seconds were read in %v", took)
		}
	})
}

// Every cell, member, token and attribute is a step, and a file has a maximum of them.
func TestStepsOfAFile(t *testing.T) {
	for media, file := range wideFiles() {
		steps, err := stepsOf(t, media, file, 0)
		least := 300 * 4
		if media == XLSX { // a row and its cells have the beginnings and ends of 9 elements, and 4 texts
			least = 300 * (2*9 + 4)
		}
		if err != nil || steps < least {
			t.Errorf("%s: %d steps, want at least %d, %v", media, steps, least, err)
		}
		if _, err := stepsOf(t, media, file, maxSteps-steps); err != nil {
			t.Errorf("%s: at the maximum: %v", media, err)
		}
		if _, err := stepsOf(t, media, file, maxSteps-steps/2); !isProblem(err) {
			t.Errorf("%s: beyond the maximum: %v", media, err)
		}
	}

	// However few they are, long ones are many steps, so that other files soon have their turn.
	const long = 30_000
	text := strings.Repeat("x", long)
	for name, file := range map[string]struct {
		media, content string
		least          int
	}{
		"attributes": {XLSX, string(book(head + strings.Repeat("<row"+strings.Repeat(` a=""`, 50)+`/>`, 100) +
			"<row><c><v>1</v></c></row>")), 100 * 50},
		"a long attribute": {XLSX, string(book(head + `<row a="` + text + `"><c><v>9900000010</v></c></row>`)),
			long / stepBytes},
		"a long cell":   {CSV, "cui,a\n9900000010," + text + "\n", long / stepBytes},
		"a long member": {JSON, `[{"cui":9900000010,"a":"` + text + `"}]`, long / stepBytes},
		"a long line":   {NDJSON, `{"cui":9900000010,"a":"` + text + `"}`, long / stepBytes},
	} {
		if steps, err := stepsOf(t, file.media, file.content, 0); err != nil || steps < file.least {
			t.Errorf("%s: %d steps, want at least %d, %v", name, steps, file.least, err)
		}
	}
}

// stepsOf returns the steps that a file takes if others were spent before.
func stepsOf(t *testing.T, media, file string, spent int) (steps int, err error) {
	b := &budget{ctx: t.Context(), steps: spent}
	testkit.NoError(t, b.begin())
	defer b.end()
	r := &reader{Options: Options{Limits: Limits{Rows: 1000}, Media: media, IsTaxID: isTaxID, IsDay: isDay},
		file: section(file), budget: b, each: func(*Table, *Row) error { return nil }}
	err = r.read()
	return b.steps + b.unlooked - spent, err
}

// The rows of a file take at most 256 MiB, however small the file is: in a workbook, many cells can share a text.
func TestExpandedRows(t *testing.T) {
	const cells = 2
	row := len("9900000010") + maxCell + cells*cellCost
	rowsOf := func(n int) string {
		return string(archive(map[string]string{
			"xl/workbook.xml":      workbookHead + "</workbook>",
			"xl/sharedStrings.xml": "<sst><si><t>" + strings.Repeat("x", maxCell) + "</t></si></sst>",
			"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + sheetRow("cui", "a") +
				strings.Repeat(`<row><c><v>9900000010</v></c><c t="s"><v>0</v></c></row>`, n) +
				"</sheetData></worksheet>",
		}))
	}
	most := maxExpanded / row
	for n, isRead := range map[int]bool{most: true, most + 1: false} {
		rows := 0
		_, err := Read(t.Context(), section(rowsOf(n)), Options{Media: XLSX, IsTaxID: isTaxID, IsDay: isDay},
			func(*Table, *Row) error { rows++; return nil })
		if (err == nil) != isRead || rows != most || !isRead && !strings.Contains(err.Error(), "256 MiB") {
			t.Errorf("of %d rows, %d were read, %v", n, rows, err)
		}
	}
}

// leavingReader calls leave when the middle half of its bytes is read, and counts the bytes that are read after that.
type leavingReader struct {
	*bytes.Reader
	leave context.CancelFunc
	has   bool // left
	later int
}

func (r *leavingReader) ReadAt(p []byte, at int64) (int, error) {
	if r.has {
		r.later += len(p)
	}
	if at > r.Size()/4 && at < r.Size()*3/4 {
		r.has = true
		r.leave()
	}
	return r.Reader.ReadAt(p, at)
}

// A caller who leaves ends the reading of any part of a workbook, also before its first row.
func TestCallerLeavesWorkbook(t *testing.T) {
	parts := map[string]string{
		"xl/workbook.xml": workbookHead + `<sheets><sheet name="a" id="r1"/>%</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/>%` +
			`</Relationships>`,
		"xl/styles.xml":        `<styleSheet>%</styleSheet>`,
		"xl/sharedStrings.xml": `<sst>%</sst>`,
		"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + sheetRow("cui") + sheetRow("9900000010") +
			"%</sheetData></worksheet>",
	}
	var texts strings.Builder
	for random := rand.NewChaCha8([32]byte{}); texts.Len() < 4<<20; {
		texts.WriteString("<si><t>" + strconv.FormatUint(random.Uint64(), 36) + "</t></si>")
	}

	for long := range parts {
		files := make(map[string]string)
		for name, content := range parts {
			text := ""
			if name == long {
				text = texts.String()
			}
			files[name] = strings.ReplaceAll(content, "%", text)
		}

		ctx, leave := context.WithCancel(t.Context())
		in := &leavingReader{Reader: bytes.NewReader(archive(files)), leave: leave}
		_, err := Read(ctx, io.NewSectionReader(in, 0, in.Size()),
			Options{Media: XLSX, IsTaxID: isTaxID, IsDay: isDay}, func(*Table, *Row) error { return nil })
		if !errors.Is(err, context.Canceled) || !in.has || in.later > 64<<10 {
			t.Errorf("%s: %v after %d more bytes of %d", long, err, in.later, in.Size())
		}
		leave()
	}
}
