package vies

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/upstream"
)

// hostFunc is an [upstream.Doer].
type hostFunc func(context.Context, upstream.Request) (*upstream.Response, error)

func (f hostFunc) Do(ctx context.Context, r upstream.Request) (*upstream.Response, error) {
	return f(ctx, r)
}

// An answer that is not a report of available states is a failure that names its status.
func TestAvailabilityRejectsOtherAnswers(t *testing.T) {
	for name, answer := range map[string]upstream.Response{
		"not JSON":       {Status: 503, Body: []byte("<html>")},
		"an error":       {Status: 503, Body: []byte(`{"vow":{"available":true}}`)},
		"without itself": {Status: 503, Body: []byte(`{"countries":[]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewClient(hostFunc(func(context.Context, upstream.Request) (*upstream.Response, error) {
				return &answer, nil
			}))
			_, err := c.Availability(t.Context())
			f, ok := errors.AsType[*op.Failure](err)
			if !ok || f.Kind != op.Broken || !strings.Contains(err.Error(), "status 503") ||
				strings.Contains(err.Error(), "%!") {
				t.Errorf("got %v", err)
			}
		})
	}
}
