package accesslog

import (
	"encoding/json"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/caddymodule/internal/option"
)

func init() {
	httpcaddyfile.RegisterDirective("rodata_log", parseLog)
	httpcaddyfile.RegisterDirectiveOrder("rodata_log", httpcaddyfile.Before, "tracing")
}

// parseLog reads the directive rodata_log. Its output takes the options of Caddy's log:
//
//	rodata_log {
//		output file /var/log/rodata/access.log {
//			roll_size 100MiB
//		}
//	}
func parseLog(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	handler := new(Handler)
	if err := (option.Table{"output": outputOf(&handler.WriterRaw)}).Parse(h.Dispenser); err != nil {
		return nil, err
	}

	return append(h.NewRoute(nil, handler), errorRoute(handler)), nil
}

// errorRoute returns an error route with the handler. Caddy sorts routes with a matcher first, such as the route of
// "handle_errors 404". To be among them, this route has a matcher for all requests.
func errorRoute(h *Handler) httpcaddyfile.ConfigValue {
	return httpcaddyfile.ConfigValue{Class: "error_route", Value: &caddyhttp.Subroute{Routes: caddyhttp.RouteList{{
		MatcherSetsRaw: caddyhttp.RawMatcherSets{{}},
		HandlersRaw:    []json.RawMessage{caddyconfig.JSONModuleObject(h, "handler", "rodata_log", nil)},
	}}}}
}

// outputOf reads the name and the options of the Caddy log writer that receives the lines.
func outputOf(raw *json.RawMessage) option.Option {
	return option.Read(func(d *caddyfile.Dispenser) error {
		if !d.NextArg() {
			return d.Err("output needs a writer, such as stderr, or file with a name")
		}

		name := d.Val()
		writer, err := writerOf(d, name)
		if err != nil {
			return err
		}

		*raw = caddyconfig.JSONModuleObject(writer, "output", name, nil)
		return nil
	})
}

func writerOf(d *caddyfile.Dispenser, name string) (caddy.WriterOpener, error) {
	switch name { // these writers of package caddy have no UnmarshalCaddyfile
	case "stdout":
		return caddy.StdoutWriter{}, nil
	case "stderr":
		return caddy.StderrWriter{}, nil
	case "discard":
		return caddy.DiscardWriter{}, nil
	}

	id := "caddy.logging.writers." + name
	module, err := caddyfile.UnmarshalModule(d, id)
	if err != nil {
		return nil, err
	}

	writer, ok := module.(caddy.WriterOpener)
	if !ok {
		return nil, d.Errf("the module %s does not write logs", id)
	}

	return writer, nil
}
