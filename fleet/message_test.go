package fleet

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
)

// heard records messages.
type heard struct {
	mu    sync.Mutex
	texts []string
}

func (h *heard) hear(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.texts = append(h.texts, text)
}

func (h *heard) has(texts ...string) func() bool {
	return func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return slices.Equal(h.texts, texts)
	}
}

// Every edge gets every message once and promptly, even if it was disconnected or starts later. A busy machine needs
// seconds for some.
func TestMessagesReachAllEdges(t *testing.T) {
	t.Parallel()
	edges := joinThree(t, redis.Start(t).URL(), patient)
	var first, second, third heard
	edges[0].Subscribe(first.hear)
	stop := edges[1].Subscribe(second.hear)
	for i, text := range []string{"a", "b"} {
		start := time.Now()
		testkit.NoError(t, edges[i].Publish(t.Context(), text))

		all := []string{"a", "b"}[:i+1]
		testkit.Until(t, "all to hear "+text, func() bool { return first.has(all...)() && second.has(all...)() })
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	}

	stop()
	edges[2].Subscribe(third.hear)
	testkit.Until(t, "the late edge to hear", third.has("a", "b"))
	edges[0].link.fail(errTimeout)        // it is disconnected
	passing(messageWait + time.Second/10) // and no longer waits for messages
	testkit.NoError(t, edges[1].Publish(t.Context(), "c"))

	testkit.Until(t, "all to hear", func() bool { return first.has("a", "b", "c")() && third.has("a", "b", "c")() })
	if !second.has("a", "b")() {
		t.Errorf("a stopped subscriber received %q", second.texts)
	}
}
