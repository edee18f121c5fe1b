package mcp

// instructions describe the server to a model before it picks a tool. Some clients show only the first 512 characters,
// so these must be self-contained.
const instructions = `Romanian public registers: companies (tax authority ANAF, trade register ONRC), CAEN Rev.3 activity codes, counties and cities, official exchange rates (National Bank, BNR). ` +
	`Search, then get: search_companies gives the CUI for get_company; search_caen_codes gives the code for get_caen_code. ` +
	`CAEN is Rev.3; a dropped Rev.2 code answers with its successors. Rates are RON for 1 unit. ` +
	`Company and VAT number calls cost 1 credit with a key; all else is free. No key is needed, but limits are lower.` +
	`

To be told of changes, watch_company adds a company to the caller's watch-list (1 credit a month), and list_changes says what changed; keep its nextCursor for the next time.
When the CUI is known, call get_company at once: digits only, without RO. In a company's profile an absent value means that no register gave it, never "no"; sources says how old each part is.
For a customer's VAT number in any member state call check_vat_number. Its status unknown means that the member state could not be asked, and never that the number is invalid.
Fixings are published on business days at about 13:00 in Bucharest. A day without one answers with the last before it, and date says which. For an invoice in foreign currency use basis=invoice.
Compute due dates with add_business_days, never by yourself: it knows the public holidays of each year; get_holidays lists them.
An error is a problem object: its detail says what was wrong and what to send instead. After 429 wait the seconds of retryAfterSeconds; after 502, 503 or 504 the registry failed: try again later, nothing was charged. After 402 the month's credits are used up: repeating does not help, get_usage says what was used. After 401 the tool needs a key, which only a person can put into the client's settings.`
