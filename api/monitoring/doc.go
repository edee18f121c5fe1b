// Package monitoring defines the operations on watched companies: watch-lists, the events that report changes, and the
// feeds and webhooks that deliver them.
package monitoring
