package upload

import (
	"encoding/binary"
	"encoding/xml"
	"errors"

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
	content, ends *Spool // the end of each text in content takes endSize bytes
}

// readShared copies the texts that cells share to files in a folder.
func (w *workbook) readShared(folder string) (err error) {
	const name = "xl/sharedStrings.xml"
	if w.files[name] == nil {
		return nil
	}

	t := &w.shared
	if t.content, err = NewSpool(folder); err != nil {
		return err
	}
	if t.ends, err = NewSpool(folder); err != nil {
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
		return errors.Join(t.content.Add([]byte(text)), t.ends.Add(binary.LittleEndian.AppendUint32(nil, uint32(size))))
	})
	if err != nil {
		return err
	}
	return errors.Join(t.content.Flush(), t.ends.Flush())
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

		bytes, err := t.ends.Read(int64(end.index)*endSize, endSize)
		if err != nil {
			return "", err
		}
		*end.value = int64(binary.LittleEndian.Uint32(bytes))
	}

	text, err := t.content.Read(from, int(to-from))
	return string(text), err
}

func (t *texts) close() {
	t.content.Close()
	t.ends.Close()
}
