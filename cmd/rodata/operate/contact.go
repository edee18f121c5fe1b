package operate

import (
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/caddymodule/adminapi"
	"github.com/rodata/rodata/cmd/rodata/command"
)

// contactCommand groups the commands on messages to the operators.
func contactCommand() *cobra.Command {
	return command.Group("contact", "Shows messages to the operators", listMessages(), showMessage())
}

func listMessages() *cobra.Command {
	var before string
	var limit int
	cmd := gatewayCommand("list [--before <id>] [--limit <number>]", "Lists messages", `
Lists the messages that were sent with the contact form, the newest first, each with
its first words. --before continues a list after its last id. Messages are kept for 13
months; the names and addresses of their senders are not verified.`,
		"rodata contact list --limit 5", 0, func(g *Gateway, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}, "before": {before}}
			return show(g, "/rodata/contact?"+query.Encode(), printMessages)
		})

	cmd.Flags().StringVar(&before, "before", "", "Id of the message after which to continue")
	cmd.Flags().IntVar(&limit, "limit", 20, "Maximum number of messages to list, 1 to 20")
	return cmd
}

func printMessages(w io.Writer, messages []adminapi.Inquiry) {
	fmt.Fprintln(w, "MESSAGE\tRECEIVED\tE-MAIL\tNAME\tBEGINS")
	for _, m := range messages {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.ID, m.ReceivedAt.Format(time.DateTime), m.Email, m.Name,
			excerpt(m.Message))
	}
}

// excerpt returns the first words of a text, as many as fit in a line.
func excerpt(text string) string {
	const room = 40
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= room {
		return string(runes)
	}

	return strings.TrimSpace(string(runes[:room])) + "…"
}

func showMessage() *cobra.Command {
	return gatewayCommand("show <message>", "Shows a message", `
Shows a message to the operators. <message> is its id, which "rodata contact list"
shows, and the mail about it. The address of the sender is not verified.`,
		"rodata contact show 019c0de5-0000-7000-8000-000000000000", 1, func(g *Gateway, args []string) error {
			return show(g, "/rodata/contact/"+url.PathEscape(args[0]), func(w io.Writer, m adminapi.Inquiry) {
				fmt.Fprintf(w, "%s <%s>\n%s UTC\n\n%s\n", m.Name, m.Email,
					m.ReceivedAt.Format(time.DateTime), m.Message)
			})
		})
}
