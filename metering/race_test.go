//go:build race

package metering

func init() { underRace = true }
