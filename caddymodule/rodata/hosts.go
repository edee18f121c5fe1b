package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
)

// guard completes a configuration where Caddy's defaults would surprise: servers of the
// gateway answer requests for hosts that no site serves with 421 instead of an empty
// 200, and those whose sites are all addresses of this machine's loopback listen there
// only. What the configuration says of either itself stands.
func guard(adapted []byte) ([]byte, error) {
	var config object
	if err := json.Unmarshal(adapted, &config); err != nil {
		return nil, err
	}
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
	return json.Marshal(config)
}

// hostsServed are the hosts that the sites of a server are for; none when one of the
// sites is for all.
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

// listenOnLoopback binds a server whose hosts are all loopback addresses to these,
// where it would listen on all addresses.
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

// has reports whether a JSON value has, at any depth, an object with a member of a name
// and a value.
func has(value any, name, want string) bool {
	switch value := value.(type) {
	case object:
		if value[name] == want {
			return true
		}
		for _, member := range value {
			if has(member, name, want) {
				return true
			}
		}
	case []any:
		for _, element := range value {
			if has(element, name, want) {
				return true
			}
		}
	}
	return false
}
