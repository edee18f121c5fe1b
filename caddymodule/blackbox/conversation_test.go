package blackbox

import (
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/conversation"
	"github.com/rodata/rodata/testkit/mailserver"
	"github.com/rodata/rodata/testkit/standin"
)

// TestConversations runs the conversations in testdata with gateways.
func TestConversations(t *testing.T) {
	conversation.RunAll(t, "testdata/*.txt", func(t *testing.T) *conversation.Conversation {
		return &newTalk(t).Conversation
	})
}

// talk is a conversation with a gateway.
type talk struct {
	conversation.Conversation
	gateway *gateway
	mails   *mailserver.Server
	shop    shop
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	paths, codes := companies(t), problem.InputCodes
	sum := sha256.Sum256([]byte("true"))
	c := new(talk)
	c.Send = c.send
	c.Values = map[string]string{
		"company": company(t),
		"long":    strings.Repeat("x", 600), "large": strings.Repeat("9900000010\n", 2<<20),
		"many": strings.Join(numbers(t, 101), "\n"), "firstCode": string(codes[0].Code),
		"lastCode": string(codes[len(codes)-1].Code),
		"nested":   strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "notUTF8": "\xff",
		"today": ro.Today().String(), "tagOfTrue": base64.RawURLEncoding.EncodeToString(sum[:12]),
	}
	for i, path := range paths {
		c.Values[fmt.Sprint("company", i)] = filepath.Base(path)
	}

	c.Steps = map[string]func(*testing.T, string){
		"start": c.start, "start-any": func(t *testing.T, _ string) { c.meet(anyGateway(t)) },
		"set": func(_ *testing.T, setting string) {
			path, value, _ := strings.Cut(setting, " ")
			c.gateway.set(path, value)
		},
		"reload":  func(t *testing.T, _ string) { c.gateway.reload(t) },
		"restart": func(t *testing.T, _ string) { testkit.NoError(t, caddy.Stop()); c.gateway.reload(t) },
		"account": c.openAccount, "sign-up": c.signUp, "grant": c.grant, "mail": c.readMail,
		"token":  func(t *testing.T, link string) { c.Values["token"] = tokenOf(t, link) },
		"verify": c.verifyJWT,
		"anaf": func(t *testing.T, fault string) {
			c.gateway.registries.ANAF.Always(testkit.Must(standin.ParseFault(fault)))
		},
		"anaf-at": func(t *testing.T, arguments string) {
			path, fault, _ := strings.Cut(arguments, " ")
			c.gateway.registries.ANAF.AlwaysAt(path, testkit.Must(standin.ParseFault(fault)))
		},
		"asked-at": func(t *testing.T, arguments string) {
			path, times, _ := strings.Cut(arguments, " ")
			if n := fmt.Sprint(c.gateway.registries.ANAF.RequestsTo(path)); n != times {
				t.Errorf("%s was asked %s times, want %s", path, n, times)
			}
		},
		"pay": c.shop.pay, "bill": c.shop.bill, "end-subscription": func(t *testing.T, _ string) {
			c.shop.tell(t, c.shop.stripe.Change(c.shop.subscription, "canceled", "", "customer.subscription.deleted"))
		},
		"subscriptions": func(t *testing.T, n string) {
			if got := fmt.Sprint(c.shop.stripe.Subscriptions()); got != n {
				t.Errorf("there are %s subscriptions, want %s", got, n)
			}
		},
		"not-on-disk": func(t *testing.T, secret string) {
			if _, path, found := strings.Cut(secret, "/watchlists/"); found { // the address of a feed
				secret, _, _ = strings.Cut(path, "/")
			}
			planted{"secret": secret}.notIn(t, os.Getenv("RODATA_DATA_DIR"))
		},
	}
	return c
}

// start starts a gateway: with the admin API, an account of a number of credits, a plan of a number of credits, a mail
// server, a loaded trade register, a prefix of the registries' protocols, a member state that is down, or settings.
func (c *talk) start(t *testing.T, names string) {
	t.Helper()
	var changes []func(*gateway)
	var admin gateway
	var w wallet
	for name := range strings.FieldsSeq(names) {
		name, value, _ := strings.Cut(name, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "admin":
			changes = append(changes, withAdmin(t, &admin))
		case "paying":
			changes = append(changes, paying(t, &w, n))
		case "plan":
			changes = append(changes, func(g *gateway) { g.sell(n) })
		case "shop":
			changes = append(changes, c.shop.stock(t)...)
		case "mail":
			c.mails = mailserver.Start(t, mailserver.Options{})
			changes = append(changes, mailTo(c.mails.Address()))
		case "register":
			changes = append(changes, withTradeRegister(t))
		case "prefix":
			changes = append(changes, func(g *gateway) { handler(g.config, "rodata_compat")["prefix"] = value })
		case "down":
			changes = append(changes,
				func(g *gateway) { g.registries.VIES.Fail(ro.MemberState(value), "MS_UNAVAILABLE") })
		default:
			changes = append(changes, func(g *gateway) { g.set(name, value) })
		}
	}

	c.meet(start(t, changes...))
	c.Values["metrics"], c.Values["admin"] = c.gateway.metricsURL, admin.url
	c.Values["account"], c.Values["key"] = w.account, cmp.Or(w.key, c.shop.key)
}

func (c *talk) meet(g *gateway) { c.gateway, c.Values["url"] = g, g.url }

// set changes a setting of the app, as auth.sign_up, which takes effect at the start or with a reload.
func (g *gateway) set(path, value string) {
	settings, names := g.app(), strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		if settings[name] == nil {
			settings[name] = object{}
		}
		settings = settings[name].(object)
	}

	var parsed any
	if json.Unmarshal([]byte(value), &parsed) != nil {
		parsed = value
	}
	settings[names[len(names)-1]] = parsed
}

// openAccount opens an account on a plan, with a key.
func (c *talk) openAccount(t *testing.T, plan string) {
	t.Helper()
	c.Values["account"], c.Values["key"] = operator{t, &gateway{url: c.Values["admin"]}}.opens(plan)
}

// signUp begins the session of a new user.
func (c *talk) signUp(t *testing.T, email string) {
	t.Helper()
	c.Values["cookie"] = c.gateway.signUp(t, email, "o parolă lungă")
}

// grant lets a program call in the name of the user.
func (c *talk) grant(t *testing.T, _ string) {
	t.Helper()
	c.Values["token"] = c.gateway.token(t, c.Values["cookie"])
}

// readMail reads the next mail, which has a part of its text, and the token in its link.
func (c *talk) readMail(t *testing.T, part string) {
	t.Helper()
	mail := c.mails.Next(t)
	if part != "" {
		if !strings.Contains(string(mail.Raw), part) {
			t.Errorf("the mail lacks %s:\n%s", part, mail.Raw)
		}
		return
	}

	_, link, _ := strings.Cut(mail.Read(t).Text, c.gateway.url)
	link, _, _ = strings.Cut(link, "\n")
	c.Values["token"] = tokenOf(t, link)
}

// send sends a request. The method TOOL stands for a tool call, whose address is the name with the arguments.
func (c *talk) send(t *testing.T, q conversation.Request) (conversation.Answer, error) {
	t.Helper()
	more := request{body: q.Body, header: map[string]string{}}
	for name := range q.Header {
		more.header[name] = q.Header.Get(name)
	}

	if q.Method == "TOOL" {
		name, arguments, _ := strings.Cut(q.Address, " ")
		call := toolCallOf("", name, arguments)
		q.Method, q.Address, more.body = http.MethodPost, "/mcp"+more.header["Query"], call.body
		for name, value := range call.header {
			more.header[name] = value
		}
	}

	to := &gateway{url: c.gateway.url, registries: c.gateway.registries}
	if strings.HasPrefix(q.Address, "http") {
		to.url = ""
	}
	return to.do(t, q.Method, q.Address, more).answer(), nil
}

// verifyJWT verifies a JWT with the public key whose coordinate is {x}.
func (c *talk) verifyJWT(t *testing.T, jwt string) {
	t.Helper()
	key, err := base64.RawURLEncoding.DecodeString(c.Values["x"])
	testkit.NoError(t, err)

	end := strings.LastIndexByte(jwt, '.')
	signature, err := base64.RawURLEncoding.DecodeString(jwt[end+1:])
	if err != nil || !ed25519.Verify(key, []byte(jwt[:end]), signature) {
		t.Errorf("%v: the signature is invalid", err)
	}
}
