package monitoring

import "testing"

func TestEventSet(t *testing.T) {
	if len(EventKinds) > 63 {
		t.Fatal("a set has 63 bits")
	}
	if all := SetOf(EventKinds...).Kinds(); len(all) != len(EventKinds) {
		t.Errorf("%d of %d kinds are in the set of all", len(all), len(EventKinds))
	}
	if DefaultEvents&SetOf(ContactChanged, SeatExpired, SeatRenewed, StatementAbsent, FXPublished) != 0 ||
		DefaultEvents&SetOf(VATCancelled) == 0 {
		t.Errorf("default kinds are %v", DefaultEvents.Kinds())
	}
}

func TestEventCursor(t *testing.T) {
	want := EventCursor{Feed: FeedOf("a"), Number: 1 << 40, List: 7}
	text, err := want.MarshalText()
	if err != nil {
		t.Fatal(err)
	}

	var got EventCursor
	if err := got.UnmarshalText(text); err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}

	for _, wrong := range []string{"", "x", string(text) + "A", "////////////////////////////"} {
		if err := got.UnmarshalText([]byte(wrong)); err == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}

	if FeedOf("a") == FeedOf("b") || FeedOf("") == FeedOf("a") {
		t.Error("two feeds have one name")
	}
}
