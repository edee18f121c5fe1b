// Command rodata is the Caddy web server with the modules of rodata. Without a
// configuration it runs with the one of package rodata, which is in the binary.
package main

import (
	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

func main() {
	spareTheCollector()
	caddy.CustomBinaryName = "rodata"
	caddy.CustomLongDescription = description
	caddycmd.Main()
}

const description = `rodata serves Romanian public data - companies, CAEN codes, counties and places,
exchange rates - over REST and MCP. It is the Caddy web server with modules.

	rodata run        serves from the registries, with the Caddyfile in this folder
	                  or, without one, with the Caddyfile in the program
	rodata sandbox    serves from stand-ins of the registries: no internet needed
	rodata validate   checks a configuration
	rodata sources    shows the state of the registries of a running gateway
	rodata queue      shows what waits for a registry
	rodata purge      makes a running gateway forget a company
	rodata register   loads the trade register on this machine
	rodata accounts   opens, lists, changes and closes accounts
	rodata keys       issues, lists and revokes API keys
	rodata plans      shows the plans
	rodata contact    shows what people wrote to the operators
	rodata invoices   lists invoices, and has them sent to RO e-Factura after all
	rodata payments   shows what was paid and is not invoiced
	rodata backup     has a running gateway copy its accounts

All of Caddy's commands are there too.`
