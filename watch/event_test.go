package watch

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestEventIDs(t *testing.T) {
	form := regexp.MustCompile(`^evt_[0-9a-v]{26}$`) // without a full stop, which Standard Webhooks forbids
	last := ""
	for number := range int64(300) {
		for list := range int64(3) {
			id := EventID(number*1_000_003, list)
			if !form.MatchString(id) || strings.Compare(last, id) >= 0 {
				t.Fatalf("the id after %s is %s", last, id)
			}
			last = id
		}
	}
	if n := rand.Int64(); EventID(n, 1) != EventID(n, 1) {
		t.Error("an event has two ids")
	}
}
