package watch

import (
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
			if n, l, ok := ParseEventID(id); !ok || n != number*1_000_003 || l != list {
				t.Fatalf("%s is read as %d, %d, %t", id, n, l, ok)
			}

			last = id
		}
	}

	for _, id := range []string{"", "evt_", last[4:], last + "0", strings.ToUpper(last), "evt_!" + last[5:],
		last[:len(last)-1] + "v"} {
		if n, l, ok := ParseEventID(id); ok {
			t.Errorf("%q is read as %d, %d", id, n, l)
		}
	}
}
