package upload

import (
	"bufio"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"os"

	"github.com/rodata/rodata/op/problem"
)

const (
	// maxShared bounds the size of all texts that cells share, in bytes; each counts sharedCost more.
	maxShared  = 64 << 20
	sharedCost = 16
	endSize    = 4
)

// texts are the texts that cells share (ECMA-376 part 1, 18.4.9). They are in files, because several workbooks may be
// read at a time.
type texts struct {
	count         int
	content, ends *spool // the end of each text in content takes endSize bytes
}

// readShared copies the texts that cells share to files in a folder.
func (w *workbook) readShared(folder string) (err error) {
	const name = "xl/sharedStrings.xml"
	if w.files[name] == nil {
		return nil
	}

	t := &w.shared
	if t.content, err = newSpool(folder); err != nil {
		return err
	}
	if t.ends, err = newSpool(folder); err != nil {
		return err
	}

	size := 0
	err = w.read(name, func(p *part, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}

		text, err := p.text(false)
		if err != nil {
			return err
		}
		if size += len(text); size+sharedCost*t.count > maxShared {
			return refuse(problem.TooLong, workbookForm,
				"the texts of the workbook take more than %d MiB; send the table as CSV", maxShared>>20)
		}

		t.count++
		return errors.Join(t.content.add([]byte(text)), t.ends.add(binary.LittleEndian.AppendUint32(nil, uint32(size))))
	})
	if err != nil {
		return err
	}
	return errors.Join(t.content.out.Flush(), t.ends.out.Flush())
}

// at returns a text by its number.
func (t *texts) at(i int) (string, error) {
	if i < 0 || i >= t.count {
		return "", errors.New("it refers to a text that the workbook does not have")
	}

	from, to := int64(0), int64(0)
	for _, end := range []struct {
		index int
		value *int64
	}{{i - 1, &from}, {i, &to}} {
		if end.index < 0 {
			continue
		}

		bytes, err := t.ends.read(int64(end.index)*endSize, endSize)
		if err != nil {
			return "", err
		}
		*end.value = int64(binary.LittleEndian.Uint32(bytes))
	}

	text, err := t.content.read(from, int(to-from))
	return string(text), err
}

func (t *texts) close() {
	t.content.close()
	t.ends.close()
}

// spool keeps bytes in a file that nothing else uses. The block around the last read ones stays in memory, because most
// reads are of neighbouring bytes.
type spool struct {
	file  *os.File
	out   *bufio.Writer
	block []byte
	from  int64 // the position of the block
}

const blockSize = 8 << 10

func newSpool(folder string) (*spool, error) {
	file, err := os.CreateTemp(folder, ".upload-*") // mode 0600
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where the system permits it, so that the file ends with the process
	return &spool{file: file, out: bufio.NewWriterSize(file, blockSize)}, nil
}

func (s *spool) add(bytes []byte) error {
	_, err := s.out.Write(bytes)
	return err
}

// read returns bytes that have been flushed. They are valid until the next call.
func (s *spool) read(at int64, size int) ([]byte, error) {
	if at < s.from || at+int64(size) > s.from+int64(len(s.block)) {
		s.block = append(s.block[:0], make([]byte, max(blockSize, size))...)
		n, err := s.file.ReadAt(s.block, at)
		if s.block, s.from = s.block[:n], at; err != nil && (n < size || !errors.Is(err, io.EOF)) {
			return nil, err
		}
	}

	return s.block[at-s.from:][:size], nil
}

func (s *spool) close() {
	if s != nil {
		_ = s.file.Close() // its content is not needed
		_ = os.Remove(s.file.Name())
	}
}
