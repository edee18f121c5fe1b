package efactura

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// Archive is the service's response to an upload, signed by the Ministry of Finance: the invoice, or its errors. The
// archive of an accepted invoice is its legal original.
type Archive struct {
	// ZIP is the archive as received.
	ZIP []byte
	// Number is the number of the invoice in it. It is empty if there is none.
	Number string
	// Errors are the errors found in the invoice.
	Errors []string
}

// Download fetches an archive. The service allows 10 downloads of each archive per day, for 60 days.
func (c *Client) Download(ctx context.Context, downloadID string) (a Archive, err error) {
	q := call{name: "downloading archive " + downloadID, path: "/descarcare", query: url.Values{"id": {downloadID}},
		max: maxArchive}
	err = c.do(ctx, q, func(body []byte) *Failure {
		var trouble struct {
			Message string `json:"eroare"`
		}
		if json.Unmarshal(body, &trouble) == nil && trouble.Message != "" {
			return classify(trouble.Message, Declined)
		}

		var err error
		if a, err = readArchive(body); err != nil {
			return &Failure{Kind: Unanswered, Message: "the answer is not an archive", Err: err}
		}

		return nil
	})
	return a, err
}

const (
	maxEntries = 16
	maxEntry   = 4 << 20 // bytes, uncompressed
)

// readArchive finds the single file that is not the signature.
func readArchive(body []byte) (Archive, error) {
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return Archive{}, err
	}
	if len(z.File) > maxEntries {
		return Archive{}, fmt.Errorf("it has %d files", len(z.File))
	}

	for _, file := range z.File {
		if !strings.HasSuffix(strings.ToLower(file.Name), ".xml") || strings.HasPrefix(file.Name, "semnatura") {
			continue
		}

		r, err := file.Open()
		if err != nil {
			return Archive{}, err
		}

		text, err := readAll(r, maxEntry)
		if err = errors.Join(err, r.Close()); err != nil {
			return Archive{}, err
		}

		a := Archive{ZIP: body}
		a.Number, a.Errors, err = readDocument(text)
		return a, err
	}

	return Archive{}, errors.New("it has no document")
}

// readDocument reads the number of an Invoice or a CreditNote, or the messages of an error list.
func readDocument(text []byte) (number string, messages []string, err error) {
	depth := 0
	for dec := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF):
			return strings.TrimSpace(number), messages, nil
		case err != nil:
			return "", nil, err
		}

		switch token := token.(type) {
		case xml.StartElement:
			depth++
			if depth != 2 {
				continue
			}

			for _, a := range token.Attr {
				if a.Name.Local == "errorMessage" {
					messages = append(messages, strings.TrimSpace(a.Value))
				}
			}

			if token.Name.Local == "ID" {
				if err := dec.DecodeElement(&number, &token); err != nil {
					return "", nil, err
				}
				depth--
			}
		case xml.EndElement:
			depth--
		}
	}
}
