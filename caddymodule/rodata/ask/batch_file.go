package ask

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/jobs/upload"
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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, wrongUsage("there is no file %s", path)
	case err != nil:
		return nil, fail(exitError, "reading %s: %w", path, err)
	case len(data) > maxBytes:
		return nil, wrongUsage("%s is larger than %s: split it", path, humanize.IBytes(maxBytes))
	case len(bytes.TrimSpace(data)) == 0:
		return nil, wrongUsage("%s is empty", path)
	}

	return &inputFile{name: path, media: mediaOf(path, data), data: data}, nil
}

// read parses the rows of the file, and rejects one that no gateway accepts.
func (f *inputFile) read(column string, each func(cells []string)) (upload.Table, error) {
	table, err := upload.Read(f.data, f.media, column, upload.Limits{}, func(cells []string) error {
		each(cells)
		return nil
	})
	if wrong, ok := errors.AsType[*problem.Problem](err); ok {
		err = wrongUsage("%s cannot be taken: %s", f.name, strings.ReplaceAll(wrong.Detail, "?column=", "--column "))
	}
	return table, err
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
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv", ".txt":
		return client.CSVFile
	case ".xlsx":
		return client.XLSXFile
	case ".ndjson", ".jsonl":
		return client.NDJSONFile
	case ".json":
		return client.JSONFile
	}

	start := bytes.TrimSpace(data[:min(len(data), 64)])
	switch {
	case bytes.HasPrefix(start, []byte("PK")): // a ZIP archive
		return client.XLSXFile
	case bytes.HasPrefix(start, []byte("[")):
		return client.JSONFile
	case bytes.HasPrefix(start, []byte("{")):
		return client.NDJSONFile
	}

	return client.CSVFile
}
