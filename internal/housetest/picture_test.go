package housetest

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// TestPictures draws the pictures of docs/architecture.md. With -update it writes them, otherwise they must be current.
// The rooms of the house must be those of the ladder, and each may only import rooms that are drawn below it.
func TestPictures(t *testing.T) {
	t.Chdir(root)
	for path, picture := range map[string]string{"docs/house.svg": drawHouse(), "docs/request.svg": drawRequest()} {
		testkit.Golden(t, path, picture)
	}

	for _, r := range ladder {
		own := floorOf(r.room)
		if own < 0 {
			t.Errorf("the house has no room %s", r.room)
			continue
		}

		for _, imported := range r.below {
			if floorOf(imported) <= own && own < len(house) {
				t.Errorf("%s imports %s, which the house does not have below it", r.room, imported)
			}
		}
	}
}

// drawn is a room in a picture, with a phrase about it.
type drawn struct{ name, phrase string }

// house has the rooms of a gateway by floor, the highest first.
var house = [][]drawn{
	{{"cmd", "the program and its commands"}},
	{{"caddymodule", "the Caddy app, directives, admin API"}},
	{{"service", "composes a running gateway"}},
	{{"caddymodule/settings", "the configuration"}},
	{{"rest", "programs"}, {"mcp", "language models"}, {"compat", "the registries' protocols"}, {"site", "people"}},
	{{"profile", "joins the registries"}},
	{{"upstream", "a client for each registry"}, {"billing", "payments, invoices"}, {"watch", "changes, webhooks"},
		{"jobs", "files in, files out"}},
	{{"search", "the register's index"}},
	{{"history", "what was known when"}},
	{{"api", "the contract: all operations"}},
	{{"op", "what an operation is"}},
	{{"account", "who calls, and what they own"}, {"fleet", "what edges share"}, {"ro", "the values"}},
	{{"op/problem", "errors"}, {"cache", "answers, and when they expire"}, {"metering", "limits, credits"}},
}

// aside lists rooms that are no part of a running gateway, and those that serve several floors.
var aside = []string{"client", "bench", "testkit", "testkit/long", "caddymodule/internal", "op/jsonschema"}

// floorOf returns the number of a room's floor, counted from the top: beyond the last one for rooms that the picture
// leaves out, and -1 for a room that it lacks.
func floorOf(room string) int {
	i := slices.IndexFunc(house, func(floor []drawn) bool {
		return slices.ContainsFunc(floor, func(d drawn) bool { return d.name == room })
	})
	if i < 0 && (strings.HasPrefix(room, "internal/") || slices.Contains(aside, room)) {
		return len(house)
	}
	return i
}

// The sizes of a picture, in pixels.
const (
	pictureWidth = 880
	boxHeight    = 48
	boxGap       = 8
)

// drawHouse draws each floor as a row of boxes of the same width.
func drawHouse() string {
	var b strings.Builder
	for i, floor := range house {
		width := (pictureWidth - boxGap*(len(floor)+1)) / len(floor)
		for j, d := range floor {
			drawBox(&b, boxGap+j*(width+boxGap), boxGap+i*(boxHeight+boxGap), width, d)
		}
	}

	return frame("The rooms of the house: each imports only rooms below it", len(house), b.String())
}

// drawRequest draws the steps of a call from top to bottom, with the status of a call that does not get further.
func drawRequest() string {
	steps := []drawn{
		{"REST request, MCP tool call, registry's protocol, page", "→ op.Call: an operation, its arguments, the caller"},
		{"authenticate", "401 · a key, a session, or an address"},
		{"admit", "429 · the caller's token bucket"},
		{"bind", "400 · arguments → the operation's typed input"},
		{"entitle", "403 · what the plan allows"},
		{"reserve", "402 · the month's credits, in memory"},
		{"run", "404, 502, 503, 504 · memory → file → Redis → breaker → registry"},
		{"settle", "a durable charge, only for an answer with data"},
		{"observe", "one log line, one metric"},
		{"REST response, tool result, registry's answer, page", "← op.Reply: a document, and the facts for the headers"},
	}
	var b strings.Builder
	for i, step := range steps {
		y := boxGap + i*(boxHeight+boxGap)
		drawBox(&b, boxGap, y, pictureWidth-2*boxGap, step)
		if i > 0 {
			fmt.Fprintf(&b, "<path class=\"line\" d=\"M%d %dv%d\"/>\n", pictureWidth/2, y-boxGap, boxGap)
		}
	}

	return frame("The way of a request through Gateway.Do", len(steps), b.String())
}

func drawBox(b *strings.Builder, x, y, width int, d drawn) {
	fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", x, y, width, boxHeight)
	for i, line := range []struct{ class, text string }{{"name", d.name}, {"phrase", d.phrase}} {
		fmt.Fprintf(b, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", line.class, x+width/2, y+20+i*18,
			html.EscapeString(line.text))
	}
}

// frame returns the SVG of a picture, in the reader's colour scheme.
func frame(title string, rows int, content string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%[3]s">
<title>%[3]s</title>
<style>
rect { fill: #eef4fb; stroke: #2b6cb0 }
text { font: 13px system-ui, sans-serif; text-anchor: middle; fill: #1a202c }
.name { font-weight: 600 }
.phrase { fill: #4a5568 }
.line { stroke: #2b6cb0; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
rect { fill: #1a2a3d; stroke: #63a4e0 }
text { fill: #f7fafc }
.phrase { fill: #cbd5e0 }
.line { stroke: #63a4e0 }
}
</style>
%s</svg>
`, pictureWidth, boxGap+rows*(boxHeight+boxGap), html.EscapeString(title), content)
}
