package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/account"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("rodata", parseApp)
	httpcaddyfile.RegisterHandlerDirective("rodata", parseHandler)
	httpcaddyfile.RegisterHandlerDirective("rodata_problem", parseProblem)
	// Before respond and error, which would answer in our place; after encode,
	// which compresses what we answer.
	httpcaddyfile.RegisterDirectiveOrder("rodata", httpcaddyfile.After, "encode")
	httpcaddyfile.RegisterDirectiveOrder("rodata_problem", httpcaddyfile.After, "encode")
}

// parseApp reads the global option rodata.
func parseApp(d *caddyfile.Dispenser, existing any) (any, error) {
	d.Next() // the option's name
	if existing != nil {
		return nil, d.Err("rodata is given twice")
	}
	app := new(App)
	if err := app.UnmarshalCaddyfile(d); err != nil {
		return nil, err
	}
	return httpcaddyfile.App{Name: "rodata", Value: caddyconfig.JSON(app, nil)}, nil
}

// UnmarshalCaddyfile reads the block of the global option; the Caddyfile at the
// root of the repository shows every row.
func (a *App) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return options{
		"data_dir":       text(&a.DataDir),
		"base_url":       text(&a.BaseURL, checkBaseURL),
		"environment":    text(&a.Environment, checkEnvironment),
		"key_prefix":     text(&a.KeyPrefix, account.CheckPrefix),
		"key_management": value(&a.KeyManagement, readKeyManagement),
		"secret":         text(&a.Secret),
		"anonymous":      a.Anonymous.read,
		"plan ...":       a.readPlan,
		"cache":          block(a.Cache.options()),
		"upstream ...":   a.Upstreams.read(),
		"store":          a.Store.read,
		"store_url":      text(&a.StoreURL, checkStoreURL),
		"redis":          block(a.Redis.options()),
		"mail":           block(a.Mail.options()),
		"auth":           block(a.Auth.options()),
		"billing":        block(a.Billing.options()),
		"oauth":          text(&a.OAuth, checkSwitch),
	}.parse(d)
}

func (a *App) readPlan(d *caddyfile.Dispenser) error {
	var plan Plan
	if !d.Args(&plan.Code) {
		return d.Err("plan needs a code, as in: plan starter { ... }")
	}
	for _, other := range a.Plans {
		if other.Code == plan.Code {
			return d.Errf("plan %s is given twice", plan.Code)
		}
	}
	if err := plan.options().parse(d); err != nil {
		return err
	}
	if _, err := plan.metering(); err != nil {
		return d.WrapErr(err)
	}
	a.Plans = append(a.Plans, plan)
	return nil
}

// parseHandler reads the directive rodata, which has no options.
func parseHandler(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	return new(Handler), options{}.parse(h.Dispenser)
}

// parseProblem reads the directive rodata_problem, which has no options.
func parseProblem(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	return new(ProblemHandler), options{}.parse(h.Dispenser)
}
