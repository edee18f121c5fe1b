// Package watch tells accounts when companies change: watch-lists, events, and what becomes of
// them. An event is written in the transaction that stores the observation behind it, so that
// none is lost; feeds, webhooks and digests are read from what was written.
//
// Package store keeps all of it in the database of the observations. Package webhook delivers
// events to endpoints, and package mirror decides which companies are looked at, and when.
package watch
