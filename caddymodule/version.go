package caddymodule

import (
	"runtime/debug"
	"sync"

	"github.com/rodata/rodata/api"
)

const modulePath = "github.com/rodata/rodata"

// version is the version of this module that the program was built from; a build
// from a working copy says so beside the version of the contract.
var version = sync.OnceValue(func() string {
	working := api.Version + "-dev"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return working
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath && m.Version != "" && m.Version != "(devel)" && m.Version != "v0.0.0" && m.Replace == nil {
			return m.Version
		}
	}
	return working
})
