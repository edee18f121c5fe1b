package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/cmd/rodata/command"
	"github.com/rodata/rodata/cmd/rodata/operate"
)

// configFlags adds the flags that name a configuration and the gateway that runs it.
func configFlags(cmd *cobra.Command) (config, adapter, address *string) {
	config = cmd.Flags().StringP("config", "c", "", "Configuration file")
	adapter = cmd.Flags().StringP("adapter", "a", "", "Name of its config adapter, unless it is a Caddyfile or JSON")
	address = cmd.Flags().String("address", "",
		"Address of the gateway's admin API: host:port, or unix//path (default: the configuration's)")
	return config, adapter, address
}

func stopCommand() *cobra.Command {
	cmd := command.New("stop", "Stops a running gateway", `
Tells a running gateway on this machine to stop, by way of its admin API: the one at
--address, else at the address that the configuration has for it, else at
localhost:2019. Requests in flight are answered first.`, "rodata stop", 0)
	config, adapter, address := configFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		chooseConfig(cmd)
		logForPeople(cmd.ErrOrStderr())
		at, err := caddycmd.DetermineAdminAPIAddress(*address, nil, *config, *adapter)
		if err != nil {
			return err
		}

		g := &operate.Gateway{Address: at, Out: cmd.OutOrStdout()}
		if _, err := g.Send(http.MethodPost, "/stop", nil); err != nil {
			return err
		}

		_, err = fmt.Fprintf(g.Out, "the gateway at %s is stopping\n", at)
		return err
	}

	return cmd
}

func reloadCommand() *cobra.Command {
	cmd := command.New("reload [--config <file>]", "Gives a running gateway a new configuration", `
Gives a running gateway on this machine a new configuration, by way of its admin API:
the file that --config names, else the Caddyfile in this folder, else the built-in
Caddyfile. Requests, cached answers and counters are kept. If the new configuration is
invalid, the gateway keeps the current one. In a Caddyfile, {$NAME} is an environment
variable of this command, {env.NAME} one of the gateway.`, "rodata reload --config /etc/rodata/Caddyfile", 0)
	config, adapter, address := configFlags(cmd)
	force := cmd.Flags().BoolP("force", "f", false, "Reload even if nothing has changed")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		builtIn := chooseConfig(cmd)
		logForPeople(cmd.ErrOrStderr())
		body, file, adapterUsed, err := caddycmd.LoadConfig(*config, *adapter)
		if err != nil {
			return err
		}
		if file == "" {
			return errors.New("there is no configuration: name a file with --config, or go to the folder of the " +
				"Caddyfile")
		}

		at, err := caddycmd.DetermineAdminAPIAddress(*address, body, file, *adapter)
		if err != nil {
			return err
		}

		// The gateway reloads from the same file after SIGUSR1.
		headers := http.Header{"Caddy-Config-Source-File": {file}, "Caddy-Config-Source-Adapter": {adapterUsed}}
		if *force {
			headers.Set("Cache-Control", "must-revalidate")
		}

		g := &operate.Gateway{Address: at, Out: cmd.OutOrStdout()}
		if _, err := g.Request(http.MethodPost, "/load", headers, bytes.NewReader(body)); err != nil {
			return &plainError{err}
		}

		_, err = fmt.Fprintf(g.Out, "the gateway at %s serves with %s\n", at, configName(file, builtIn))
		return err
	}

	return cmd
}

// configName is the name of a configuration in messages.
func configName(file string, builtIn bool) string {
	if builtIn {
		return "the Caddyfile built into the program"
	}
	return file
}
