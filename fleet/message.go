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
	// messageKey is the stream through which edges notify one another.
	messageKey = keyPrefix + "messages"
	// messageField is the only field of the stream's entries.
	messageField = "text"
	// messagesKept is the approximate length of the stream, kept for edges that are disconnected or have not started
	// yet.
	messagesKept = 1000
	// messagesRead is the batch size of reads, and messageWait the time for which one blocks.
	messagesRead = 100
	messageWait  = time.Second
)

// subscribers receive the messages.
type subscribers struct {
	mu        sync.Mutex
	callbacks []*func(string)
	reading   bool
}

// Publish sends a message to all edges, including this one. The error means that the server did not confirm it within
// 25 ms; it is then delivered to every edge or to none.
func (f *Fleet) Publish(ctx context.Context, text string) error {
	_, err := do(ctx, f.link, f.budgets.command, func(ctx context.Context, c rueidis.Client) (struct{}, error) {
		add := c.B().Xadd().Key(messageKey).Maxlen().Almost().Threshold(strconv.Itoa(messagesKept)).Id("*")
		return struct{}{}, c.Do(ctx, add.FieldValue().FieldValue(messageField, text).Build()).Error()
	})
	return err
}

// Subscribe calls receive with every message, one after the other, until stop has returned. The first subscriber also
// receives about the last thousand earlier messages, because this edge may have been disconnected or down: handlers
// must be idempotent.
func (f *Fleet) Subscribe(receive func(text string)) (stop func()) {
	s := &f.subscribers
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callbacks = append(s.callbacks, &receive)
	if !s.reading {
		s.reading = true
		f.running.Go(f.read)
	}

	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.callbacks = slices.DeleteFunc(s.callbacks, func(other *func(string)) bool { return other == &receive })
	}
}

// deliver passes a message to every subscriber.
func (s *subscribers) deliver(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, receive := range s.callbacks {
		(*receive)(text)
	}
}

// read delivers messages until Close, each once while this edge runs.
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
			f.subscribers.deliver(e.FieldValues[messageField])
			last = e.ID
		}

		if err != nil {
			pause.Reset(retryEvery)
		} else {
			pause.Reset(0)
		}
	}
}

// next blocks until there are messages after a given one. No caller waits for it, so it has no budget, and its failures
// do not mark the link down.
func (f *Fleet) next(last string) ([]rueidis.XRangeEntry, error) {
	client := f.link.enter()
	if client == nil {
		return nil, ErrDown
	}
	defer f.link.running.Done()
	// With a deadline, the client library ignores cancellation of the context.
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	defer time.AfterFunc(messageWait+connectTimeout, cancel).Stop()
	read := client.B().Xread().Count(messagesRead).Block(messageWait.Milliseconds()).Streams()
	streams, err := client.Do(ctx, read.Key(messageKey).Id(last).Build()).AsXRead()
	if rueidis.IsRedisNil(err) {
		return nil, nil // no messages
	}

	return streams[messageKey], err
}
