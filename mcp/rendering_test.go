package mcp

import (
	"fmt"
	"sync"
	"testing"

	"github.com/rodata/rodata/op"
)

func TestRenderings(t *testing.T) {
	var r renderings
	d := op.NewDocument([]byte(`{"a":"\"","b":null}`))
	const want = `,"structuredContent":{"a":"\"","b":null},"content":[{"type":"text","text":"{\"a\":\"\\\"\",\"b\":null}"}]`
	if text := r.text(d); text != nil {
		t.Errorf("a document that was never seen is kept: %s", text)
	}

	for range 2 {
		if text := string(r.text(d)); text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}

	if text := r.text(op.NewDocument(d.JSON)); text != nil {
		t.Errorf("another document with the same tag got its text: %s", text)
	}

	long := op.NewDocument(fmt.Appendf(nil, `{"a":"%*s"}`, maxRendered, ""))
	if r.text(long); r.text(long) != nil {
		t.Error("a long document is kept")
	}
}

// Documents that compete for the same slot never get each other's text.
func TestRenderingsAreNotMixedUp(t *testing.T) {
	var r renderings
	documents := make([]*op.Document, 2*len(r))
	for i := range documents {
		documents[i] = op.NewDocument(fmt.Appendf(nil, `{"a":%d}`, i))
	}

	kept := make([]int, 4)
	var callers sync.WaitGroup
	for caller := range kept {
		callers.Go(func() {
			for i, d := range documents {
				for range 3 {
					text := r.text(d)
					if text == nil {
						continue
					}

					kept[caller]++
					if want := fmt.Sprintf(`,"structuredContent":{"a":%d},"content":[{"type":"text","text":"{\"a\":%d}"}]`, i, i); string(text) != want {
						t.Errorf("got %s, want %s", text, want)
					}
				}
			}
		})
	}

	callers.Wait()
	if sum := kept[0] + kept[1] + kept[2] + kept[3]; sum < len(documents) {
		t.Errorf("only %d texts were kept", sum)
	}
}
