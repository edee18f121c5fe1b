package upload

import (
	"bufio"
	"errors"
	"io"
	"os"
)

const blockSize = 8 << 10

// Spool keeps bytes in a file that nothing else uses. The block around the last read ones stays in memory, because most
// reads are of neighbouring bytes.
type Spool struct {
	file  *os.File
	out   *bufio.Writer
	block []byte
	from  int64 // the position of the block
}

// NewSpool creates a spool in a folder. It must be closed.
func NewSpool(folder string) (*Spool, error) {
	file, err := os.CreateTemp(folder, ".upload-*") // mode 0600
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where the system permits it, so that the file ends with the process
	return &Spool{file: file, out: bufio.NewWriterSize(file, blockSize)}, nil
}

// Add appends bytes.
func (s *Spool) Add(bytes []byte) error {
	_, err := s.out.Write(bytes)
	return err
}

// Flush makes what was added readable.
func (s *Spool) Flush() error { return s.out.Flush() }

// Read returns bytes that have been flushed. They are valid until the next call.
func (s *Spool) Read(at int64, size int) ([]byte, error) {
	if at < s.from || at+int64(size) > s.from+int64(len(s.block)) {
		s.block = append(s.block[:0], make([]byte, max(blockSize, size))...)
		n, err := s.file.ReadAt(s.block, at)
		if s.block, s.from = s.block[:n], at; err != nil && (n < size || !errors.Is(err, io.EOF)) {
			return nil, err
		}
	}

	return s.block[at-s.from:][:size], nil
}

// Close deletes the file. A nil spool is closed.
func (s *Spool) Close() {
	if s != nil {
		_ = s.file.Close() // its content is not needed
		_ = os.Remove(s.file.Name())
	}
}
