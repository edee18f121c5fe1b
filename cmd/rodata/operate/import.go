package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

func importAccounts() *cobra.Command {
	return gatewayCommand("import <file>", "Opens accounts for users of a better-auth database", `
Opens an account for each user in a file: a JSON array of objects with the columns of
better-auth's tables user and account. email is required; name, emailVerified, image,
createdAt, password (the hash in the account of the provider "credential") and plan
(a code; default: the first of "rodata plans list") are optional. Users sign in with
the passwords they have. An address that already has an account is skipped, so an
import can be repeated. To make such a file from SQLite:

  sqlite3 -json auth.db "SELECT u.email, u.name, u.emailVerified, u.image,
    u.createdAt, a.password FROM user u LEFT JOIN account a
    ON a.userId = u.id AND a.providerId = 'credential'" > users.json`,
		"rodata accounts import users.json", 1, importFile)
}

// user is a better-auth user as exported by databases.
type user struct {
	Email         string  `json:"email"`
	Name          string  `json:"name"`
	EmailVerified truth   `json:"emailVerified"`
	Image         string  `json:"image,omitempty"`
	CreatedAt     *string `json:"createdAt,omitempty"`
	Password      string  `json:"password,omitempty"`
	Plan          string  `json:"plan,omitempty"`
}

// truth is a boolean, which SQLite exports as a number.
type truth bool

// UnmarshalJSON reads booleans, 1 and 0.
func (t *truth) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true", "1":
		*t = true
	case "false", "0", "null":
		*t = false
	default:
		return fmt.Errorf("%s is neither true nor false", text)
	}

	return nil
}

// quantity returns a number with its noun, as "2 users".
func quantity(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func importFile(g *Gateway, args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}

	var users []user
	if err := json.Unmarshal(text, &users); err != nil {
		return fmt.Errorf("reading %s: %w; the file has to be a JSON array of users", args[0], err)
	}

	var done struct {
		Imported int      `json:"imported"`
		Present  int      `json:"present"`
		Refused  []string `json:"refused"`
	}

	done.Refused = []string{}
	for i, u := range users {
		_, err := g.Send(http.MethodPost, "/rodata/accounts/import", u)
		refused, ok := errors.AsType[*refusal](err)
		switch {
		case err == nil:
			done.Imported++
		case !ok || refused.status >= http.StatusInternalServerError:
			return fmt.Errorf("the import stopped after %d of %s: %w", i, quantity(len(users), "user"), err)
		case refused.status == http.StatusConflict:
			done.Present++
		default:
			done.Refused = append(done.Refused, fmt.Sprintf("%d: %v", i+1, err))
		}
	}

	err = g.print(done, fmt.Sprintf("%s opened; %d already existed", quantity(done.Imported, "account"), done.Present))
	if len(done.Refused) > 0 && err == nil {
		err = errors.New("not imported, by their positions in the file:\n" + strings.Join(done.Refused, "\n"))
	}

	return err
}
