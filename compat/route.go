package compat

import (
	pathpkg "path"
	"strings"
)

// routes answer the requests of the programs, by method and path.
var routes = map[string]func(*exchange){
	"POST /api/PlatitorTvaRest/v9/tva":           (*exchange).serveTaxpayers,
	"POST /PlatitorTvaRest/api/v9/ws/tva":        (*exchange).serveEnveloped,
	"POST /PlatitorTvaRest/api/v8/ws/tva":        (*exchange).serveEnveloped,
	"POST /AsynchWebService/api/v8/ws/tva":       (*exchange).deferInquiry,
	"GET /AsynchWebService/api/v8/ws/tva":        (*exchange).fetchDeferred,
	"POST /AsynchWebService/api/v7/ws/tva":       (*exchange).deferInquiry,
	"GET /AsynchWebService/api/v7/ws/tva":        (*exchange).fetchDeferred,
	"POST /AsynchWebService/api/v6/ws/tva":       (*exchange).deferInquiry,
	"GET /AsynchWebService/api/v6/ws/tva":        (*exchange).fetchDeferred,
	"POST /api/registruroefactura/v1/interogare": (*exchange).serveEInvoices,
	"GET /bilant": (*exchange).serveStatement,

	"GET " + latestPath:                   (*exchange).serveRates,
	"GET " + tenDaysPath:                  (*exchange).serveRates,
	"GET " + schemaPath:                   (*exchange).serveRates,
	"GET " + yearFolder + "{file}":        (*exchange).serveRates,
	"GET /legacy" + latestPath:            (*exchange).serveRates,
	"GET /legacy" + tenDaysPath:           (*exchange).serveRates,
	"GET /legacy" + schemaPath:            (*exchange).serveRates,
	"GET /legacy" + yearFolder + "{file}": (*exchange).serveRates,
}

// folders are the path prefixes that belong to a protocol, including unknown paths below them.
var folders = []string{"/api/PlatitorTvaRest/", "/PlatitorTvaRest/", "/AsynchWebService/", "/api/registruroefactura/",
	yearFolder, "/legacy/"}

// Handles reports whether a path, without the channel's prefix, belongs to this channel.
func Handles(path string) bool {
	path = tidy(path)
	for _, f := range folders {
		if strings.HasPrefix(path+"/", f) {
			return true
		}
	}

	return routes["GET "+path] != nil
}

// tidy returns a path without double and trailing slashes, which clients produce by joining addresses.
func tidy(path string) string {
	if !strings.Contains(path, "//") && !strings.HasSuffix(path, "/") {
		return path
	}
	return pathpkg.Clean(path)
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
