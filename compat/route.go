package compat

import (
	"net/http"
	pathpkg "path"
	"strings"
)

// route is one path of a registry's protocol, with the handlers of its methods.
type route struct {
	path      string
	get, post func(*exchange)
}

// routes are the paths that the programs request.
var routes = []*route{
	{path: "/api/PlatitorTvaRest/v9/tva", post: (*exchange).serveTaxpayers},
	{path: "/PlatitorTvaRest/api/v9/ws/tva", post: (*exchange).serveEnveloped},
	{path: "/PlatitorTvaRest/api/v8/ws/tva", post: (*exchange).serveEnveloped},
	{path: "/AsynchWebService/api/v8/ws/tva", post: (*exchange).deferInquiry, get: (*exchange).fetchDeferred},
	{path: "/AsynchWebService/api/v7/ws/tva", post: (*exchange).deferInquiry, get: (*exchange).fetchDeferred},
	{path: "/AsynchWebService/api/v6/ws/tva", post: (*exchange).deferInquiry, get: (*exchange).fetchDeferred},
	{path: "/api/registruroefactura/v1/interogare", post: (*exchange).serveEInvoices},
	{path: "/bilant", get: (*exchange).serveStatement},

	{path: latestPath, get: (*exchange).serveRates},
	{path: tenDaysPath, get: (*exchange).serveRates},
	{path: schemaPath, get: (*exchange).serveRates},
}

// yearRoute is the path of all yearly files.
var yearRoute = &route{path: yearPrefix + "*", get: (*exchange).serveRates}

// legacy precedes the paths of files in the central bank's namespace used until 2025.
const legacy = "/legacy"

// folders are the path prefixes that belong to a protocol, including unknown paths below them.
var folders = []string{"/api/PlatitorTvaRest/", "/PlatitorTvaRest/", "/AsynchWebService/", "/api/registruroefactura/",
	"/files/xml/years/", "/legacy/"}

// Handles reports whether a path, without the channel's prefix, belongs to this channel.
func Handles(path string) bool {
	for _, f := range folders {
		if strings.HasPrefix(tidy(path)+"/", f) {
			return true
		}
	}

	return routeOf(path) != nil
}

// tidy returns a path without double and trailing slashes, which clients produce by joining addresses.
func tidy(path string) string {
	if !strings.Contains(path, "//") && !strings.HasSuffix(path, "/") {
		return path
	}
	return pathpkg.Clean(path)
}

// routeOf returns the route of a path; nil if the path is unknown.
func routeOf(path string) *route {
	path = tidy(path)
	file, old := strings.CutPrefix(path, legacy)
	for _, rt := range routes {
		if rt.path == file && (!old || strings.HasSuffix(file, ".xml") || file == schemaPath) {
			return rt
		}
	}

	if strings.HasPrefix(file, yearPrefix) {
		return yearRoute
	}

	return nil
}

// nearest lists the existing paths near an unknown one.
func nearest(path string) string {
	switch {
	case strings.HasPrefix(path, "/api/registruroefactura/"):
		return "the RO e-Factura register is at POST /api/registruroefactura/v1/interogare"
	case strings.HasPrefix(path, "/AsynchWebService/"):
		return "the asynchronous form is at /AsynchWebService/api/v8/ws/tva"
	case strings.Contains(path, "PlatitorTvaRest"):
		return "companies are at POST /api/PlatitorTvaRest/v9/tva"
	}

	return "exchange rates are at /nbrfxrates.xml, /nbrfxrates10days.xml and /files/xml/years/nbrfxrates2026.xml"
}

// handler returns the handler of a method; nil if the method is not allowed.
func (rt *route) handler(method string) func(*exchange) {
	switch method {
	case http.MethodGet, http.MethodHead:
		return rt.get
	case http.MethodPost:
		return rt.post
	}

	return nil
}

// allow is the Allow header.
func (rt *route) allow() string {
	switch {
	case rt.post == nil:
		return "GET, HEAD, OPTIONS"
	case rt.get == nil:
		return "OPTIONS, POST"
	}

	return "GET, HEAD, OPTIONS, POST"
}
