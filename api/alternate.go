package api

import (
	"context"
	"fmt"
)

// Alternate is a media type in which an operation answers instead of JSON.
type Alternate struct {
	// Type is the media type, as application/pdf.
	Type string
	// Description says what the document is, for the OpenAPI description.
	Description string
}

// Renderer makes the alternates of one answer, each when it is asked for.
type Renderer interface {
	// Render returns the answer in one of the operation's Alternates, by its media type. The
	// base URL is the service's address as the request names it, without a final slash.
	Render(ctx context.Context, media, baseURL string) (*Document, error)
}

const jsonType = "application/json"

// Offers returns the media types of the operation's answers, the default first.
func (op *Operation) Offers() []string { return op.offers }

func offers(spec Spec) []string {
	all := []string{jsonType}
	if spec.Media != "" {
		all[0] = spec.Media
	}
	for _, alternate := range spec.Alternates {
		all = append(all, alternate.Type)
	}
	return all
}

// render makes the alternate that a call wants.
func render(ctx context.Context, op *Operation, renderer Renderer, reply *Reply) (*Document, error) {
	doc, err := renderer.Render(ctx, reply.media, reply.baseURL)
	if err != nil {
		return nil, fmt.Errorf("rendering the answer of %s as %s: %w", op.Name, reply.media, err)
	}
	return doc, nil
}
