package api

import (
	"context"
	"fmt"
	"strings"

	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/internal/spelling"
)

// Alternate is a media type that an operation offers besides JSON.
type Alternate struct {
	// Type is the media type, as application/pdf.
	Type string
	// Format is the value of the query parameter format that selects it, such as csv; empty if no value does.
	Format string
	// ByFormat means that only the query parameter format selects it, and never an Accept header.
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

const jsonType = "application/json"

// Offers returns the media types that an Accept header can select, the default first.
func (op *Operation) Offers() []string { return op.offers }

// formatJSON is the format of the default.
const formatJSON = "json"

// Formats returns the values of the parameter format, the default first, or nil for an operation without them. Like the
// Accept header, the parameter exists only in REST.
func (op *Operation) Formats() []string {
	all := []string{formatJSON}
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

// OfFormat returns the media type for a value of the parameter format; an empty one selects the default.
func (op *Operation) OfFormat(format string) (media string, err error) {
	if format == formatJSON {
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
		Parameter: "format", Code: problem.NotOneOf, Received: problem.Shown(format),
		Suggestion: spelling.Nearest(format, names),
		Accepted:   strings.Join(names[:last], ", ") + " or " + names[last],
	})
}

func offers(spec Spec) []string {
	all := []string{jsonType}
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

// render renders the alternate that a call requested.
func render(ctx context.Context, op *Operation, renderer Renderer, reply *Reply) (*Document, error) {
	doc, err := renderer.Render(ctx, reply.media, reply.baseURL)
	if err != nil {
		return nil, fmt.Errorf("rendering the answer of %s as %s: %w", op.Name, reply.media, err)
	}
	return doc, nil
}
