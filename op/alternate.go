package op

import (
	"context"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op/problem"
)

// Alternate is a media type that an operation offers besides JSON.
type Alternate struct {
	// Type is the media type, such as application/pdf.
	Type string
	// Format is the value of the query parameter format that selects this type, such as csv; empty if no value does.
	Format string
	// ByFormat means that only the query parameter format selects this type, and never an Accept header.
	ByFormat bool
	// Description describes the document in the OpenAPI description.
	Description string
}

// Renderer renders the alternates of one answer on demand.
type Renderer interface {
	// Render returns the answer in the given media type, which is one of the operation's Alternates. The base URL is
	// the service's address as in the request, without a trailing slash.
	Render(ctx context.Context, media, baseURL string) (*Document, error)
}

// JSONType is the media type of answers.
const JSONType = "application/json"

// Offers returns the media types that an Accept header can select, the default first.
func (op *Operation) Offers() []string { return op.offers }

// FormatJSON is the format of the default.
const FormatJSON = "json"

// Formats returns the values of the parameter format, the default first, or nil for an operation without them. Like the
// Accept header, the parameter exists only in REST.
func (op *Operation) Formats() []string {
	all := []string{FormatJSON}
	for _, alternate := range op.Alternates {
		if alternate.Format != "" {
			all = append(all, alternate.Format)
		}
	}

	if len(all) == 1 {
		return nil
	}

	return all
}

// MediaOf returns the media type for a value of the parameter format; empty for the default.
func (op *Operation) MediaOf(format string) (media string, err error) {
	if format == FormatJSON {
		return "", nil
	}

	for _, alternate := range op.Alternates {
		if format != "" && alternate.Format == format {
			return alternate.Type, nil
		}
	}

	names := op.Formats()
	last := len(names) - 1
	return "", problem.Invalid(&problem.InputError{
		Parameter: "format", Code: problem.NotOneOf, Received: problem.Excerpt(format),
		Suggestion: spelling.Nearest(format, names),
		Accepted:   strings.Join(names[:last], ", ") + " or " + names[last],
	})
}

func offers(spec Spec) []string {
	all := []string{JSONType}
	if spec.Media != "" {
		all[0] = spec.Media
	}

	for _, alternate := range spec.Alternates {
		if !alternate.ByFormat {
			all = append(all, alternate.Type)
		}
	}

	return all
}

// The media types of files.
const (
	// CSVType is the media type of a file with comma-separated values.
	CSVType = "text/csv; charset=utf-8"
	// XLSXType is the media type of workbooks.
	XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	// PDFType is the media type of printable pages.
	PDFType = "application/pdf"
	// MultipartType is the media type of a form with a file. REST extracts the file from it.
	MultipartType = "multipart/form-data"
)
