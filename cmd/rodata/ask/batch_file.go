package ask

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/op/problem"
)

// maxBytes is the maximum size of a file that gateways accept.
const maxBytes = 20 << 20

// inputFile is a file of companies.
type inputFile struct {
	name  string
	media string
	data  []byte
}

// readInput reads a file, or standard input for -.
func readInput(path string) (*inputFile, error) {
	data, err := readBounded(path)
	if path == "-" {
		path = "standard input"
	}

	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, WrongUsage("there is no file %s", path)
	case err != nil:
		return nil, fail(exitError, "reading %s: %w", path, err)
	case len(data) > maxBytes:
		return nil, WrongUsage("%s is larger than %s: split it", path, humanize.IBytes(maxBytes))
	case len(bytes.TrimSpace(data)) == 0:
		return nil, WrongUsage("%s is empty", path)
	}

	return &inputFile{name: path, media: mediaOf(path, data), data: data}, nil
}

// read parses the rows of the file, says what was recognised, and rejects one that no gateway accepts.
func (b *batchQuestion) read(ctx context.Context, s *session, each func(*upload.Row)) (upload.Table, error) {
	f := b.file
	found, err := company.ReadTable(ctx, io.NewSectionReader(bytes.NewReader(f.data), 0, int64(len(f.data))),
		upload.Options{Media: f.media, Column: b.column, DateColumn: b.dateColumn, Sheet: b.sheet},
		func(_ *upload.Table, x *upload.Row) error {
			each(x)
			return nil
		})
	if wrong, ok := errors.AsType[*problem.Problem](err); ok {
		return found, WrongUsage("%s cannot be taken: %s", f.name, asFlags(wrong.Detail))
	}
	if err == nil {
		s.say("%s", b.describeTable(&found))
	}
	return found, err
}

// choiceAtEnd is a parameter with its value, at the end of a reason.
var choiceAtEnd = regexp.MustCompile(`\?(?:column|dateColumn)=(.+)$`)

// asFlags names the flags instead of the parameters of the same choices, with values as a shell takes them.
func asFlags(reason string) string {
	isSpecial := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	if found := choiceAtEnd.FindStringSubmatch(reason); found != nil && strings.ContainsFunc(found[1], isSpecial) {
		reason = strings.TrimSuffix(reason, found[1]) + strconv.Quote(found[1])
	}
	return flagNames.Replace(reason)
}

var flagNames = strings.NewReplacer("?column=", "--column ", "?dateColumn=", "--date-column ", "dateColumn",
	"--date-column")

// describeTable tells where the table was found, and which columns decide the answers.
func (b *batchQuestion) describeTable(t *upload.Table) string {
	parts := []string{fmt.Sprintf("tax ids in %q", t.Columns[t.ID])}
	if t.Date >= 0 {
		parts = append(parts, fmt.Sprintf("dates in %q", t.Columns[t.Date]))
	} else {
		parts = append(parts, "no column of dates")
	}
	if t.Header > 0 {
		parts = append(parts, fmt.Sprintf("header in row %d", t.Header))
	}
	if t.Sheet != "" {
		parts = append(parts, fmt.Sprintf("sheet %q", t.Sheet))
	}
	if t.Delimiter != "" {
		parts = append(parts, fmt.Sprintf("delimiter %q", t.Delimiter))
	}

	return fmt.Sprintf("%s: %s; %s", b.file.name, quantity(t.Rows, "row"), strings.Join(parts, ", "))
}

// readBounded reads up to one byte more than is accepted.
func readBounded(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, maxBytes+1))
	}

	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a folder")
	}

	return io.ReadAll(io.LimitReader(file, maxBytes+1))
}

// mediaOf returns the media type of a file, judged by its name or, if that says nothing, by its first bytes.
func mediaOf(path string, data []byte) string {
	if media := upload.MediaOf(path); media != "" {
		return media
	}

	start := bytes.TrimSpace(data[:min(len(data), 64)])
	switch {
	case bytes.HasPrefix(start, []byte("PK")): // a ZIP archive
		return upload.XLSX
	case bytes.HasPrefix(start, []byte("[")):
		return upload.JSON
	case bytes.HasPrefix(start, []byte("{")):
		return upload.NDJSON
	}

	return upload.CSV
}
