package monitoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/gateway"
)

// fakeFeed has the events of an account. The oldest events have been deleted.
type fakeFeed struct {
	mu      sync.Mutex
	account string
	newest  int64
	deleted int64
	filter  EventFilter
	changed chan struct{}
	err     error
}

func (f *fakeFeed) add(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest += n
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

func (f *fakeFeed) Wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}

	return f.changed
}

func (f *fakeFeed) Feed(_ context.Context, account string, after EventCursor, filter EventFilter,
	limit int) (EventPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.account, f.filter = account, filter
	at := func(number int64) EventCursor {
		return EventCursor{Feed: FeedOf(account), Number: number}
	}
	if after.Number < f.deleted && after.Number > 0 {
		return EventPage{Expired: true, Oldest: at(f.deleted)}, f.err
	}

	p := EventPage{Next: at(f.newest), Oldest: at(f.deleted)}
	for n := max(after.Number, f.deleted) + 1; n <= f.newest; n++ {
		if len(p.Events) == limit {
			p.More, p.Next = true, at(n-1)
			break
		}

		p.Events = append(p.Events, Event{ID: fmt.Sprintf("evt_%d", n), Type: VATCancelled,
			Cursor: at(n),
			Data:   EventData{Changes: []EventChange{}, Severity: High}})
	}

	return p, f.err
}

func (f *fakeFeed) Changes(ctx context.Context, after EventCursor, filter EventFilter,
	limit int) (EventPage, error) {
	return f.Feed(ctx, "", after, filter, limit)
}

func (f *fakeFeed) operation() *op.Operation {
	return ListChanges(f, new(fakeWatchlists), WatchLimits{Followers: 2})
}

func askEvents(t *testing.T, g *op.Gateway, o *op.Operation, call op.Call, args ...string) *op.Reply {
	t.Helper()
	call.Authorization = "Bearer " + gateway.GoodKey
	for i := 0; i < len(args); i += 2 {
		call.Args = append(call.Args, op.Arg{Name: args[i], Text: args[i+1]})
	}

	return g.Do(t.Context(), o, &call)
}

type eventListJSON struct {
	Items      []struct{ ID, Cursor string }
	NextCursor string
	HasMore    bool
}

func readEvents(t *testing.T, reply *op.Reply) (list eventListJSON) {
	t.Helper()
	if reply.Problem != nil {
		t.Fatal(reply.Problem)
	}
	testkit.NoError(t, json.Unmarshal(reply.Document.JSON, &list))

	return list
}

func TestEventsAreReadPageByPage(t *testing.T) {
	g, f := gateway.New(t), &fakeFeed{newest: 5}
	var seen []string
	after := []string{"limit", "2"}
	for pages := 0; ; pages++ {
		list := readEvents(t, askEvents(t, g, f.operation(), op.Call{}, after...))
		for _, e := range list.Items {
			seen = append(seen, e.ID)
		}

		after = []string{"limit", "2", "after", list.NextCursor}
		if !list.HasMore {
			break
		}
		if pages > 5 {
			t.Fatal("there is always more")
		}
	}

	if got := strings.Join(seen, " "); got != "evt_1 evt_2 evt_3 evt_4 evt_5" {
		t.Errorf("read %s", got)
	}
	if list := readEvents(t, askEvents(t, g, f.operation(), op.Call{}, after...)); list.Items == nil ||
		len(list.Items) != 0 || list.NextCursor != after[3] {
		t.Errorf("at the end: %+v", list)
	}
	if reply := askEvents(t, g, f.operation(), op.Call{}); reply.Cost != 0 || !reply.Personal {
		t.Errorf("cost %d", reply.Cost)
	}
}

func TestEventsAreChosen(t *testing.T) {
	g, f := gateway.New(t), new(fakeFeed)
	reply := askEvents(t, g, f.operation(), op.Call{}, "watchlist", "default", "taxId", "9900000010", "type",
		"company.vat.cancelled,company.state.changed")
	want := EventFilter{Watchlist: string(exampleList), Company: 9900000010,
		Kinds: SetOf(VATCancelled, StateChanged)}
	if reply.Problem != nil || f.filter != want {
		t.Errorf("%+v, %v", f.filter, reply.Problem)
	}
}

func TestCursorsThatAreRefused(t *testing.T) {
	g, f := gateway.New(t), &fakeFeed{newest: 9, deleted: 5}
	first := readEvents(t, askEvents(t, g, f.operation(), op.Call{}, "limit", "1"))
	if first.Items[0].ID != "evt_6" {
		t.Errorf("without a cursor, the first event is %s, want the oldest stored event", first.Items[0].ID)
	}

	of := func(account string, number int64) string {
		return textOf(EventCursor{Feed: FeedOf(account), Number: number})
	}
	all := ListAllChanges(f, WatchLimits{}, true)
	for name, c := range map[string]struct {
		o      *op.Operation
		after  string
		status int
		says   string
	}{
		"of another account": {f.operation(), of("another", 7), 400, "belongs to another account"},
		"of all changes":     {f.operation(), of("", 7), 400, "another account or another feed"},
		"broken":             {f.operation(), "abc", 400, "an unchanged cursor or nextCursor of this feed"},
		"expired":            {f.operation(), of(f.account, 3), 410, "kept for 90 days"},
		"of an account":      {all, of(f.account, 7), 400, "another feed"},
		"expired for all":    {all, of("", 3), 410, "kept for 90 days"},
	} {
		reply := askEvents(t, g, c.o, op.Call{}, "after", c.after)
		if reply.Status != c.status || !strings.Contains(reply.Problem.Detail, c.says) &&
			!strings.Contains(fmt.Sprintf("%+v", reply.Problem.Errors), c.says) {
			t.Errorf("%s: %d %v", name, reply.Status, reply.Problem)
		}
		if text := string(reply.Problem.JSON("")); c.status == 410 &&
			!strings.Contains(text, `"code":"cursor-expired","oldestCursor":"`) {
			t.Errorf("%s: %s", name, text)
		}
	}

	if reply := askEvents(t, g, f.operation(), op.Call{}, "watchlist",
		"wl_zbcdefghijklmnopqrstuvwxyz"); reply.Status != 404 {
		t.Errorf("an unknown watch-list: %d", reply.Status)
	}

	f.err = errors.New("the disk is full")
	if reply := askEvents(t, g, f.operation(), op.Call{}); reply.Status != 503 {
		t.Errorf("a broken store: %d", reply.Status)
	}
}

func TestAllChangesNeedOperatorConsent(t *testing.T) {
	g, f := gateway.New(t), &fakeFeed{newest: 1}
	if reply := askEvents(t, g, ListAllChanges(f, WatchLimits{}, false),
		op.Call{}); reply.Status != 404 ||
		!strings.Contains(reply.Problem.Detail, "its operator can enable it") {
		t.Errorf("off: %d %v", reply.Status, reply.Problem)
	}
	if list := readEvents(t, askEvents(t, g, ListAllChanges(f, WatchLimits{}, true),
		op.Call{})); len(list.Items) != 1 ||
		f.account != "" {
		t.Errorf("on: %+v of %q", list, f.account)
	}
	if reply := g.Do(t.Context(), ListAllChanges(f, WatchLimits{}, true),
		&op.Call{}); reply.Status != http.StatusUnauthorized {
		t.Errorf("without a key: %d", reply.Status)
	}
}

// lines collects the output of a stream.
type lines struct {
	mu    sync.Mutex
	begun int
	all   []string
	beats int
	place string // of the last heartbeat
	gone  bool
}

func (l *lines) Begin(*op.Reply) { l.begun++ }

// seen is the output so far.
func (l *lines) seen() (all []string, beats int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all, l.beats
}

func (l *lines) Write(sent []op.FollowedLine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range sent {
		l.all = append(l.all, line.Type+" "+line.Cursor)
	}

	return l.left()
}

func (l *lines) Beat(after string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beats++
	l.place = after
	return l.left()
}

func (l *lines) left() error {
	if l.gone {
		return op.ErrCallerGone
	}
	return nil
}

func TestEventsAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, f, sent, stop := gateway.New(t), &fakeFeed{newest: 120}, new(lines), make(chan struct{})
		streams := op.NewStreams()
		var reply *op.Reply
		var following sync.WaitGroup
		following.Go(func() {
			reply = askEvents(t, g, f.operation(),
				op.Call{Follower: &op.Follower{Writer: sent, Streams: streams, Stopped: stop}})
		})
		synctest.Wait()
		if all, _ := sent.seen(); sent.begun != 1 || len(all) != 120 || streams.Open() != 1 {
			t.Fatalf("%d times begun, %d events, %d streams", sent.begun, len(all), streams.Open())
		}

		f.add(3)
		synctest.Wait()
		all, beats := sent.seen()
		if len(all) != 123 || beats != 0 {
			t.Errorf("%d events, %d beats", len(all), beats)
		}

		<-time.After(46 * time.Second)
		synctest.Wait()
		if _, beats := sent.seen(); beats != 3 {
			t.Errorf("%d beats", beats)
		}
		if want := textOf(EventCursor{Feed: FeedOf(f.account), Number: 123}); sent.place != want {
			t.Errorf("a beat is at %s, want %s", sent.place, want)
		}
		if want := "company.vat.cancelled " +
			textOf(EventCursor{Feed: FeedOf(f.account), Number: 123}); all[122] != want {
			t.Errorf("the last is %s, want %s", all[122], want)
		}

		close(stop)
		following.Wait()
		if reply.Status != 200 || reply.Problem != nil || reply.Cost != 0 || reply.Duration > time.Second ||
			streams.Open() != 0 {
			t.Errorf("%d %v, took %s, %d streams", reply.Status, reply.Problem, reply.Duration, streams.Open())
		}
	})
}

func TestStreamsEnd(t *testing.T) {
	for name, end := range map[string]func(*fakeFeed, *lines, *op.Streams, context.CancelFunc){
		"when the service closes": func(_ *fakeFeed, _ *lines, s *op.Streams, _ context.CancelFunc) { s.Close() },
		"when the caller leaves":  func(_ *fakeFeed, _ *lines, _ *op.Streams, leave context.CancelFunc) { leave() },
		"when nobody reads": func(f *fakeFeed, l *lines, _ *op.Streams, _ context.CancelFunc) {
			l.gone = true
			f.add(1)
		},
		"when the store breaks": func(f *fakeFeed, _ *lines, _ *op.Streams, _ context.CancelFunc) {
			f.err = errors.New("full")
			f.add(1)
		},
		"after a while in any case": func(*fakeFeed, *lines, *op.Streams,
			context.CancelFunc) {
			<-time.After(op.MaxFollow)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, f, sent, streams := gateway.New(t), new(fakeFeed), new(lines), op.NewStreams()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					g.Do(ctx, f.operation(),
						&op.Call{Authorization: "Bearer " + gateway.GoodKey, Follower: &op.Follower{Writer: sent,
							Streams: streams}})
				}()
				synctest.Wait()
				end(f, sent, streams, leave)
				<-ended
				if streams.Open() != 0 {
					t.Error("the stream is still counted")
				}
			})
		})
	}
}

func TestStreamsOfAnAccountAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, f, streams := gateway.New(t), new(fakeFeed), op.NewStreams()
		o := f.operation()
		follow := func() *op.Reply {
			return askEvents(t, g, o, op.Call{Follower: &op.Follower{Writer: new(lines), Streams: streams}})
		}
		var following sync.WaitGroup
		for range 2 {
			following.Go(func() { follow() })
		}

		synctest.Wait()
		if reply := follow(); reply.Status != http.StatusTooManyRequests ||
			!strings.Contains(reply.Problem.Detail, "2 open streams") || reply.RetrySeconds() == 0 {
			t.Errorf("the third: %d %v", reply.Status, reply.Problem)
		}

		streams.Close()
		following.Wait()
	})
}

func TestStreamThatCannotBeginIsAProblem(t *testing.T) {
	g, f, sent := gateway.New(t), &fakeFeed{newest: 9, deleted: 5}, new(lines)
	cursor := textOf(EventCursor{Feed: FeedOf("another"), Number: 7})
	reply := askEvents(t, g, f.operation(), op.Call{Follower: &op.Follower{Writer: sent, Streams: op.NewStreams()}},
		"after", cursor)
	if reply.Status != 400 || sent.begun != 0 {
		t.Errorf("%d, %d times begun", reply.Status, sent.begun)
	}
}

func textOf(c EventCursor) string {
	text, err := c.MarshalText()
	if err != nil {
		panic(err)
	}
	return string(text)
}
