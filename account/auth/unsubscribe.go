package auth

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/rodata/rodata/account"
)

// UnsubscribePath is the path of the page that ends the digests of a watch-list. Its query has the token of a link in
// one of them, and the language of the page. Nobody needs to sign in: the token proves that its holder got the mail.
const UnsubscribePath = Path + "/unsubscribe"

// viewDigest shows the page with the button that ends digests.
func (a *Auth) viewDigest(x *exchange) error {
	query := url.Values{"token": {x.r.URL.Query().Get("token")}, "lang": {x.r.URL.Query().Get("lang")}}
	return a.unsubscribe(x, false, pageView{
		Heading: "digest.heading", Texts: []string{"digest.text"},
		Action: UnsubscribePath + "?" + query.Encode(), Buttons: []pageButton{{Label: "digest.confirm"}},
	})
}

// endDigest ends the digests, for the button, or for a mail program that posts to the address in List-Unsubscribe (RFC
// 8058). All it needs is in the query, so the body is not read.
func (a *Auth) endDigest(x *exchange) error {
	return a.unsubscribe(x, true, pageView{Heading: "digest.ended", Texts: []string{"digest.ended.text"},
		Onward: "/dashboard/monitoring"})
}

// unsubscribe shows a page about the watch-list of the link.
func (a *Auth) unsubscribe(x *exchange, end bool, v pageView) (err error) {
	v.Subject, err = a.Unsubscribe(x.r.Context(), x.r.URL.Query().Get("token"), end)
	if errors.Is(err, account.ErrNoVerification) {
		return x.showFailure(http.StatusNotFound, "UNKNOWN_DIGEST", "/dashboard/monitoring")
	}
	if err != nil {
		return err
	}

	return x.show(http.StatusOK, v, "")
}
