package op

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

// SSEType is the media type of server-sent events.
const SSEType = "text/event-stream"

// FollowedPage is a page of a list that grows at its end. The operation's argument after is the position where a page
// begins.
type FollowedPage interface {
	// Lines are the items in the form of a stream.
	Lines() ([]FollowedLine, error)
	// After is the position of the next page, and More reports that it already has items.
	After() string
	More() bool
}

// FollowedLine is an item of a stream.
type FollowedLine struct {
	// Cursor is the position at which the stream continues after the item.
	Cursor string
	// Type is the kind of the item.
	Type string
	// JSON is the encoded item.
	JSON []byte
}

// Follower is a caller who receives items as they arise.
type Follower struct {
	// Writer receives the items.
	Writer FollowWriter
	// Streams counts the stream.
	Streams *Streams
	// Stopped is closed to end the stream; nil for never. It also ends when Streams is closed.
	Stopped <-chan struct{}
}

// FollowWriter sends the items of a stream.
type FollowWriter interface {
	// Begin is called once, before the items.
	Begin(*Reply)
	// Write sends items.
	Write([]FollowedLine) error
	// Beat is a heartbeat: it keeps the stream open, and sends the cursor up to which there are no further items.
	Beat(after string) error
}

// follow describes how an operation is followed.
type follow struct {
	wait func() <-chan struct{}
	page func(ctx context.Context, caller account.Caller, bound any) (FollowedPage, error)
	most int
}

// The intervals of a stream.
const (
	// heartbeatInterval is the interval of heartbeats in an idle stream.
	heartbeatInterval = 15 * time.Second
	// MaxFollow is the maximum duration of a stream; callers then reconnect, and are authenticated again.
	MaxFollow = 10 * time.Minute
)

// DefineFollowed returns an operation that answers with a page of a growing list. Callers can also follow the list as
// a stream. Wait returns a channel that is closed when there may be new items. To miss none, get the channel before
// reading the items, and wait afterwards. The number of concurrent streams of an account is limited.
func DefineFollowed[In any, Out FollowedPage](
	spec Spec, wait func() <-chan struct{}, most int, run func(context.Context, account.Caller, In) (Out, error),
) *Operation {
	op := newOperation[In](spec)
	op.output = outputSchema(reflect.TypeFor[Out]())
	op.run = func(call *Observation, bound any) error {
		page, err := run(&call.context, call.Caller, bound.(In))
		if err != nil {
			return err
		}
		if call.Reply.Document, err = EncodeDocument(page); err != nil {
			return fmt.Errorf("encoding the answer of %s: %w", op.Name, err)
		}

		return nil
	}
	op.follow = &follow{wait: wait, most: most,
		page: func(ctx context.Context, caller account.Caller, bound any) (FollowedPage, error) {
			return run(ctx, caller, bound.(In))
		}}
	return op
}

// IsFollowable reports whether the operation's answer can be streamed: see [DefineFollowed].
func (op *Operation) IsFollowable() bool { return op.follow != nil }

// streamPages sends pages until the caller leaves or the stream is stopped.
func (g *Gateway) streamPages(ctx context.Context, op *Operation, call *Call, bound any, seen *Observation) error {
	caller, reply, streams := &seen.Caller, &seen.Reply, call.Follower.Streams
	id := caller.Bucket()
	if !streams.Enter(id, op.follow.most) {
		return problem.RateLimited.New("this account has %d open streams, the maximum, or the service has too many; "+
			"close one, or read pages instead", op.follow.most).After(time.Minute)
	}
	defer streams.Leave(id)

	end, beat := time.NewTimer(MaxFollow), time.NewTicker(heartbeatInterval)
	defer end.Stop()
	defer beat.Stop()
	for begun := false; ; {
		changed, revoked := op.follow.wait(), streams.Changed(caller.Account())
		if err := g.reauthenticate(ctx, op, call, caller); err != nil {
			if begun { // the caller reconnects, and is told
				err = nil
			}
			return err
		}

		page, err := op.follow.page(ctx, *caller, bound)
		if err != nil {
			return err
		}

		lines, err := page.Lines()
		if err != nil {
			return fmt.Errorf("encoding the answer of %s: %w", op.Name, err)
		}

		if !begun {
			begun, reply.Status = true, op.Success
			seen.began = max(1, time.Since(reply.arrival))
			if caller.Plan != nil {
				g.Ledger.CountFree(caller.Account(), op.Name, false)
			}

			call.Follower.Writer.Begin(reply)
		}

		if len(lines) > 0 {
			if err := call.Follower.Writer.Write(lines); err != nil {
				return withoutNormalEnd(err)
			}
		}

		if !page.More() {
			if err := call.Follower.await(ctx, changed, revoked, beat, end, page.After()); err != nil {
				return withoutNormalEnd(err)
			}
		}

		if bound, err = op.bind(call.InPath, call.Args.With("after", page.After())); err != nil {
			return err
		}
	}
}

// errStopped means that a stream has to end.
var errStopped = errors.New("the stream is stopped")

// await waits until there may be new items or the caller has to be authenticated again, and sends heartbeats meanwhile.
// It returns errStopped if the stream has to end.
func (f *Follower) await(ctx context.Context, changed, revoked <-chan struct{}, beat *time.Ticker, end *time.Timer,
	after string) error {
	for {
		select {
		case <-changed:
			return nil
		case <-revoked:
			return nil
		case <-beat.C:
			if err := f.Writer.Beat(after); err != nil {
				return err
			}
		case <-end.C:
			return errStopped
		case <-f.Stopped:
			return errStopped
		case <-f.Streams.Closed():
			return errStopped
		case <-ctx.Done():
			return errStopped
		}
	}
}

// withoutNormalEnd returns nil for the errors with which streams normally end: the caller has disconnected, or the
// stream is stopped.
func withoutNormalEnd(err error) error {
	if errors.Is(err, ErrCallerGone) || errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// With returns the arguments with one value replaced.
func (a Args) With(name, text string) Args {
	changed := make(Args, 0, len(a)+1)
	for _, arg := range a {
		if arg.Name != name {
			changed = append(changed, arg)
		}
	}

	return append(changed, Arg{Name: name, Text: text})
}
