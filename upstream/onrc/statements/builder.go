package statements

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// maxStatements bounds the statements in a file. The largest has 0.9 million.
const maxStatements = 4 << 20

// Builder writes a file of statements. It keeps only 16 bytes of each statement in memory.
type Builder struct {
	dir     string
	path    string // of the completed file
	file    *os.File
	to      *bufio.Writer
	sum     uint32
	at      int64
	entries []entry
	buffer  []byte
}

// NewBuilder begins a file in a directory, in which only one may be written at a time.
func NewBuilder(dir string) (*Builder, error) {
	// The name is always the same, so that an interrupted run leaves one file at most.
	file, err := os.OpenFile(filepath.Join(dir, ".writing"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}

	b := &Builder{dir: dir, file: file, to: bufio.NewWriterSize(file, 64<<10)}
	return b, b.write([]byte(magic))
}

// Add adds a statement. If there are several of a company, the first one counts.
func (b *Builder) Add(s *Statement) error {
	if len(b.entries) == maxStatements { // whose figures take less than 4 GB
		return fmt.Errorf("%w: it has more than %d statements", ErrFormat, maxStatements)
	}

	code, _ := strconv.ParseUint(s.Activity, 10, 16) // empty is zero
	b.entries = append(b.entries, entry{s.CUI, uint16(code), uint32(b.at)})
	b.buffer = s.appendFigures(b.buffer[:0])
	return b.write(b.buffer)
}

// Complete completes the file. It returns ErrFormat if there are no statements, or
// less than half as many as in the older one: every company that is missing would seem not to have filed.
func (b *Builder) Complete(f File) error {
	b.path = Path(b.dir, f.Key)
	if len(b.entries) == 0 {
		return fmt.Errorf("%w: there are none in it", ErrFormat)
	}

	slices.SortFunc(b.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.cui, b.cui), cmp.Compare(a.at, b.at))
	})
	b.entries = slices.CompactFunc(b.entries, func(a, b entry) bool { return a.cui == b.cui })
	if before := countIn(b.dir, f.Key); 2*len(b.entries) < before {
		return fmt.Errorf("%w: it has %d, those loaded before are %d", ErrFormat, len(b.entries), before)
	}

	for _, e := range b.entries {
		b.buffer = binary.LittleEndian.AppendUint64(b.buffer[:0], uint64(e.cui)<<16|uint64(e.code))
		if err := b.write(binary.LittleEndian.AppendUint32(b.buffer, e.at)); err != nil {
			return err
		}
	}

	description, err := json.Marshal(f)
	if err != nil {
		return err
	}

	tail := binary.LittleEndian.AppendUint32(description, uint32(len(b.entries)))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(description)))
	if err := b.write(tail); err != nil {
		return err
	}

	_, err = b.to.Write(binary.LittleEndian.AppendUint32(nil, b.sum))
	return errors.Join(err, b.to.Flush(), b.file.Sync())
}

// Commit puts the completed file in place of an older one.
func (b *Builder) Commit() error { return os.Rename(b.file.Name(), b.path) }

// countIn returns the number of statements in the file of a key; 0 if it is missing or damaged.
func countIn(dir string, key Key) int {
	f, err := openStatements(Path(dir, key), key)
	if err != nil {
		return 0
	}
	defer f.file.Close()

	return f.n
}

// Close ends the work on the file. It removes a file that was not committed.
func (b *Builder) Close() error {
	err := os.Remove(b.file.Name())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, b.file.Close())
}

func (b *Builder) write(p []byte) error {
	b.sum = crc32.Update(b.sum, crc32.IEEETable, p)
	b.at += int64(len(p))
	_, err := b.to.Write(p)
	return err
}
