package writebehind

import (
	"context"
	"errors"
	"maps"
	"testing"
	"testing/synctest"
	"time"
)

func TestValuesAreWrittenOnceAMinuteAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written []map[string]int
		b := New(func(earlier, later int) int { return earlier + later },
			func(ctx context.Context, values map[string]int) error {
				written = append(written, values)
				return ctx.Err()
			})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			b.Run(ctx, func(err error) { t.Error(err) })
		}()

		b.Add("a", 1)
		b.Add("a", 2)
		b.Add("b", 4)
		if !b.Has("a") || b.Has("c") || b.Len() != 2 {
			t.Errorf("a waits: %t, c waits: %t, of %d", b.Has("a"), b.Has("c"), b.Len())
		}

		<-time.After(3 * time.Minute) // nothing is written without new values
		b.Add("c", 8)
		cancel()
		<-ended
		if len(written) != 2 || !maps.Equal(written[0], map[string]int{"a": 3, "b": 4}) ||
			!maps.Equal(written[1], map[string]int{"c": 8}) {
			t.Errorf("wrote %v", written)
		}
	})
}

func TestValuesWaitAfterAFailure(t *testing.T) {
	var b *Buffer[string, string]
	failure := errors.New("disk on fire")
	var written map[string]string
	b = New(func(earlier, later string) string { return earlier + later },
		func(_ context.Context, values map[string]string) error {
			if failure != nil {
				b.Add("a", "2") // while values are being written
				return failure
			}

			written = values
			return nil
		})
	b.Add("a", "1")
	if err := b.Flush(t.Context(), time.Second); err != failure {
		t.Errorf("the error is %v", err)
	}

	failure = nil
	b.Add("a", "3")
	if err := b.Flush(t.Context(), time.Second); err != nil || written["a"] != "123" || b.Has("a") {
		t.Errorf("%v; wrote %v", err, written)
	}
}
