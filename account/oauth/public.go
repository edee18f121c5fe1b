package oauth

import (
	"net/http"

	"github.com/rodata/rodata/internal/web"
)

// publicClient connects to public addresses only, whatever a name resolves to, and follows no redirects.
func publicClient() *http.Client {
	return &http.Client{
		Timeout: documentTimeout,
		Transport: &http.Transport{
			DialContext:         web.Endpoints{}.Dialer(documentTimeout).DialContext,
			TLSHandshakeTimeout: documentTimeout, ForceAttemptHTTP2: true,
			DisableKeepAlives: true, MaxResponseHeaderBytes: 16 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
