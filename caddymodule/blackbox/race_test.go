//go:build race

package blackbox

import "time"

// The race detector makes everything many times slower.
func init() { batchMargin, racing = time.Minute, true }
