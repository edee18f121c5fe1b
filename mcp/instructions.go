package mcp

// instructions describe the server to a model before it picks a tool. Some clients show only the first 512 characters,
// so these must be self-contained.
const instructions = `Romanian public registers: companies (tax authority ANAF, trade register ONRC), CAEN Rev.3 activity codes, counties and cities, official exchange rates (National Bank, BNR). ` +
	`Search, then get: search_companies returns the CUI for get_company; search_caen_codes returns the code for get_caen_code. ` +
	`CAEN means Rev.3; a Rev.2 code that was dropped returns its successors. Rates are in RON for 1 unit. ` +
	`Company and VAT number calls cost 1 credit with a key; all else is free. No key is needed, but limits are lower.` +
	`

To follow changes, watch_company adds a company to the caller's watch-list (1 credit a month), and list_changes returns what changed; keep its nextCursor for the next call.
If the CUI is known, call get_company directly: digits only, without RO. In a company's profile, an absent value means that no register provided it, never "no"; sources shows how old each part is.
For a customer's VAT number in any member state, call check_vat_number. The status unknown means that the member state could not be queried, never that the number is invalid.
Fixings are published on business days at about 13:00 in Bucharest. For a day without one, the answer is the last fixing before it, and date shows which. For an invoice in foreign currency, use basis=invoice.
Compute due dates with add_business_days, never yourself: it knows the public holidays of each year; get_holidays lists them.
An error is a problem object: its detail says what was wrong and what to send instead. After 429, wait for retryAfterSeconds. After 502, 503 or 504, the registry failed: try again later; nothing was charged. After 402, the month's credits are used up: retrying does not help; get_usage shows how they were used. After 401, the tool needs a key, which only a person can add to the client's settings.`
