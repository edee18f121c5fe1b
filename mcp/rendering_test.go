package mcp

import (
	"fmt"
	"sync"
	"testing"

	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/op"
)

func TestRenderings(t *testing.T) {
	r := recent.New[*op.Document, []byte](maxRenderings)
	d := op.NewDocument([]byte(`{"a":"\"","b":null}`))
	const want = `,"structuredContent":{"a":"\"","b":null},"content":[{"type":"text","text":"{\"a\":\"\\\"\",\"b\":null}"}]`
	if text := renderedText(r, d); text != nil {
		t.Errorf("a document that was never seen is kept: %s", text)
	}

	for range 2 {
		if text := string(renderedText(r, d)); text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}

	if text := renderedText(r, op.NewDocument(d.JSON)); text != nil {
		t.Errorf("another document with the same tag got its text: %s", text)
	}

	long := op.NewDocument(fmt.Appendf(nil, `{"a":"%*s"}`, maxRendered, ""))
	if renderedText(r, long); renderedText(r, long) != nil {
		t.Error("a long document is kept")
	}
}

// Documents never get each other's text, even if there are more of them than are kept.
func TestRenderingsAreNotMixedUp(t *testing.T) {
	r := recent.New[*op.Document, []byte](maxRenderings)
	documents := make([]*op.Document, 2*maxRenderings)
	for i := range documents {
		documents[i] = op.NewDocument(fmt.Appendf(nil, `{"a":%d}`, i))
	}

	kept := make([]int, 4)
	var callers sync.WaitGroup
	for caller := range kept {
		callers.Go(func() {
			for i, d := range documents {
				for range 3 {
					text := renderedText(r, d)
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
