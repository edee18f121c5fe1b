package settings

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/caddymodule/internal/option"
)

// UnmarshalCaddyfile reads the block of the global option rodata. The Caddyfile at the root of the repository shows
// every row.
func (s *Settings) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return s.options().Parse(d) }

// options are the options of the app.
func (s *Settings) options() option.Table {
	return option.Table{
		"data_dir":       option.Text(&s.DataDir),
		"base_url":       option.Text(&s.BaseURL, checkBaseURL),
		"environment":    option.Text(&s.Environment, checkEnvironment),
		"key_prefix":     option.Text(&s.KeyPrefix, account.CheckPrefix),
		"key_management": option.Value(&s.KeyManagement, readKeyManagement),
		"secret":         option.Secret(&s.Secret),
		"anonymous":      option.Read(s.Anonymous.read),
		"batch":          option.Block(s.Batch.rows()),
		"watch":          option.Block(s.Watch.rows()),
		"jobs":           option.Block(s.Jobs.rows()),
		"plan ...":       option.Read(s.readPlan),
		"cache":          option.Block(s.Cache.rows()),
		"observe":        option.Block(s.Observe.rows()),
		"upstream ...":   option.Read(s.Upstreams.reader()),
		"store":          option.Read(s.Store.read),
		"store_url":      option.Secret(&s.StoreURL, checkStoreURL),
		"redis":          option.Block(s.Redis.rows()),
		"mail":           option.Block(s.Mail.rows()),
		"auth":           option.Block(s.Auth.rows()),
		"billing":        option.Block(s.Billing.rows()),
		"webhooks":       option.Block(s.Webhooks.rows()),
		"oauth":          option.Text(&s.OAuth, checkSwitch),
	}
}

func (s *Settings) readPlan(d *caddyfile.Dispenser) error {
	var plan Plan
	if !d.Args(&plan.Code) {
		return d.Err("plan needs a code, as in: plan starter { ... }")
	}

	for _, other := range s.Plans {
		if other.Code == plan.Code {
			return d.Errf("plan %s is given twice", plan.Code)
		}
	}

	if err := plan.rows().Parse(d); err != nil {
		return err
	}
	if _, err := plan.metering(); err != nil {
		return d.WrapErr(err)
	}

	s.Plans = append(s.Plans, plan)
	return nil
}
