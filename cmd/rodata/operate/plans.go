package operate

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/cmd/rodata/command"
)

// plansCommand groups the commands on plans, which are configured in the Caddyfile.
func plansCommand() *cobra.Command {
	list := gatewayCommand("list", "Lists the plans", `
Lists the plans of a running gateway: their credits a month, requests a second and at
once, and price in EUR a month. Plans are set in the Caddyfile, and changed with
"rodata reload".`,
		"rodata plans list", 0, func(g *Gateway, _ []string) error { return show(g, "/rodata/plans", printPlans) })
	return command.Group("plans", "Lists the plans", list)
}

func printPlans(w io.Writer, plans []customer.Plan) {
	fmt.Fprintln(w, "PLAN\tNAME\tCREDITS\tRATE\tBURST\tPRICE\tPURCHASABLE")
	for _, p := range plans {
		credits := "unlimited"
		if p.MonthlyCredits >= 0 {
			credits = strconv.FormatInt(p.MonthlyCredits, 10)
		}

		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%t\n", p.Code, p.Name, credits, p.RateLimitRPS, p.RateLimitBurst,
			p.PriceEURMonthly.Fixed(2), p.Purchasable)
	}
}
