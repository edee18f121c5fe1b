package caddymodule

import (
	"context"
	"log/slog"
	"sync"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/mcp"
	"github.com/rodata/rodata/watch"
	watchstore "github.com/rodata/rodata/watch/store"
)

// watching is what configurations share of watch-lists and events.
type watching struct {
	store    *watchstore.DB
	hub      *watch.Hub
	recorder *watchstore.Recorder
	// subscribers are the MCP sessions with subscriptions, which outlive a configuration.
	subscribers *mcp.Subscribers

	stop    context.CancelFunc
	running sync.WaitGroup
}

type watchingKey struct{ place string }

// openWatching takes a share in the watch-lists and events, which are kept beside the observations.
func openWatching(l *shares, h sharedHistory) (*watching, error) {
	return share(l, watchingKey{h.place}, func() (*watching, error) {
		db, err := watchstore.Open(context.Background(), h.DB)
		if err != nil {
			return nil, err
		}

		w := &watching{store: db, hub: watch.NewHub(db.Latest), subscribers: mcp.NewSubscribers()}
		w.recorder = &watchstore.Recorder{Store: db, Observations: h.DB, Sight: sight, Tell: w.hub.Tell}
		ctx, cancel := context.WithCancel(context.Background())
		w.stop = cancel
		w.running.Go(func() { w.expire(ctx) })
		if h.shared {
			w.running.Go(func() { w.hub.Poll(ctx) })
		}
		return w, nil
	})
}

// changes are what MCP clients subscribe to.
func (w *watching) changes() mcp.Changes {
	return struct {
		*watchstore.DB
		*watch.Hub
	}{w.store, w.hub}
}

// lists are the watch-lists under a configuration.
func (w *watching) lists(s *service, a *App) *watch.Lists {
	return &watch.Lists{Store: w.store, Limits: a.Watch.Limits(), Name: s.companies.Name, Log: slog.New(liveLog{})}
}

// events are the feeds.
func (w *watching) events() api.Events {
	return struct {
		*watchstore.DB
		*watch.Hub
	}{w.store, w.hub}
}

// Destruct stops what was started. The store is closed with that of the observations.
func (w *watching) Destruct() error {
	w.stop()
	w.running.Wait()
	return nil
}
