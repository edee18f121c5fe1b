//go:build race

package blackbox

import "time"

// The race detector makes everything many times slower. A run with it is never the quick one.
func init() { batchMargin, patient = time.Minute, true }
