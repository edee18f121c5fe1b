package client

import "context"

// Usage is the credits of an account this month.
type Usage struct {
	Plan   string `json:"plan"`
	Period string `json:"period"`
	// MonthlyCredits is negative for a plan without a limit; CreditsRemaining is nil then.
	MonthlyCredits   int64     `json:"monthlyCredits"`
	CreditsUsed      int64     `json:"creditsUsed"`
	CreditsRemaining *int64    `json:"creditsRemaining"`
	RateLimit        RateLimit `json:"rateLimit"`
}

// RateLimit is a plan's rate of requests a second, and its burst.
type RateLimit struct {
	PerSecond int `json:"rps"`
	Burst     int `json:"burst"`
}

// Usage returns the credits of the account of the key.
func (c *Client) Usage(ctx context.Context) (*Usage, error) {
	return get[Usage](ctx, c, "/v1/usage", nil)
}
