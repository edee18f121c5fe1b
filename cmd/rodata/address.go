package main

import (
	"encoding/json"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// dialTimeout is the time in which a program on this machine accepts a connection.
const dialTimeout = 500 * time.Millisecond

// checkAddressesFree rejects a configuration at whose addresses another program answers. Caddy shares its ports with
// other processes (SO_REUSEPORT), so that without this check two gateways would each answer a part of the requests.
func checkAddressesFree(config []byte) error {
	for _, listen := range listenAddresses(config) {
		address, err := caddy.ParseNetworkAddress(listen)
		if err != nil || !strings.HasPrefix(address.Network, "tcp") {
			continue // Caddy reports the error; sockets of other networks are not shared
		}

		hosts := []string{address.Host}
		if ip := net.ParseIP(address.Host); address.Host == "" || ip != nil && ip.IsUnspecified() {
			hosts = []string{"127.0.0.1", "::1"}
		}

		for offset := range address.PortRangeSize() {
			for _, host := range hosts {
				at := address.At(offset)
				at.Host = host
				if connection, err := net.DialTimeout("tcp", at.JoinHostPort(0), dialTimeout); err == nil {
					connection.Close()
					return errors.New(strings.ReplaceAll(addressInUse, "$1", at.JoinHostPort(0)))
				}
			}
		}
	}

	return nil
}

// listenAddresses returns the addresses of the servers and of the admin API in a configuration of Caddy.
func listenAddresses(config []byte) (addresses []string) {
	var c struct {
		Admin struct {
			Disabled bool
			Listen   string
		}
		Apps struct {
			HTTP struct {
				Servers map[string]struct{ Listen []string }
			}
		}
	}
	if json.Unmarshal(config, &c) != nil {
		return nil // Caddy reports the error
	}

	for _, server := range c.Apps.HTTP.Servers {
		addresses = append(addresses, server.Listen...)
	}

	if c.Admin.Listen == "" {
		c.Admin.Listen = caddy.DefaultAdminListen
	}
	if !c.Admin.Disabled {
		addresses = append(addresses, c.Admin.Listen)
	}

	for i := range addresses {
		addresses[i] = caddy.NewReplacer().ReplaceAll(addresses[i], "")
	}

	return addresses
}
