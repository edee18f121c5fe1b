// Command rodata is the Caddy web server with the modules of rodata. Without a configuration it uses the built-in one.
package main

import (
	"os"
	"runtime"

	"github.com/caddyserver/caddy/v2"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

func main() {
	defer runtime.KeepAlive(heapBallast())
	returnStartupMemory()
	caddy.CustomBinaryName = "rodata"
	if err := newRoot().Execute(); err != nil {
		os.Exit(exitCode(err))
	}
}
