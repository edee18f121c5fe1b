// Package system defines the operations on the running service: its health, status and availability.
package system
