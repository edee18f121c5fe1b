// Package rodata is an edge cache in front of Romania's public registries: the
// tax authority (ANAF), the trade register (ONRC) and the central bank (BNR). It
// answers with company profiles, activity codes (CAEN), counties and places, and
// exchange rates, over REST and as tools for language models (MCP).
//
// It is a set of modules for the Caddy web server. Importing this package adds
// them to a build of Caddy:
//
//	xcaddy build --with github.com/rodata/rodata
//
// or run the ready-made server, whose configuration is the [Caddyfile] of this
// package:
//
//	go run github.com/rodata/rodata/caddymodule/rodata run
//
// Everything that the service does for a caller is an operation of the table in
// package api. Package rest serves the table over HTTP, package mcp as tools;
// package caddymodule makes them modules of Caddy.
package rodata

import (
	_ "embed"

	_ "github.com/rodata/rodata/caddymodule" // the app and its handlers
)

// Caddyfile is the configuration that the server runs with when it is given
// none. Its comments are the documentation of every setting.
//
//go:embed Caddyfile
var Caddyfile []byte
