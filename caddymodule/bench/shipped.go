package main
import "context"
func measureShipped(context.Context, []string) error { return nil }
func measureDisk(context.Context, []string) error { return nil }
func measureOracle(context.Context, []string) error { return nil }
