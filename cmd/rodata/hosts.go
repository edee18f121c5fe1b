package main

import (
	"net"
	"net/http"
	"net/netip"
)

// guard overrides two surprising defaults of Caddy: servers of the gateway answer requests for unknown hosts with 421
// instead of an empty 200, and servers whose hosts are all loopback addresses listen only on these. An explicit
// configuration of either is kept.
func guard(config object) {
	apps, _ := config["apps"].(object)
	web, _ := apps["http"].(object)
	servers, _ := web["servers"].(object)
	for _, s := range servers {
		server, _ := s.(object)
		hosts := hostsServed(server)
		if len(hosts) == 0 || !has(server, "handler", "rodata") {
			continue
		}

		server["routes"] = append(server["routes"].([]any), object{
			"handle": []object{{"handler": "rodata_problem", "status": http.StatusMisdirectedRequest}},
		})
		listenOnLoopback(server, hosts)
	}
}

// hostsServed returns the hosts of the sites of a server. It returns nothing if one of the sites is for all hosts.
func hostsServed(server object) (hosts []string) {
	routes, _ := server["routes"].([]any)
	for _, route := range routes {
		matchers, _ := route.(object)["match"].([]any)
		if len(matchers) == 0 {
			return nil
		}

		for _, matcher := range matchers {
			names, _ := matcher.(object)["host"].([]any)
			if len(names) == 0 {
				return nil
			}

			for _, name := range names {
				hosts = append(hosts, name.(string))
			}
		}
	}

	return hosts
}

// listenOnLoopback binds a server to its hosts if they are all loopback addresses and it would listen on all addresses.
func listenOnLoopback(server object, hosts []string) {
	for _, host := range hosts {
		if address, err := netip.ParseAddr(host); err != nil || !address.IsLoopback() {
			return
		}
	}

	addresses, _ := server["listen"].([]any)
	var bound []any
	for _, address := range addresses {
		host, port, err := net.SplitHostPort(address.(string))
		if err != nil || host != "" {
			return
		}

		for _, host := range hosts {
			bound = append(bound, net.JoinHostPort(host, port))
		}
	}

	server["listen"] = bound
}

// has reports whether a JSON value contains, at any depth, an object with the given member.
func has(value any, name, want string) (found bool) {
	eachObject(value, name, want, func(object) { found = true })
	return found
}

// eachObject calls a function for every object in a JSON value, at any depth, that has the given member.
func eachObject(value any, name, want string, do func(object)) {
	switch value := value.(type) {
	case object:
		if value[name] == want {
			do(value)
		}

		for _, member := range value {
			eachObject(member, name, want, do)
		}
	case []any:
		for _, element := range value {
			eachObject(element, name, want, do)
		}
	}
}
