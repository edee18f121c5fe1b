package settings

import (
	"cmp"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/vatcollection"
)

const (
	anafFilesURL = "http://static.anaf.ro"
	// anafFilesTimeout is enough for some megabytes.
	anafFilesTimeout = caddy.Duration(2 * time.Minute)
)

// ANAFFiles are the settings for the files that the tax authority publishes every day: the register of VAT on
// collection. The default of Timeout is 2m. The tax authority publishes them over plain HTTP, so http is accepted for
// any host; their origin is not authenticated.
type ANAFFiles struct {
	Connection
	// Off disables the files: none is fetched, and stored ones are not used.
	Off bool `json:"off,omitempty"`
}

func (a *ANAFFiles) rows() option.Table {
	return a.Connection.rows(a.registry(), option.Table{"off": option.Flag(&a.Off)})
}

// registry returns the client options in which the file server differs from other registries.
func (*ANAFFiles) registry() upstream.Options {
	return upstream.Options{Registry: vatcollection.Name, Unencrypted: true}
}

// prepare resolves and checks the settings.
func (a *ANAFFiles) prepare() error {
	_, err := a.Client()
	return err
}

// Client returns a new client with the settings.
func (a *ANAFFiles) Client() (*upstream.Client, error) {
	a.Timeout = cmp.Or(a.Timeout, anafFilesTimeout)
	return a.connect(a.registry(), anafFilesURL)
}
