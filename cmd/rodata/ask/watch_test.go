package ask

import (
	"strings"
	"testing"
)

// Watched companies with problems come first, and each has its problems first and is never called found.
func TestWatchedStates(t *testing.T) {
	const rest = `"name": "EXEMPLU", "reference": null, "addedAt": "2026-11-23T04:00:00Z", "lastCheckedAt": null, "nextCheckAt": null, "lastEventAt": null`
	serve(t, "key", answer(200, "application/json", `{"items": [
		{"taxId": 11, "state": "found", "paid": true, "stateRegistration": "in_operation", "vatPayer": true, "vatEndedOn": null, "inactive": false, `+rest+`},
		{"taxId": 12, "state": "found", "paid": true, "stateRegistration": "struck_off", "vatPayer": null, "vatEndedOn": null, "inactive": true, `+rest+`},
		{"taxId": 13, "state": "found", "paid": true, "stateRegistration": "unknown", "vatPayer": false, "vatEndedOn": "2009-03-16", "inactive": null, `+rest+`},
		{"taxId": 14, "state": "not_found", "paid": true, "stateRegistration": "unknown", "vatPayer": null, "vatEndedOn": null, "inactive": null, `+rest+`},
		{"taxId": 15, "state": "new", "paid": true, "stateRegistration": "in_operation", "vatPayer": false, "vatEndedOn": null, "inactive": true, `+rest+`}
	], "totalCount": 5}`))
	out, errs, code := typed(t.Context(), "watch", "list")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 6 {
		t.Fatalf("%d, %q, %s", code, errs, out)
	}

	for i, want := range []string{"struck off, inactive, VAT unknown ",
		"no VAT since 2009-03-16, state unknown, inactivity unknown ", "in no register ",
		"inactive, not checked yet, no VAT, in operation ", "in operation, VAT "} {
		if !strings.Contains(lines[i+1], "  "+want) {
			t.Errorf("got %q, want %q", lines[i+1], want)
		}
	}

	out, _, _ = typed(t.Context(), "watch", "list", "--csv")
	if !strings.Contains(out, ",lastEventAt,stateRegistration,vatPayer,vatEndedOn,inactive\r\n") ||
		!strings.Contains(out, ",unknown,false,2009-03-16,\r\n") {
		t.Errorf("got %q", out)
	}
}
