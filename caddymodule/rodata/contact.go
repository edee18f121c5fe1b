package main

import (
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// contactCommand groups the commands on what people wrote to the operators.
func contactCommand() caddycmd.Command {
	return groupCommand("contact", "Shows what people wrote to the operators of a running gateway", listMessages(), showMessage())
}

// message is what somebody wrote, as the admin API tells it.
type message struct {
	ID                   string
	ReceivedAt           time.Time
	Name, Email, Message string
}

func listMessages() *cobra.Command {
	var before string
	var limit int
	cmd := gatewayCommand("list [--before <id>] [--limit <number>]", "Lists messages", `
Lists the messages that were sent to the contact form, the newest first, each with
its beginning. --before goes on behind the last id of a list before. Messages are
kept for 13 months; nobody has verified the names and addresses of their senders.`,
		"rodata contact list --limit 5", 0, func(g *remote, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			if before != "" {
				query.Set("before", before)
			}
			return show(g, "/rodata/contact?"+query.Encode(), printMessages)
		})
	cmd.Flags().StringVar(&before, "before", "", "Id of the message behind which to go on")
	cmd.Flags().IntVar(&limit, "limit", 20, "How many to list at most, 1 to 20")
	return cmd
}

func printMessages(w io.Writer, messages []message) {
	fmt.Fprintln(w, "MESSAGE\tRECEIVED\tE-MAIL\tNAME\tBEGINS")
	for _, m := range messages {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.ID, m.ReceivedAt.Format(time.DateTime), m.Email, m.Name, beginning(m.Message))
	}
}

// beginning is what of a text has room in a line.
func beginning(text string) string {
	const room = 40
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= room {
		return string(runes)
	}
	return strings.TrimSpace(string(runes[:room])) + "…"
}

func showMessage() *cobra.Command {
	return gatewayCommand("show <message>", "Shows a message", `
Shows a message to the operators. <message> is its id, as "rodata contact list" and
the mail about it tell it. An answer goes to the address in it, which nobody has
verified.`,
		"rodata contact show 019c0de5-0000-7000-8000-000000000000", 1, func(g *remote, args []string) error {
			return show(g, "/rodata/contact/"+url.PathEscape(args[0]), func(w io.Writer, m message) {
				fmt.Fprintf(w, "%s <%s>\n%s UTC\n\n%s\n", m.Name, m.Email, m.ReceivedAt.Format(time.DateTime), m.Message)
			})
		})
}
