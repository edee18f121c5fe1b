package anaf

import (
	"errors"
	"testing"

	"github.com/rodata/rodata/op"
)

// wantKind fails unless the error is a failure of the kind.
func wantKind(t *testing.T, err error, kind op.FailureKind) {
	t.Helper()
	var f *op.Failure
	if !errors.As(err, &f) || f.Kind != kind {
		t.Errorf("got %v, want a failure of kind %d", err, kind)
	}
}
