package system

import (
	"time"
)

// About describes the running service.
type About struct {
	// Version is the version of the program.
	Version string
	// Environment is production or sandbox.
	Environment string
	// Started is the start time of the process.
	Started time.Time
}
