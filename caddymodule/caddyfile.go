package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/caddymodule/settings"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("rodata", parseApp)
	httpcaddyfile.RegisterHandlerDirective("rodata", parseHandler)
	httpcaddyfile.RegisterHandlerDirective("rodata_problem", parseProblem)
	// The handler runs before respond and error, which would otherwise answer, and after encode, so that encode can
	// compress its answers.
	httpcaddyfile.RegisterDirectiveOrder("rodata", httpcaddyfile.After, "encode")
	httpcaddyfile.RegisterDirectiveOrder("rodata_problem", httpcaddyfile.After, "encode")
}

// parseApp reads the global option rodata.
func parseApp(d *caddyfile.Dispenser, existing any) (any, error) {
	d.Next() // the option's name
	if existing != nil {
		return nil, d.Err("rodata is given twice")
	}

	s := new(settings.Settings)
	if err := s.UnmarshalCaddyfile(d); err != nil {
		return nil, err
	}

	return httpcaddyfile.App{Name: "rodata", Value: caddyconfig.JSON(s, nil)}, nil
}

// parseHandler reads the directive rodata, which has no options.
func parseHandler(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	return new(Handler), option.Table{}.Parse(h.Dispenser)
}

// parseProblem reads the directive rodata_problem, which has no options.
func parseProblem(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	return new(ProblemHandler), option.Table{}.Parse(h.Dispenser)
}
