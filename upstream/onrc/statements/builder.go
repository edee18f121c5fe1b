package statements

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	"github.com/blevesearch/mmap-go"
)

// maxStatements bounds the statements in a file. The largest has 0.9 million.
const maxStatements = 4 << 20

// Builder writes a file of statements. It keeps only 12 bytes of each statement in memory, which the garbage collector
// does not manage, because it would reserve as much again for garbage.
type Builder struct {
	dir     string
	path    string // of the completed file
	file    *os.File
	to      *bufio.Writer
	sum     uint32
	at      int64
	memory  mmap.MMap // for the entries
	entries entries
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
	b.memory, err = mmap.MapRegion(nil, maxStatements*entrySize, mmap.COPY, mmap.ANON, 0)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("allocating memory for the statements: %w", err), b.Close())
	}

	b.entries = entries(b.memory[:0])
	return b, b.write([]byte(magic))
}

// Add adds a statement. If there are several of a company, the first one counts.
func (b *Builder) Add(s *Statement) error {
	if len(b.entries) == len(b.memory) { // whose figures take less than 4 GB
		return fmt.Errorf("%w: it has more than %d statements", ErrFormat, maxStatements)
	}

	code, _ := strconv.ParseUint(s.Activity, 10, 16) // empty is zero
	b.entries = entry{s.CUI, uint16(code), uint32(b.at)}.append(b.entries)
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

	sort.Sort(b.entries)
	b.entries = b.entries.compact()
	if before := countIn(b.dir, f.Key); 2*b.entries.Len() < before {
		return fmt.Errorf("%w: it has %d, those loaded before are %d", ErrFormat, b.entries.Len(), before)
	}
	if err := b.write(b.entries); err != nil {
		return err
	}

	description, err := json.Marshal(f)
	if err != nil {
		return err
	}

	tail := binary.LittleEndian.AppendUint32(description, uint32(b.entries.Len()))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(description)))
	if err := b.write(tail); err != nil {
		return err
	}

	_, err = b.to.Write(binary.LittleEndian.AppendUint32(nil, b.sum))
	return errors.Join(err, b.to.Flush(), b.file.Sync())
}

// Commit puts the completed file in place of an older one.
func (b *Builder) Commit() error { return os.Rename(b.file.Name(), b.path) }

// entries are encoded entries. Their order is by CUI, and for each company that of the source.
type entries []byte

func (s entries) Len() int { return len(s) / entrySize }

func (s entries) at(i int) []byte { return s[i*entrySize : (i+1)*entrySize] }

func (s entries) Less(i, j int) bool {
	a, b := entryOf(s.at(i)), entryOf(s.at(j))
	return a.cui < b.cui || a.cui == b.cui && a.at < b.at
}

func (s entries) Swap(i, j int) {
	a := [entrySize]byte(s.at(i))
	copy(s.at(i), s.at(j))
	copy(s.at(j), a[:])
}

// compact keeps the first entry of each company.
func (s entries) compact() entries {
	kept := s[:entrySize]
	for i := 1; i < s.Len(); i++ {
		if entryOf(s.at(i)).cui != entryOf(kept[len(kept)-entrySize:]).cui {
			kept = append(kept, s.at(i)...)
		}
	}
	return kept
}

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
	return errors.Join(err, b.file.Close(), b.memory.Unmap())
}

func (b *Builder) write(p []byte) error {
	b.sum = crc32.Update(b.sum, crc32.IEEETable, p)
	b.at += int64(len(p))
	_, err := b.to.Write(p)
	return err
}
