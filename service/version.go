package service

import (
	"runtime/debug"
	"sync"

	"github.com/rodata/rodata/api"
)

const modulePath = "github.com/rodata/rodata"

// Version returns the version of this module in the build; in a build from a working copy, the version of the contract
// with the suffix -dev.
func Version() string { return version() }

var version = sync.OnceValue(func() string {
	working := api.Version + "-dev"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return working
	}

	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath && m.Version != "" && m.Version != "(devel)" && m.Version != "v0.0.0" &&
			m.Replace == nil {
			return m.Version
		}
	}

	return working
})
