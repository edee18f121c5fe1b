package compat

import (
	"net/http"
	"strings"
)

// route is one path of a registry's protocol.
type route struct {
	path   string
	method string
	serve  func(*exchange)
}

// routes are the paths that the programs ask for.
var routes = []*route{
	{latestPath, http.MethodGet, (*exchange).serveRates},
	{tenDaysPath, http.MethodGet, (*exchange).serveRates},
	{schemaPath, http.MethodGet, (*exchange).serveRates},
}

// yearRoute is the path of all years' files.
var yearRoute = &route{yearPrefix, http.MethodGet, (*exchange).serveRates}

// legacy precedes the paths of files in the central bank's namespace until 2025.
const legacy = "/legacy"

// folders are the path prefixes that belong to a protocol, also where nothing is.
var folders = []string{"/files/xml/years/", "/legacy/"}

// Handles reports whether a path, without the prefix under which the channel stands,
// belongs to this channel.
func Handles(path string) bool {
	for _, f := range folders {
		if strings.HasPrefix(path, f) {
			return true
		}
	}
	return routeOf(path) != nil
}

// routeOf returns the route of a path; nil when nothing is there.
func routeOf(path string) *route {
	if file, old := strings.CutPrefix(path, legacy); old {
		path = file
	}
	for _, rt := range routes {
		if rt.path == path {
			return rt
		}
	}
	if strings.HasPrefix(path, yearPrefix) {
		return yearRoute
	}

	return nil
}

// nearest says what there is instead, near a path where nothing is.
func nearest(string) string {
	return "exchange rates are at /nbrfxrates.xml, /nbrfxrates10days.xml and /files/xml/years/nbrfxrates2026.xml"
}

// answers reports whether the route has a method.
func (rt *route) answers(method string) bool {
	return method == rt.method || method == http.MethodHead && rt.method == http.MethodGet
}

// allow is the Allow header.
func (rt *route) allow() string {
	if rt.method == http.MethodGet {
		return "GET, HEAD, OPTIONS"
	}
	return "OPTIONS, " + rt.method
}
