// Package watch tells accounts when companies change: it provides watch-lists, events, feeds and digests. An event is
// written in the transaction that stores the observation behind it, so none is lost; feeds, webhooks and digests read
// the stored events.
//
// Package store keeps all of it in the database of the observations. Package webhook delivers events to endpoints, and
// package mirror decides which companies are looked at, and when.
package watch
