//go:build race

package blackbox

import "time"

// The race detector makes everything many times slower. Such a run takes long anyway, so it includes tests that wait
// for seconds.
func init() { batchMargin, patient = time.Minute, true }
