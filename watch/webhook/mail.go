package webhook

import (
	"cmp"
	"fmt"
	"net/url"
	"time"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/watch/store"
)

// disableReason explains in Romanian and in English why a webhook was disabled. The remedy says how to enable it again,
// if that takes more than a working endpoint.
type disableReason struct{ reason, remedy [2]string }

// disableReasons are the reasons of which the owner is told, by their names in the store.
var disableReasons = map[string]disableReason{
	gone: {reason: [2]string{"adresa a răspuns cu 410: nu mai primește evenimente",
		"its endpoint answered 410: it takes no more events"}},
	failing: {reason: [2]string{"nicio încercare din ultimele trei zile nu a reușit",
		"no attempt in the last three days has succeeded"}},
	store.NoWatchlist: {
		reason: [2]string{"lista de monitorizare căreia îi era destinat a fost ștearsă", "its watch-list was deleted"},
		remedy: [2]string{"Dați-i alte liste (PATCH /v1/webhooks/%[1]s cu {\"watchlists\": [\"wl_...\"]}, sau cu " +
			"{\"watchlists\": [], \"state\": \"active\"} pentru toate) ori ștergeți-l.",
			"Give it other watch-lists (PATCH /v1/webhooks/%[1]s with {\"watchlists\": [\"wl_...\"]}, or with " +
				"{\"watchlists\": [], \"state\": \"active\"} for all) or delete it."},
	},
	store.KeyRevoked: {
		reason: [2]string{"cheia cu care a fost creat a fost revocată sau a expirat",
			"the key that it was made with was revoked or has expired"},
		remedy: [2]string{"Dacă adresa este a dumneavoastră, reactivați-l (PATCH /v1/webhooks/%[1]s cu {\"state\": " +
			"\"active\"}); altfel ștergeți-l.",
			"If the endpoint is yours, make it active (PATCH /v1/webhooks/%[1]s with {\"state\": \"active\"}); " +
				"otherwise delete it."},
	},
}

// usualRemedy explains how to enable a webhook again once its endpoint works.
var usualRemedy = [2]string{
	"După ce adresa răspunde din nou, reactivați-l (PATCH /v1/webhooks/%[1]s cu {\"state\": \"active\"}) și cereți " +
		"din nou evenimentele care au lipsit (POST /v1/webhooks/%[1]s/replay). Evenimentele rămân 90 de zile.",
	"Once the endpoint answers again, make it active (PATCH /v1/webhooks/%[1]s with {\"state\": \"active\"}) and ask " +
		"again for the events that are missing (POST /v1/webhooks/%[1]s/replay). Events are kept for 90 days.",
}

// disabledMail notifies the owner of a webhook that it was disabled. It names only the endpoint's host, because the
// rest of the URL may be secret.
func disabledMail(to, site string, hook *store.Webhook) mail.Message {
	host := hook.URL
	if u, err := url.Parse(hook.URL); err == nil {
		host = u.Host
	}

	site = cmp.Or(site, "rodata")
	why := disableReasons[hook.Disabled]
	reason, remedy := why.reason, cmp.Or(why.remedy, usualRemedy)

	return mail.Message{
		To: to,
		ID: fmt.Sprintf("webhook %s disabled %s %s", hook.ID, hook.Disabled,
			hook.FailingSince.UTC().Format(time.RFC3339)),
		Subject: "Webhook dezactivat / Webhook disabled",
		Text: fmt.Sprintf("Bună ziua,\n\nWebhookul %[1]s către %[2]s de la %[3]s a fost dezactivat: %[4]s.\n\n"+
			remedy[0]+"\n\n--\n\n"+
			"Hello,\n\nThe webhook %[1]s to %[2]s at %[3]s was disabled: %[5]s.\n\n"+remedy[1]+"\n",
			hook.ID, host, site, reason[0], reason[1]),
	}
}
