package op

import (
	"strconv"
	"testing"

	"github.com/rodata/rodata/metering"
)

// While half of all streams are open, a caller has an eighth of its limit, and those that it has remain.
func TestFewCallersCannotTakeAllStreams(t *testing.T) {
	const each = 64
	streams, callers := NewStreams(), 0
	take := func() (taken int) {
		callers++
		id := metering.BucketID{Account: strconv.Itoa(callers)}
		for streams.Enter(id, each) {
			taken++
		}
		return taken
	}

	for streams.Open() < allStreams/2 {
		if n := take(); n != each {
			t.Fatalf("caller %d has %d streams", callers, n)
		}
	}
	if n := take(); n != each/8 {
		t.Errorf("while half of the streams are open, a caller has %d", n)
	}

	streams.Leave(metering.BucketID{Account: "1"})
	if streams.Enter(metering.BucketID{Account: "1"}, each) {
		t.Error("a caller with many streams opened another one")
	}
	if n := take(); n != each/8 {
		t.Errorf("the next one has %d", n)
	}
}
