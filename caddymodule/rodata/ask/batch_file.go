package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/client"
)

// The limits of a file, as gateways have them unless their operators set others.
const (
	mostBytes = 20 << 20
	mostRows  = 200_000
)

// inputFile is a file of companies.
type inputFile struct {
	name  string
	media string
	data  []byte
}

// readInput reads a file, or standard input for -, and refuses one that no gateway takes before anything is sent.
func readInput(path string) (*inputFile, error) {
	data, err := readBounded(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, wrongUsage("there is no file %s", path)
	case err != nil:
		return nil, fail(exitError, "reading %s: %w", path, err)
	case len(data) > mostBytes:
		return nil, wrongUsage("%s is larger than %s: split it", path, humanize.IBytes(mostBytes))
	case len(bytes.TrimSpace(data)) == 0:
		return nil, wrongUsage("%s is empty", path)
	}

	f := &inputFile{name: path, media: mediaOf(path, data), data: data}
	if n := f.rows(); n > mostRows {
		return nil, wrongUsage("%s has %s rows, and a job takes %s: split it", path, humanize.Comma(int64(n)), humanize.Comma(mostRows))
	}
	return f, nil
}

// readBounded reads at most a byte more than is accepted.
func readBounded(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, mostBytes+1))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("it is a folder")
	}
	return io.ReadAll(io.LimitReader(file, mostBytes+1))
}

// mediaOf is the media type of a file, by its name or else by how it begins.
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
	begins := bytes.TrimSpace(data[:min(len(data), 64)])
	switch {
	case bytes.HasPrefix(begins, []byte("PK")):
		return client.XLSXFile
	case bytes.HasPrefix(begins, []byte("[")):
		return client.JSONFile
	case bytes.HasPrefix(begins, []byte("{")):
		return client.NDJSONFile
	}
	return client.CSVFile
}

// rows is about how many companies the file has; 0 when only the gateway can tell.
func (f *inputFile) rows() int {
	switch f.media {
	case client.XLSXFile:
		return 0
	case client.JSONFile:
		var items []json.RawMessage
		_ = json.Unmarshal(f.data, &items) // the gateway says what is wrong with it
		return len(items)
	}
	lines := bytes.Count(bytes.TrimRight(f.data, "\r\n"), []byte("\n")) + 1
	if f.media == client.CSVFile && lines > mostRows {
		lines-- // the names of the columns
	}
	return lines
}
