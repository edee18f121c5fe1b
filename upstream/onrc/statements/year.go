package statements

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"

	"github.com/google/renameio/v2"

	"github.com/rodata/rodata/ro"
)

const (
	magic     = "rodatast"
	headSize  = int64(len(magic)) + 8
	entrySize = 12
	// maxFigures is the maximum encoded length of one statement's figures.
	maxFigures = (1 + Indicators) * binary.MaxVarintLen64
)

// errDamaged marks a file with unexpected content.
var errDamaged = errors.New("the file of statements is damaged")

// Builder collects the statements of a year and writes their file.
type Builder struct {
	entries []entry
	figures []byte
}

type entry struct {
	cui ro.CUI
	at  uint32
}

// Add adds a statement. If there are several for a company, the first one counts.
func (b *Builder) Add(s Statement) {
	if len(b.figures) > math.MaxUint32-maxFigures {
		return // the limit is forty times the largest year
	}

	b.entries = append(b.entries, entry{s.CUI, uint32(len(b.figures))})
	code, _ := strconv.ParseUint(s.Activity, 10, 16) // empty is zero
	b.figures = binary.AppendUvarint(b.figures, code)
	for _, v := range s.Figures {
		b.figures = binary.AppendVarint(b.figures, v)
	}
}

// Len returns the number of statements, including repeated ones.
func (b *Builder) Len() int { return len(b.entries) }

// Write writes the file. It replaces an existing file atomically.
func (b *Builder) Write(path string) error {
	slices.SortStableFunc(b.entries, func(a, b entry) int { return cmp.Compare(a.cui, b.cui) })
	b.entries = slices.CompactFunc(b.entries, func(a, b entry) bool { return a.cui == b.cui })
	file := make([]byte, 0, int(headSize)+len(b.entries)*entrySize+len(b.figures)+4)
	file = binary.LittleEndian.AppendUint64(append(file, magic...), uint64(len(b.entries)))
	for _, e := range b.entries {
		file = binary.LittleEndian.AppendUint64(file, uint64(e.cui))
		file = binary.LittleEndian.AppendUint32(file, e.at)
	}

	file = append(file, b.figures...)
	file = binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE(file))
	return renameio.WriteFile(path, file, 0o600, renameio.WithTempDir(filepath.Dir(path)))
}

// yearFile is an open file of a year.
type yearFile struct {
	year int
	file *os.File
	n    int64
}

// openYear opens a file and checks that its length is possible. Its checksum is verified when the whole file is read.
func openYear(path string, year int) (*yearFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}

	y := &yearFile{year: year, file: file}
	head := make([]byte, headSize)
	info, err := file.Stat()
	if err == nil {
		_, err = file.ReadAt(head, 0)
	}

	if err == nil {
		count := binary.LittleEndian.Uint64(head[len(magic):])
		y.n = int64(count)
		if string(head[:len(magic)]) != magic || count > uint64(info.Size()) || headSize+y.n*entrySize+4 > info.Size() {
			err = errDamaged
		}
	}

	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the statements of %d: %w", year, err), file.Close())
	}

	return y, nil
}

// entry reads the entry at a position.
func (y *yearFile) entry(i int) (entry, error) {
	var record [entrySize]byte
	if _, err := y.file.ReadAt(record[:], headSize+int64(i)*entrySize); err != nil {
		return entry{}, err
	}
	return entry{ro.CUI(binary.LittleEndian.Uint64(record[:])), binary.LittleEndian.Uint32(record[8:])}, nil
}

// find returns the statement of a company. It reports false if there is none.
func (y *yearFile) find(cui ro.CUI) (s Statement, found bool, err error) {
	i, found := sort.Find(int(y.n), func(i int) int {
		e, failed := y.entry(i)
		err = cmp.Or(err, failed)
		return cmp.Compare(cui, e.cui)
	})
	if err != nil || !found {
		return s, false, err
	}

	e, err := y.entry(i)
	if err != nil {
		return s, false, err
	}

	s, err = y.statement(e)
	return s, err == nil, err
}

func (y *yearFile) statement(e entry) (Statement, error) {
	body := make([]byte, maxFigures)
	n, err := y.file.ReadAt(body, headSize+y.n*entrySize+int64(e.at))
	if err != nil && err != io.EOF {
		return Statement{}, err
	}

	s, ok := readFigures(body[:n])
	if !ok {
		return s, errDamaged
	}

	s.CUI, s.Year = e.cui, y.year
	return s, nil
}

// readFigures decodes the figures at the start of some bytes.
func readFigures(body []byte) (s Statement, ok bool) {
	code, n := binary.Uvarint(body)
	if n <= 0 || code >= 10_000 {
		return s, false
	}
	if code > 0 {
		s.Activity = fmt.Sprintf("%04d", code)
	}

	body = body[n:]
	for i := range s.Figures {
		if s.Figures[i], n = binary.Varint(body); n <= 0 {
			return s, false
		}
		body = body[n:]
	}

	return s, true
}

// addActivities adds the activities of the companies that are not in a map yet.
func (y *yearFile) addActivities(to map[ro.CUI]uint16) error {
	body, err := io.ReadAll(io.NewSectionReader(y.file, 0, math.MaxInt64))
	if err != nil {
		return err
	}
	if len(body) < 4 || crc32.ChecksumIEEE(body[:len(body)-4]) != binary.LittleEndian.Uint32(body[len(body)-4:]) {
		return fmt.Errorf("reading the statements of %d: %w", y.year, errDamaged)
	}

	entries, figures := body[headSize:headSize+y.n*entrySize], body[headSize+y.n*entrySize:]
	for ; len(entries) > 0; entries = entries[entrySize:] {
		at := binary.LittleEndian.Uint32(entries[8:])
		code, n := binary.Uvarint(figures[min(int(at), len(figures)):])
		cui := ro.CUI(binary.LittleEndian.Uint64(entries))
		if _, known := to[cui]; !known && n > 0 && code > 0 && code < 10_000 {
			to[cui] = uint16(code)
		}
	}

	return nil
}
