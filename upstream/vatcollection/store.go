package vatcollection

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// The register on disk is one line of JSON, the header, followed by the rows in order, 16 bytes each, little-endian.

func tablePath(dir string) string { return filepath.Join(dir, "vat-collection.table") }

// tableFormat is the version of the file format. If a file has another version, the register is fetched again.
const tableFormat = 1

type header struct {
	Format    int       `json:"format"`
	Day       ro.Date   `json:"day"`
	Retrieved time.Time `json:"retrieved"`
	upstream.Validators
	Rows int    `json:"rows"`
	CRC  uint32 `json:"crc32"` // of the rows
}

// loadTable reads the stored register. It returns nil if there is none, or if it has another format. A damaged file is
// renamed with the suffix .damaged.
func loadTable(path string) (*table, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	t, err := decodeTable(content)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("damaged file %s: %w", path, err), os.Rename(path, path+".damaged"))
	}

	return t, nil
}

// save replaces the file atomically: a crash leaves either the old or the new one.
func (t *table) save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(path, t.encode(), 0o600, renameio.WithTempDir(filepath.Dir(path)))
}

func (t *table) encode() []byte {
	rows := make([]byte, 0, rowSize*len(t.rows))
	for _, r := range t.rows {
		rows = binary.LittleEndian.AppendUint32(rows, r.key)
		rows = binary.LittleEndian.AppendUint32(rows, r.id)
		for _, day := range [...]uint16{r.start, r.end, r.published, r.entered} {
			rows = binary.LittleEndian.AppendUint16(rows, day)
		}
	}

	head, err := json.Marshal(header{tableFormat, t.day, t.retrieved.UTC(), t.validators, len(t.rows),
		crc32.ChecksumIEEE(rows)})
	if err != nil { // all values can be encoded
		panic(err)
	}

	return slices.Concat(head, []byte{'\n'}, rows)
}

func decodeTable(content []byte) (*table, error) {
	line, body, _ := bytes.Cut(content, []byte{'\n'})
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	if h.Format != tableFormat {
		return nil, nil
	}
	if len(body) != rowSize*h.Rows || crc32.ChecksumIEEE(body) != h.CRC {
		return nil, errors.New("the checksum does not match the content")
	}

	t := &table{day: h.Day, retrieved: h.Retrieved, validators: h.Validators, rows: make([]row, h.Rows)}
	for i := range t.rows {
		b := body[rowSize*i:]
		t.rows[i] = row{
			key: binary.LittleEndian.Uint32(b), id: binary.LittleEndian.Uint32(b[4:]),
			start: binary.LittleEndian.Uint16(b[8:]), end: binary.LittleEndian.Uint16(b[10:]),
			published: binary.LittleEndian.Uint16(b[12:]), entered: binary.LittleEndian.Uint16(b[14:]),
		}
	}

	if !slices.IsSortedFunc(t.rows, row.compare) {
		return nil, errors.New("its rows are not in their order")
	}

	return t, nil
}
