package history

import (
	"testing"
)

func TestPackedStatuses(t *testing.T) {
	values := []*bool{nil, new(false), new(true)}
	for n := range 243 { // every combination of three values of five statuses
		var combination [StatusCount]*bool
		for i, rest := 0, n; i < len(combination); i, rest = i+1, rest/3 {
			combination[i] = values[rest%3]
		}

		packed := PackStatuses(combination)
		if (n == 0) != (packed == 0) {
			t.Errorf("%d is packed as %b, want zero only if all are unknown", n, packed)
		}

		for i, want := range combination {
			status := Status(i)
			got := packed.Of(status)
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Errorf("%b: %s is %v, packed as %v", packed, status, got, want)
			}
			if packed.Is(status, true) != (want != nil && *want) ||
				packed.Is(status, false) != (want != nil && !*want) {
				t.Errorf("%b: Is and Of differ for %s", packed, status)
			}
		}
	}
}

func TestStatusesKeepTheirPlaces(t *testing.T) { // they are stored
	for status, want := range map[Status]Statuses{
		VATPayer: 0b10, VATOnCollection: 0b1000, VATSplit: 0b10_0000,
		Inactive: 0b1000_0000, EInvoice: 0b10_0000_0000,
	} {
		if got := Statuses(0).With(status, new(true)); got != want {
			t.Errorf("%s is packed as %b, want %b", status, got, want)
		}
	}

	if got := Statuses(0b1010).With(VATPayer, nil); got != 0b1000 {
		t.Errorf("forgetting a status leaves %b", got)
	}
}
