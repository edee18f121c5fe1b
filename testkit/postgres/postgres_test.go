package postgres

import (
	"testing"

	"github.com/rodata/rodata/testkit"
)

// A template that an earlier process left on the server is dropped.
func TestOldTemplatesAreDropped(t *testing.T) {
	URL(t) // skips the test if there is no server
	const old = templatePrefix + "1000000000_old"
	testkit.NoError(t, create(t.Context(), old, empty))

	recent, err := Template(t.Context(), func(string) error { return nil })
	testkit.NoError(t, err)
	if err := execute(t.Context(), `DROP DATABASE `+recent); err != nil {
		t.Errorf("the new template is gone: %v", err)
	}
	if err := execute(t.Context(), `DROP DATABASE `+old); err == nil {
		t.Error("the old template was left")
	}
}
