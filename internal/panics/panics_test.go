package panics

import (
	"errors"
	"strings"
	"testing"
)

func TestRecover(t *testing.T) {
	failure := errors.New("the lookup failed")
	for name, test := range map[string]struct {
		panics any
		doing  []any
		want   []string
	}{
		"no panic keeps the error": {want: []string{"the lookup failed"}},
		"a panic with its stack":   {panics: "no such page", want: []string{"panic: no such page\n", "TestRecover"}},
		"what was being done": {panics: failure, doing: []any{"checking company ", 19},
			want: []string{"checking company 19: panic: the lookup failed\n", "TestRecover"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := func() (err error) {
				defer Recover(&err, test.doing...)
				if test.panics != nil {
					panic(test.panics)
				}
				return failure
			}()
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want %q in it", err, want)
				}
			}
		})
	}
}
