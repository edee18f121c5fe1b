//go:build race

package main

func init() { kills = 5 }
