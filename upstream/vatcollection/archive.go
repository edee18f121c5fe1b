package vatcollection

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// errRefused marks a file with unexpected content: its format has changed, or it is damaged or far too small. The
// previous register is then still served.
var errRefused = errors.New("file refused")

// The bounds of a file. The estimate is a few hundred thousand lines of about 50 bytes.
const (
	maxArchive = 64 << 20  // bytes of the archive
	maxMember  = 256 << 20 // bytes of the member, unpacked
	maxLine    = 256       // bytes
	maxRows    = 4 << 20
	maxMembers = 100

	member = "istoric.txt"
)

// readArchive reads the rows of a daily file.
func readArchive(archive []byte) ([]row, error) {
	// Directory entries take far more memory than space in the file, so they are counted before they are read.
	if n := bytes.Count(archive, []byte("PK\x01\x02")); n > maxMembers {
		return nil, fmt.Errorf("%w: it has %d members", errRefused, n)
	}

	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}

	var names []string
	for _, f := range z.File {
		if !strings.EqualFold(path.Base(f.Name), member) {
			names = append(names, f.Name)
			continue
		}
		if f.UncompressedSize64 > maxMember {
			return nil, fmt.Errorf("%w: %s unpacks to %d bytes, more than %d", errRefused, f.Name,
				f.UncompressedSize64, maxMember)
		}
		return readMember(f)
	}

	return nil, fmt.Errorf("%w: it has no %s, but %.200q", errRefused, member, names)
}

func readMember(f *zip.File) ([]row, error) {
	content, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: opening %s: %w", errRefused, f.Name, err)
	}
	defer content.Close()

	rows, err := readLines(content)
	if err != nil {
		return nil, fmt.Errorf("%w: reading %s: %w", errRefused, f.Name, err)
	}

	return rows, nil
}

// Some lines may be malformed: a heading, and up to one in twenty.
const (
	tolerated = 10
	perRow    = 20
)

// readLines reads lines. It stops with an error as soon as too many are malformed.
func readLines(content io.Reader) ([]row, error) {
	var rows []row
	malformed, size := 0, 0
	lines := bufio.NewReaderSize(content, 64<<10)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		size += len(line)
		switch {
		case err == io.EOF && len(line) == 0 && len(rows) == 0:
			return nil, errors.New("it has no lines")
		case err == io.EOF && len(line) == 0:
			return rows, nil
		case err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("line %d: %w", number, err)
		case len(line) > maxLine:
			return nil, fmt.Errorf("line %d is longer than %d bytes", number, maxLine)
		case size > maxMember:
			return nil, fmt.Errorf("it unpacks to more than %d bytes", maxMember)
		case len(rows) == maxRows:
			return nil, fmt.Errorf("it has more than %d lines", maxRows)
		}

		r, err := parseRow(bytes.TrimSpace(line))
		if err == nil {
			rows = append(rows, r)
			continue
		}
		if malformed++; malformed > tolerated+len(rows)/perRow {
			return nil, fmt.Errorf("%d of %d lines are malformed; line %d: %w", malformed, number, number, err)
		}
	}
}
