package search

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/blevesearch/mmap-go"
	"github.com/google/renameio/v2"

	"github.com/rodata/rodata/ro"
)

// A segment is a directory with the index of one release. These are its files; integers are little-endian.
const (
	recordsFile  = "records"    // the firms, one record (record.go) after the other, by doc
	offsetsFile  = "offsets"    // the first byte of each record, and the end of the last: 8 bytes each
	lexiconFile  = "lexicon"    // terms and the values of their postings (lexicon.go)
	postingsFile = "postings"   // sets of docs (posting.go)
	datesFile    = "by-date"    // order of registration (order.go)
	taxOrderFile = "by-tax-id"  // order of tax ids (order.go)
	taxIDsFile   = "tax-ids"    // docs by tax id (lookup.go)
	numbersFile  = "numbers"    // docs by register number (lookup.go)
	joinedFile   = "joined"     // docs by words written as one (lookup.go)
	manifestFile = "index.json" // written last
)

// manifest describes a segment and its files.
type manifest struct {
	Format  int                 `json:"format"`
	Release ro.Date             `json:"release"`
	Firms   int                 `json:"firms"`
	Files   map[string]fileSeal `json:"files"`
}

// Format is the version of the file format; others are rejected.
const Format = 3

// fileSeal holds the size of a file and the checksum of its beginning and end. Checking it takes microseconds and shows
// whether the file is complete.
type fileSeal struct {
	Size int64  `json:"size"`
	Ends uint32 `json:"ends"`
}

const endBytes = 4096

func seal(file io.ReaderAt, size int64) (fileSeal, error) {
	ends := make([]byte, 2*endBytes)
	n, err := file.ReadAt(ends[:endBytes], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fileSeal{}, err
	}

	m, err := file.ReadAt(ends[n:], max(0, size-endBytes))
	if err != nil && !errors.Is(err, io.EOF) {
		return fileSeal{}, err
	}

	return fileSeal{size, crc32.Checksum(ends[:n+m], castagnoli)}, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// output is a file of a segment being written.
type output struct {
	file *os.File
	*bufio.Writer
	size int64
}

func create(dir, name string) (*output, error) {
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &output{file: file, Writer: bufio.NewWriterSize(file, 256<<10)}, nil
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	o.size += int64(n)
	return n, err
}

// finish syncs the file to the disk and seals it.
func (o *output) finish() (fileSeal, error) {
	defer o.file.Close()
	if err := o.Flush(); err != nil {
		return fileSeal{}, err
	}
	if err := o.file.Sync(); err != nil {
		return fileSeal{}, err
	}

	s, err := seal(o.file, o.size)
	if err != nil {
		return fileSeal{}, err
	}

	return s, o.file.Close()
}

// writeManifest completes the segment.
func writeManifest(dir string, m manifest) error {
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(dir, manifestFile), body, 0o600, renameio.WithTempDir(dir))
}

func readManifest(dir string) (m manifest, err error) {
	body, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, fmt.Errorf("reading %s: %w", manifestFile, err)
	}
	if m.Format != Format {
		return m, fmt.Errorf("the index has format %d, this program reads format %d: load the register again", m.Format,
			Format)
	}

	return m, nil
}

// mapFile maps a file of a segment into memory after verifying its seal.
func (m manifest) mapFile(dir, name string) (mmap.MMap, error) {
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer file.Close()

	info, err := file.Stat()
	if err != nil {
		return nil, err
	}

	if s, err := seal(file, info.Size()); err != nil {
		return nil, err
	} else if s != m.Files[name] {
		return nil, fmt.Errorf("%s is damaged: it has %d bytes and checksum %08x, the manifest says %d and %08x",
			name, s.Size, s.Ends, m.Files[name].Size, m.Files[name].Ends)
	}

	if info.Size() == 0 {
		return nil, nil // an empty file cannot be mapped
	}

	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", name, err)
	}

	return data, nil
}
