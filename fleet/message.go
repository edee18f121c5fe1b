package fleet

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

const (
	// messageKey is the stream of what edges tell one another.
	messageKey = keyPrefix + "messages"
	// messageField is the only field of its entries.
	messageField = "text"
	// messagesKept is about how many messages are kept for edges that are cut off
	// or have not started yet.
	messagesKept = 1000
	// messagesRead is how many are read at once, and messageWait how long to wait
	// for the next one.
	messagesRead = 100
	messageWait  = time.Second
)

// ears are those who listen.
type ears struct {
	mu        sync.Mutex
	listeners []*func(string)
	reading   bool
}

// Tell tells all edges, this one included. It fails when the server does not
// take the message within 25 ms; nobody has it then, or all will.
func (f *Fleet) Tell(ctx context.Context, text string) error {
	_, err := ask(ctx, f.link, f.budgets.question, func(ctx context.Context, c rueidis.Client) (struct{}, error) {
		add := c.B().Xadd().Key(messageKey).Maxlen().Almost().Threshold(strconv.Itoa(messagesKept)).Id("*").FieldValue().FieldValue(messageField, text).Build()
		return struct{}{}, c.Do(ctx, add).Error()
	})
	return err
}

// Listen calls hear with every message in turn, until stop returns. The first
// listener also hears about the last thousand messages from before, for this edge
// may have been cut off or down: a message must be one that can be heard twice.
func (f *Fleet) Listen(hear func(text string)) (stop func()) {
	e := &f.ears
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listeners = append(e.listeners, &hear)
	if !e.reading {
		e.reading = true
		f.running.Go(f.read)
	}
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.listeners = slices.DeleteFunc(e.listeners, func(other *func(string)) bool { return other == &hear })
	}
}

// hear passes a message on.
func (e *ears) hear(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, hear := range e.listeners {
		(*hear)(text)
	}
}

// read reads messages until Close, each once as long as this edge runs.
func (f *Fleet) read() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for last := "0"; ; {
		select {
		case <-pause.C:
		case <-f.ctx.Done():
			return
		}
		entries, err := f.next(last)
		for _, e := range entries {
			f.ears.hear(e.FieldValues[messageField])
			last = e.ID
		}
		if err != nil {
			pause.Reset(tryEvery)
		} else {
			pause.Reset(0)
		}
	}
}

// next waits for the messages after one. It keeps no caller waiting, so it has
// no budget, and its failures say nothing of the link.
func (f *Fleet) next(last string) ([]rueidis.XRangeEntry, error) {
	client := f.link.enter()
	if client == nil {
		return nil, ErrAway
	}
	defer f.link.asking.Done()
	// With a deadline, the library would not hear of a context that is cancelled.
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	defer time.AfterFunc(messageWait+connectTimeout, cancel).Stop()
	read := client.B().Xread().Count(messagesRead).Block(messageWait.Milliseconds()).Streams().Key(messageKey).Id(last).Build()
	streams, err := client.Do(ctx, read).AsXRead()
	if rueidis.IsRedisNil(err) {
		return nil, nil // there were none
	}
	return streams[messageKey], err
}
