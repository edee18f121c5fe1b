package upload

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/rodata/rodata/api/problem"
)

// maxSharedTexts bounds the memory for texts that several cells share, in bytes.
const maxSharedTexts = 64 << 20

// readShared reads the texts that cells share (ECMA-376 part 1, 18.4.9).
func (w *workbook) readShared() error {
	const name = "xl/sharedStrings.xml"
	if w.files[name] == nil {
		return nil
	}

	content, err := w.open(name)
	if err != nil {
		return err
	}
	defer content.Close()

	size := 0
	for dec := xml.NewDecoder(content); ; {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}

		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "si" {
			continue
		}

		var text textXML
		if err := dec.DecodeElement(&text, &start); err != nil {
			return err
		}

		w.shared = append(w.shared, text.String())
		if size += len(w.shared[len(w.shared)-1]) + 16; size > maxSharedTexts {
			return refuse(problem.TooLong, workbookForm,
				"the texts of the workbook take more than %d MiB; send the table as CSV", maxSharedTexts>>20)
		}
	}
}

// textXML is a text, as a whole or in runs of one format each.
type textXML struct {
	Text []string `xml:"t"`
	Runs []struct {
		Text string `xml:"t"`
	} `xml:"r"`
}

func (t *textXML) String() string {
	var text strings.Builder
	for _, part := range t.Text {
		text.WriteString(part)
	}

	for _, run := range t.Runs {
		text.WriteString(run.Text)
	}

	return text.String()
}
