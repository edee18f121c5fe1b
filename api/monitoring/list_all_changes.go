package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type listAllChangesInput struct {
	After EventCursor        `arg:"after" doc:"Only events after this cursor: a nextCursor, or an event's cursor. Without it, the page begins with the oldest event that is kept."`
	Limit op.Limit           `arg:"limit" default:"50" doc:"Page size, 1 to 100."`
	TaxID ro.CUI             `arg:"taxId" doc:"Only events of this company: its CUI, digits only."`
	Type  op.List[EventKind] `arg:"type" doc:"Only events of these kinds, separated by commas."`
}

// ListAllChanges is not a tool: it is for programs that keep a copy.
func ListAllChanges(events Events, limits WatchLimits, enabled bool) *op.Operation {
	return op.DefineFollowed(op.Spec{
		Name: "list_all_changes", Method: "GET", Path: "/v1/changes", Tag: tag.Watching, Account: true,
		Title: "List changes to all companies",
		Description: "Changes to every company that this gateway checks, watched or not, oldest first. Its cursors " +
			"differ from those of GET /v1/events. Returns 404 unless the operator has enabled it. Free.",
		Errors: []*problem.Kind{problem.NotFound, problem.CursorExpired},
	}, wakes(events), limits.WithDefaults().Followers, func(ctx context.Context, _ account.Caller,
		in listAllChangesInput) (EventList, error) {
		if !enabled {
			return EventList{}, problem.NotFound.New("this installation does not publish the changes of all " +
				"companies; its operator can enable it (changes on, in the block watch of the Caddyfile). GET " +
				"/v1/events has those of watched companies")
		}

		if err := ofFeed(in.After, ""); err != nil {
			return EventList{}, err
		}
		return eventList(ctx, in.After, func() (EventPage, error) {
			return events.Changes(ctx, in.After, EventFilter{Company: in.TaxID, Kinds: SetOf(in.Type...)},
				int(in.Limit))
		})
	})
}
