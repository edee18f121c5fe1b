// Package rodata is a gateway to Romania's public registries: companies from the tax authority (ANAF) and the trade
// register (ONRC), exchange rates from the central bank (BNR), activity codes (CAEN), localities (SIRUTA), EU VAT
// numbers (VIES) and bank days. It serves them over REST, as tools for language models (MCP) and as a website.
//
// It is a set of modules for the Caddy web server. Importing this package adds them to a build of Caddy:
//
//	xcaddy build --with github.com/rodata/rodata
//
// The program in cmd/rodata is such a build with its own commands. Its default configuration is [Caddyfile]:
//
//	go run github.com/rodata/rodata/cmd/rodata run
//
// Everything that the service does for a caller is an operation in the table of package api. Package rest serves the
// operations over HTTP and package mcp as tools. Package service puts a gateway together, and package caddymodule turns
// it into Caddy modules.
package rodata

import (
	_ "embed"

	_ "github.com/rodata/rodata/caddymodule" // the app and its handlers
)

// Caddyfile is the default configuration of the server. Its comments document every option.
//
//go:embed Caddyfile
var Caddyfile []byte
