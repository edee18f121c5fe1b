package standin

import (
	"net/http"
	"time"

	"github.com/rodata/rodata/ro"
)

// The company numbers that trigger failures, for integrators. Each of them, except NumberOmitted, affects every request
// to the tax authority that contains it.
const (
	// NumberUnknown is a valid number that no register has.
	NumberUnknown ro.CUI = 9_900_009_990
	// NumberFirewall makes the tax authority answer with its firewall's page.
	NumberFirewall ro.CUI = 9_900_009_010
	// NumberMaintenance makes the tax authority answer with its maintenance page.
	NumberMaintenance ro.CUI = 9_900_009_028
	// NumberReset makes the tax authority reset the connection.
	NumberReset ro.CUI = 9_900_009_036
	// NumberHang makes the tax authority never answer.
	NumberHang ro.CUI = 9_900_009_044
	// NumberBusy makes the tax authority answer 429 and ask to wait two seconds.
	NumberBusy ro.CUI = 9_900_009_052
	// NumberError makes the tax authority answer 200 with an error in the body.
	NumberError ro.CUI = 9_900_009_060
	// NumberOmitted is a company of the trade register that the tax authority's answers omit. Its VAT status, its
	// inactivity, and its entries in the other registers are therefore unknown. Other companies are not affected.
	NumberOmitted ro.CUI = 9_900_009_079
)

// FaultNumber is a company number that causes a failure.
type FaultNumber struct {
	// CUI is the number.
	CUI ro.CUI
	// Fault is the fault of the tax authority's answer. It is empty for none.
	Fault Fault
	// Happens describes the registry's behaviour in a sentence without a full stop.
	Happens string
	// Status is the gateway's answer: 404, 502, 503 or 504; 200 if the trade register knows the company.
	Status int
}

// FaultNumbers lists the numbers that trigger failures, for the sandbox's documentation and its tests.
//
// With default settings, a few failing numbers in a row open a gateway's breaker. The gateway then answers 503 for
// every company that is not cached. The sandbox's breaker does not open for them.
var FaultNumbers = []FaultNumber{
	{NumberUnknown, Fault{}, "the registry does not know the number", http.StatusNotFound},
	{NumberFirewall, WAF, "the registry's firewall answers with its HTML page", http.StatusBadGateway},
	{NumberMaintenance, Maintenance, "the registry answers with its maintenance page", http.StatusBadGateway},
	{NumberReset, Reset, "the registry resets the connection", http.StatusBadGateway},
	{NumberError, ErrorEnvelope, "the registry answers with an error envelope", http.StatusBadGateway},
	{NumberBusy, Status(http.StatusTooManyRequests, 2*time.Second), "the registry allows no request for 2 seconds",
		http.StatusServiceUnavailable},
	{NumberHang, Hang, "the registry does not answer until the gateway gives up", http.StatusGatewayTimeout},
	{NumberOmitted, Fault{}, "the tax authority's answer omits the company; only the trade register's data is returned",
		http.StatusOK},
}

// faultOf returns the fault of a number.
func faultOf(c ro.CUI) Fault {
	for _, n := range FaultNumbers {
		if n.CUI == c {
			return n.Fault
		}
	}

	return Fault{}
}
