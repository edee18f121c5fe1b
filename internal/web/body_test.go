package web

import (
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/op/problem"
)

func TestReadBody(t *testing.T) {
	for name, test := range map[string]struct {
		body   io.Reader
		coding string
		want   *problem.Kind // nil if the body is read
	}{
		"as long as allowed":  {body: strings.NewReader("12345678")},
		"said to be as it is": {body: strings.NewReader("1234"), coding: "identity"},
		"a byte too long":     {body: strings.NewReader("123456789"), want: problem.PayloadTooLarge},
		"compressed":          {body: strings.NewReader("1234"), coding: "gzip", want: problem.UnsupportedMediaType},
		"not sent to its end": {body: io.MultiReader(strings.NewReader("12"), stopping{}),
			want: problem.InvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", test.body)
			r.Header.Set("Content-Encoding", test.coding)
			body, err := ReadBody(httptest.NewRecorder(), r, 8)
			if p, _ := errors.AsType[*problem.Problem](err); test.want != nil && (p == nil || p.Kind != test.want) {
				t.Errorf("got %v, want %s", err, test.want.Slug)
			}
			if test.want == nil && (err != nil || !strings.HasPrefix("12345678", string(body)) || len(body) < 4) {
				t.Errorf("got %q, %v", body, err)
			}
		})
	}
}

type stopping struct{}

func (stopping) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
