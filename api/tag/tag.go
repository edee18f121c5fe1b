// Package tag declares the groups of operations.
package tag

import "github.com/rodata/rodata/op"

// The groups.
var (
	Companies = op.Tag{Name: "Companies", Description: "Company profiles by tax id, and trade register search."}
	Watching  = op.Tag{Name: "Watching", Description: "Watch-lists of companies, and changes to them. These operations " +
		"need an API key or a signed-in session."}
	Webhooks = op.Tag{Name: "Webhooks", Description: "Endpoints of the account to which changes are sent, and the " +
		"deliveries. These operations need an API key or a signed-in session."}
	VATNumbers = op.Tag{Name: "VAT numbers", Description: "VAT numbers of the European Union, checked in VIES."}
	Jobs       = op.Tag{Name: "Jobs", Description: "Look-ups of up to 200,000 companies from a file, which is returned " +
		"with the registers' data. These operations need an API key or a signed-in session."}
	Releases = op.Tag{Name: "Releases", Description: "The whole trade register, in files for data tools."}
	CAEN     = op.Tag{Name: "CAEN", Description: "The official classification of activities, Rev.3, with its " +
		"Rev.2 predecessors."}
	Places        = op.Tag{Name: "Places", Description: "Counties and localities, with the tax authority's and SIRUTA codes."}
	ExchangeRates = op.Tag{Name: "Exchange rates", Description: "The central bank's reference rates, their history, and " +
		"conversion."}
	Calendar = op.Tag{Name: "Calendar", Description: "Public holidays, bank days, and due dates computed with them."}
	Account  = op.Tag{Name: "Account", Description: "The caller's own API keys. These operations need an API key " +
		"or a signed-in session."}
	Billing = op.Tag{Name: "Billing", Description: "Plans for sale, the subscription, invoices. These " +
		"operations need an API key or a signed-in session."}
	System = op.Tag{Name: "System", Description: "Service status, plans, contact."}
)

// All are the groups in display order.
var All = []op.Tag{
	Companies, Watching, Webhooks, VATNumbers, Jobs, Releases, CAEN, Places, ExchangeRates, Calendar, Account, Billing,
	System,
}
