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

// watching is the part of watch-lists and events that configurations share.
type watching struct {
	store    *watchstore.DB
	hub      *watch.Hub
	recorder *watchstore.Recorder
	// subscribers are the MCP sessions with subscriptions. They outlive a configuration.
	subscribers *mcp.Subscribers

	stop    context.CancelFunc
	running sync.WaitGroup
}

type watchingKey struct{ place string }

// openWatching opens the shared watch-lists and events, which are stored with the observations.
func openWatching(l *shares, h sharedHistory) (*watching, error) {
	return share(l, watchingKey{h.place}, func() (*watching, error) {
		db, err := watchstore.Open(context.Background(), h.DB)
		if err != nil {
			return nil, err
		}

		w := &watching{store: db, hub: watch.NewHub(db.Latest), subscribers: mcp.NewSubscribers()}
		w.recorder = &watchstore.Recorder{Store: db, Observations: h.DB, Sight: sight, Wake: w.hub.Wake}
		ctx, cancel := context.WithCancel(context.Background())
		w.stop = cancel
		w.running.Go(func() { w.expire(ctx) })
		if h.shared {
			w.running.Go(func() { w.hub.Poll(ctx) })
		}

		return w, nil
	})
}

// changes returns the changes that MCP clients can subscribe to.
func (w *watching) changes() mcp.Changes {
	return struct {
		*watchstore.DB
		*watch.Hub
	}{w.store, w.hub}
}

// lists returns the watch-lists with the settings of a configuration.
func (w *watching) lists(s *service, a *App) *watch.Lists {
	return &watch.Lists{Store: w.store, Limits: a.Watch.Limits(), Name: s.companies.Name, Sooner: a.sooner(),
		Log: slog.New(liveLog{})}
}

// events returns the feeds.
func (w *watching) events() api.Events {
	return struct {
		*watchstore.DB
		*watch.Hub
	}{w.store, w.hub}
}

// Destruct stops what openWatching started. The store is closed with the store of the observations.
func (w *watching) Destruct() error {
	w.stop()
	w.running.Wait()
	return nil
}
