// Package system is the operations of the running service: its health, status and availability.
package system
