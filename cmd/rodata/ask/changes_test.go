package ask

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/monitoring"
)

const someEvent = `{"id": "evt_1", "type": "company.vat.cancelled", "timestamp": "2026-11-23T04:32:39Z", "cursor": "c1", "data": {"taxId": 9900000010,
	"name": "EXEMPLU S.R.L.", "reference": "S-1", "watchlist": "default", "severity": "high", "source": {"name": "anaf", "asOf": null}, "observed": null,
	"changes": [{"type": "company.vat.cancelled", "field": "vatPayer", "before": true, "after": false, "validFrom": "2026-11-20", "recordedOn": null},
		{"type": "company.name.changed", "field": "name", "before": null, "after": "EXEMPLU S.R.L.", "validFrom": null, "recordedOn": null}]}}`

func TestChanges(t *testing.T) {
	serve(t, "key", answer(200, "application/json", `{"items": [`+someEvent+`], "nextCursor": "c1", "hasMore": false}`))
	for line, want := range map[string]string{
		"watch changes": "company.vat.cancelled  9900000010 EXEMPLU S.R.L. (S-1)\n" +
			"    vatPayer: no, was yes, from 2026-11-20\n    name: EXEMPLU S.R.L., was unknown\n",
		"watch changes --csv": "2026-11-23T04:32:39Z,9900000010,EXEMPLU " +
			"S.R.L.,S-1,high,company.vat.cancelled,vatPayer,true,false,2026-11-20,c1\r\n",
		"watch changes --json": `{"id":"evt_1","type":"company.vat.cancelled"`,
	} {
		if out, errs, code := typed(t.Context(), strings.Fields(line)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: got %d, %q, %q", line, code, out, errs)
		}
	}
}

// A completed job is no change of a company. It is shown if its kind is named.
func TestChangesWithoutJobs(t *testing.T) {
	const job = `{"id": "evt_2", "type": "job.completed", "timestamp": "2026-11-23T04:32:40Z", "cursor": "c2",
		"data": {"taxId": null, "name": null, "reference": null, "watchlist": null, "severity": "low", "observed": null,
			"changes": [], "job": {"id": "j1", "status": "completed", "total": 1, "found": 1, "creditsCost": 1}}}`
	serve(t, "key", answer(200, "application/json",
		`{"items": [`+job+`, `+someEvent+`], "nextCursor": "c2", "hasMore": false}`))
	for line, want := range map[string]bool{"watch changes": false, "watch changes --json": false,
		"watch changes --type job.completed": true} {
		out, errs, code := typed(t.Context(), strings.Fields(line)...)
		if code != 0 || strings.Contains(out, "job.completed") != want || !strings.Contains(out, "S-1") {
			t.Errorf("%s: got %d, %q, %q", line, code, out, errs)
		}
	}
}

// Events without changes of fields are listed in all forms.
func TestEventsWithoutChanges(t *testing.T) {
	const absent = `{"id": "evt_3", "type": "company.statement.absent", "timestamp": "2026-11-23T04:32:39Z", "cursor": "c3",
		"data": {"taxId": 9900000010, "name": "EXEMPLU S.R.L.", "reference": "S-1", "watchlist": "default", "severity": "medium",
			"source": {"name": "anaf-bilant", "asOf": "2026-06-18"}, "observed": null, "changes": [],
			"statement": {"year": 2025, "dueOn": "2026-05-31", "fiveMonthsEndOn": "2026-10-31", "lastFiled": 2024,
				"filesAsOf": "2026-06-18"}}}`
	const unknown = `{"id": "evt_4", "type": "company.unknown", "timestamp": "2026-11-23T04:32:39Z", "cursor": "c4",
		"data": {"taxId": 9900000028, "name": null, "reference": null, "watchlist": "default", "severity": "low",
			"source": {"name": "anaf", "asOf": "2026-11-23"}, "observed": null, "changes": []}}`
	serve(t, "key", answer(200, "application/json",
		`{"items": [`+absent+`, `+unknown+`], "nextCursor": "c4", "hasMore": false}`))
	for line, want := range map[string]string{
		"watch changes": "company.statement.absent  9900000010 EXEMPLU S.R.L. (S-1)\n" +
			"    year 2025: in no published file; last known statement: 2024\n",
		"watch changes --csv": "2026-11-23T04:32:39Z,9900000010,EXEMPLU S.R.L.,S-1,medium,company.statement.absent," +
			"statement.year,,2025,,c3\r\n2026-11-23T04:32:39Z,9900000028,,,low,company.unknown,,,,,c4\r\n",
		"watch changes --json": `"statement":{"year":2025,"dueOn":"2026-05-31","fiveMonthsEndOn":"2026-10-31","lastFiled":2024,` +
			`"filesAsOf":"2026-06-18"}`,
	} {
		if out, errs, code := typed(t.Context(), strings.Fields(line)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: got %d, %q, %q", line, code, out, errs)
		}
	}
}

// Changes are printed as they arrive, until the user presses Ctrl-C. Ctrl-C is not an error.
func TestFollowedChanges(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	line := strings.Join(strings.Fields(someEvent), " ") + "\n"
	serve(t, "key", func(w http.ResponseWriter, r *http.Request) {
		answer(200, "application/x-ndjson", line)(w, r)
		_ = http.NewResponseController(w).Flush()
		interrupt()
		<-r.Context().Done()
	})
	if _, errs, code := typed(ctx, "watch", "changes", "--follow"); code != 0 || errs != "" {
		t.Errorf("got %d, %q", code, errs)
	}
}

// The command completes the kinds of events about companies and watch-lists.
func TestEventTypesAreTheContract(t *testing.T) {
	var want []string
	for _, k := range monitoring.EventKinds {
		if text := string(k); strings.HasPrefix(text, "company.") || strings.HasPrefix(text, "watchlist.") {
			want = append(want, text)
		}
	}
	if !slices.Equal(eventTypes, want) {
		t.Errorf("the command knows %q, and the contract has %q", eventTypes, want)
	}
}
