package mcp

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

// The paths of the documents by which clients find the endpoint, and their methods.
const (
	cardPath         = Path + "/server-card"          // SEP-2127
	catalogPath      = "/.well-known/ai-catalog.json" // of the whole host
	discoveryMethods = "GET, HEAD, OPTIONS"
)

// Handles reports whether a path belongs to the channel.
func Handles(path string) bool {
	return strings.TrimSuffix(path, "/") == Path || path == cardPath || path == catalogPath
}

// discovery returns the document at a path and its media type, for a service at the address base. The card describes
// the server (schema v1 of server cards). The catalog lists what the host offers to models, and points to the card.
func discovery(path, base string) (document map[string]any, contentType string) {
	const cardType = "application/mcp-server-card+json"
	if path == catalogPath {
		host := base[strings.Index(base, "://")+len("://"):]
		entry := map[string]any{"identifier": "urn:air:" + host + ":mcp:" + serverInfo.Name, "type": cardType,
			"url": base + cardPath}
		return map[string]any{"specVersion": "1.0", "entries": []any{entry}}, "application/ai-catalog+json"
	}

	key := map[string]any{"name": "Authorization", "isSecret": true, "isRequired": false,
		"description": "Bearer and an API key, for higher limits and the tools that need an account."}
	endpoint := map[string]any{"type": "streamable-http", "url": base + Path, "headers": []any{key},
		"supportedProtocolVersions": protocol.ValidProtocolVersions}
	return map[string]any{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name": manifestName, "title": serverInfo.Title, "version": serverInfo.Version,
		"description": serverInfo.Description, "websiteUrl": base, "remotes": []any{endpoint}}, cardType
}

// discover answers with one of the documents, which every page may read.
func (h *Handler) discover(w http.ResponseWriter, r *http.Request) {
	web.AllowAnyPage(w.Header())
	switch r.Method {
	case http.MethodOptions:
		web.AnswerOptions(w, discoveryMethods)
		return
	case http.MethodGet, http.MethodHead:
	default:
		w.Header().Set("Allow", discoveryMethods)
		h.refuse(w, r, problem.MethodNotAllowed.New("this document is read with GET"))
		return
	}

	if !h.admit(w, r, &account.Caller{Address: h.Address(r)}, 1) { // a key changes nothing
		return
	}

	document, contentType := discovery(r.URL.Path, h.BaseURL(r))
	text := mustEncode(document)
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "public, max-age=3600")
	header.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(text)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
