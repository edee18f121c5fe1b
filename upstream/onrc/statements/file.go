package statements

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/rodata/rodata/ro"
)

const (
	magic     = "rodatas2"
	entrySize = 12
	tailSize  = 12
	// fenced is the number of entries between two fences: a look-up reads as many at once.
	fenced = 512
)

// errDamaged marks a file with unexpected content.
var errDamaged = errors.New("the file of statements is damaged")

// File describes a file of statements, and its source at the ministry.
type File struct {
	Key Key `json:"key"`
	// Package and Resource are the names of the dataset and of the file on the portal. Date is the day on which the
	// file was last modified.
	Package  string  `json:"package"`
	Resource string  `json:"resource"`
	Date     ro.Date `json:"date,omitzero"`
	// License is CKAN's id of the package's licence, such as cc-by. It is nil if the ministry states none.
	License *string `json:"license"`
	// SHA256 is the checksum of the source, in hexadecimal.
	SHA256 string `json:"sha256"`
	// Origin changes whenever the source or its legend does.
	Origin string `json:"origin"`
	// Codes are the codes of the items in the source. They are empty for items that it lacks.
	Codes [Items]string `json:"codes"`
}

// Attribution names the source, and its licence if there is one.
func (f *File) Attribution() string {
	text := fmt.Sprintf("Ministerul Finanțelor, data.gov.ro, %s, %s", f.Package, f.Resource)
	if f.License != nil {
		text += ", " + *f.License
	}
	return text
}

// openFile is a file that is open for look-ups.
type openFile struct {
	File
	file *os.File
	n    int
	// entries is the offset of the entries, and length that of the checksum.
	entries, length int64
	fences          []ro.CUI // of every 512th entry
}

// openStatements opens the file of a key and checks its structure. Its checksum is verified when the whole file is
// read.
func openStatements(path string, key Key) (*openFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}

	f := &openFile{file: file}
	if err := f.readTail(key); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the statements of %s: %w", key, err), file.Close())
	}

	return f, nil
}

func (f *openFile) readTail(key Key) error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}

	var tail [tailSize]byte
	f.length = info.Size() - 4
	if _, err := f.file.ReadAt(tail[:], info.Size()-tailSize); err != nil {
		return errDamaged
	}

	f.n = int(binary.LittleEndian.Uint32(tail[:]))
	size := int64(binary.LittleEndian.Uint32(tail[4:]))
	described := info.Size() - tailSize - size
	f.entries = described - int64(f.n)*entrySize
	head := make([]byte, len(magic))
	if _, err := f.file.ReadAt(head, 0); err != nil || string(head) != magic || f.entries < int64(len(magic)) {
		return errDamaged
	}

	body := make([]byte, size)
	if _, err := f.file.ReadAt(body, described); err != nil {
		return err
	}
	if json.Unmarshal(body, &f.File) != nil || f.Key != key {
		return errDamaged
	}

	for i := 0; i < f.n; i += fenced {
		block, err := f.block(i, 1)
		if err != nil {
			return err
		}
		f.fences = append(f.fences, entryOf(block).cui)
	}

	return nil
}

// block reads up to count entries from a position.
func (f *openFile) block(i, count int) ([]byte, error) {
	block := make([]byte, min(count, f.n-i)*entrySize)
	_, err := f.file.ReadAt(block, f.entries+int64(i)*entrySize)
	return block, err
}

// entry locates the figures of a statement.
type entry struct {
	cui  ro.CUI
	code uint16 // of the activity
	at   uint32
}

// append encodes the entry.
func (e entry) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, uint64(e.cui)<<16|uint64(e.code))
	return binary.LittleEndian.AppendUint32(to, e.at)
}

// entryOf decodes the first entry of some.
func entryOf(body []byte) entry {
	id := binary.LittleEndian.Uint64(body)
	return entry{ro.CUI(id >> 16), uint16(id), binary.LittleEndian.Uint32(body[8:])}
}

// find returns the statement of a company, or nil if there is none.
func (f *openFile) find(cui ro.CUI) (*Statement, error) {
	at, exact := slices.BinarySearch(f.fences, cui)
	if !exact {
		at--
	}
	if at < 0 {
		return nil, nil
	}

	block, err := f.block(at*fenced, fenced)
	if err != nil {
		return nil, err
	}

	for ; len(block) > 0; block = block[entrySize:] {
		if e := entryOf(block); e.cui == cui {
			return f.statement(e)
		}
	}

	return nil, nil
}

// statement returns the statement of an entry.
func (f *openFile) statement(e entry) (*Statement, error) {
	s := &Statement{}
	if err := f.read(e, s, make([]byte, maxStatement)); err != nil {
		return nil, err
	}
	return s, nil
}

// read reads the statement of an entry. The buffer has maxStatement bytes.
func (f *openFile) read(e entry, s *Statement, buffer []byte) error {
	*s = Statement{CUI: e.cui, File: &f.File, Activity: activity(uint64(e.code))}
	n, err := f.file.ReadAt(buffer, int64(e.at))
	if err != nil && err != io.EOF {
		return err
	}

	return s.readFigures(buffer[:n])
}

// verify compares the checksum with the content.
func (f *openFile) verify() error {
	hash := crc32.NewIEEE()
	var sum [4]byte
	if _, err := io.Copy(hash, io.NewSectionReader(f.file, 0, f.length)); err != nil {
		return err
	}
	if _, err := f.file.ReadAt(sum[:], f.length); err != nil {
		return err
	}
	if hash.Sum32() != binary.LittleEndian.Uint32(sum[:]) {
		return fmt.Errorf("reading the statements of %s: %w", f.Key, errDamaged)
	}

	return nil
}

// addActivities adds the activities of the companies that are not in a map yet.
func (f *openFile) addActivities(to map[ro.CUI]uint16) error {
	if err := f.verify(); err != nil {
		return err
	}

	for e, err := range f.all() {
		if err != nil {
			return err
		}
		if _, known := to[e.cui]; !known && e.code > 0 && e.code < 10_000 {
			to[e.cui] = e.code
		}
	}

	return nil
}
