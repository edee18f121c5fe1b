package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"

	"github.com/rodata/rodata/cmd/rodata/ask"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit/standin"
)

// setEnvironment sets the environment variables of the shipped configuration. Accounts and cached answers are always
// the sandbox's own.
func setEnvironment(registries *standin.Registries) {
	for name, value := range map[string]string{
		"RODATA_ADDRESS":          ask.DefaultURL,
		"RODATA_BIND":             "127.0.0.1",
		"RODATA_WEBHOOKS_PRIVATE": "on", // for receivers on this machine
	} {
		os.Setenv(name, cmp.Or(os.Getenv(name), value))
	}

	for name, url := range registries.Environment() {
		os.Setenv(name, url)
	}

	os.Setenv("RODATA_STORE", "")
	os.Setenv("RODATA_REDIS", "")
}

// sandboxConfig is the shipped configuration, without anything that reaches outside this process. It allows an address
// without a key rate requests a second, and logs to a file; an empty name stands for standard error.
func sandboxConfig(rate int, log string) ([]byte, error) {
	adapted, _, err := shipped.Adapt(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the Caddyfile in the program: %w", err)
	}

	var config object
	if err := json.Unmarshal(adapted, &config); err != nil {
		return nil, err
	}

	config["admin"] = object{"disabled": true, "config": object{"persist": false}}
	apps := config["apps"].(object)
	app := apps["rodata"].(object)
	app["environment"] = "sandbox"
	app["auth"].(object)["plan"] = sandboxPlan // which cannot be bought here
	if rate != metering.Anonymous.N {
		app["anonymous"] = object{"per_second": rate, "burst": 10 * rate}
	}

	upstreams := app["upstreams"].(object)
	register := upstreams["anaf"].(object)
	register["timeout"] = "3s"                     // for the number with a hanging answer
	register["breaker"] = object{"failures": 1000} // failing numbers must not open the breaker for others
	upstreams["vies"].(object)["timeout"] = "3s"
	if log != "" {
		logTo(config, log)
	}

	return json.Marshal(config)
}

// logTo makes a configuration write all logs, including the access log, to one file. The file is not rotated, because
// each log would rotate it separately.
func logTo(config object, file string) {
	writer := object{"output": "file", "filename": file, "roll": false}
	for _, log := range member(config, "logging", "logs") {
		log.(object)["writer"] = writer
	}

	eachObject(config["apps"], "handler", "rodata_log", func(access object) { access["writer"] = writer })
}
