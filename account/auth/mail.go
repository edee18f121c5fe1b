package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
)

// Mailer accepts mails for delivery. It is safe for concurrent use.
type Mailer interface {
	// Send returns once the mail is stored, or an error.
	Send(ctx context.Context, m mail.Message) error
}

// mailTemplate is a mail in Romanian and then in English, because the reader's language is unknown. The first %s is the
// service's host, the second the link. The link leads to a path below Path, with a token for a purpose; both are empty
// for a mail without a link.
type mailTemplate struct{ purpose, path, subject, romanian, english string }

// The mails.
var (
	verifyMail = mailTemplate{forEmail, "/confirm/email", "Confirmați adresa de e-mail / Confirm your e-mail address",
		"Bună ziua,\n\nConfirmați că această adresă este a dumneavoastră la %s, pe pagina de la linkul de mai jos, " +
			"în cel mult o oră:\n\n%s\n\nDacă nu v-ați înscris, nu trebuie să faceți nimic.",
		"Hello,\n\nConfirm your e-mail address at %s on the page linked below, within an hour:\n\n%s\n\n" +
			"If you did not sign up, you can ignore this message."}
	resetMail = mailTemplate{forReset, "/reset-password", "Parolă nouă / New password",
		"Bună ziua,\n\nPuteți alege o parolă nouă la %s pe pagina de la linkul de mai jos, în cel mult o oră:\n\n%s\n" +
			"\nDacă nu ați cerut o parolă nouă, nu trebuie să faceți nimic: parola actuală rămâne valabilă.",
		"Hello,\n\nYou can choose a new password at %s on the page linked below, within an hour:\n\n%s\n\n" +
			"If you did not ask for this, you can ignore this message: your current password stays valid."}
	magicLinkMail = mailTemplate{forMagic, "/confirm/sign-in", "Conectare / Sign in",
		"Bună ziua,\n\nVă puteți conecta la %s pe pagina de la linkul de mai jos, în cel mult cinci minute:\n\n%s\n\n" +
			"Dacă nu ați cerut linkul, nu trebuie să faceți nimic.",
		"Hello,\n\nYou can sign in at %s on the page linked below, within five minutes:\n\n%s\n\n" +
			"If you did not ask for this, you can ignore this message."}
	changeMail = mailTemplate{forChange, "/confirm/change", "Schimbarea adresei de e-mail / Change of your e-mail address",
		"Bună ziua,\n\nCineva conectat la contul dumneavoastră la %s a cerut ca altă adresă să o înlocuiască pe " +
			"aceasta. Dacă ați fost dumneavoastră, confirmați pe pagina de la linkul de mai jos, în cel mult o oră:\n" +
			"\n%s\n\nDacă nu, schimbați-vă parola; adresa contului rămâne neschimbată.",
		"Hello,\n\nSomeone who is signed in to your account at %s asked to replace this address with another one. If it " +
			"was you, confirm on the page linked below, within an hour:\n\n%s\n\n" +
			"If it was not, change your password; your account keeps this address."}
	newAddressMail = mailTemplate{forEmail, "/confirm/email", "Confirmați noua adresă / Confirm your new address",
		"Bună ziua,\n\nAceastă adresă va fi asociată contului dumneavoastră la %s după ce confirmați pe pagina de la " +
			"linkul de mai jos, în cel mult o oră:\n\n%s\n\nDacă nu ați cerut schimbarea, nu trebuie să faceți nimic.",
		"Hello,\n\nThis will be the address of your account at %s once you confirm on the page linked below, within an " +
			"hour:\n\n%s\n\nIf you did not ask for this, you can ignore this message."}
	deletionMail = mailTemplate{forDeletion, "/confirm/deletion", "Ștergerea contului / Deletion of your account",
		"Bună ziua,\n\nContul dumneavoastră la %s va fi șters după ce confirmați pe pagina de la linkul de mai jos, " +
			"în cel mult o zi, în browserul în care v-ați conectat:\n\n%s\n\n" +
			"Dacă nu ați cerut ștergerea, schimbați-vă parola.",
		"Hello,\n\nYour account at %s will be deleted once you confirm on the page linked below, within a day, in the " +
			"browser in which you are signed in:\n\n%s\n\nIf you did not ask for this, change your password."}
	takenMail = mailTemplate{"", "", "Aveți deja un cont / You already have an account",
		"Bună ziua,\n\nCineva a încercat să se înscrie la %s cu această adresă, care are deja un cont. Dacă ați fost " +
			"dumneavoastră, conectați-vă sau cereți o parolă nouă. Dacă nu, nu trebuie să faceți nimic.",
		"Hello,\n\nSomeone tried to sign up at %s with this address, which already has an account. If it was you, sign " +
			"in or ask for a new password. If not, you can ignore this message."}
)

// write fills in the host and the link, if any.
func (t mailTemplate) write(host, link string) string {
	values := []any{host}
	if link != "" {
		values = append(values, link)
	}
	return fmt.Sprintf(t.romanian, values...) + "\n\n--\n\n" + fmt.Sprintf(t.english, values...) + "\n"
}

// sendLink mails an address a link with a new token about a subject, and with further parameters. It does nothing if
// the address has been sent as many links as allowed.
func (a *Auth) sendLink(ctx context.Context, x *exchange, t mailTemplate, email, subject, value string,
	parameters ...string) error {
	token, err := a.issue(ctx, t.purpose, subject, value, a.mailBound(email))
	if err != nil || token == "" {
		return err
	}

	link := withParameters(x.base+Path+t.path, append(parameters, "token", token)...)
	return a.Mailer.Send(ctx, x.message(t, email, link, account.NewID()))
}

// message returns a mail that names its recipient by address only. People choose their names freely, so names could
// carry text into mails to third parties.
func (x *exchange) message(t mailTemplate, email, link, id string) mail.Message {
	host := x.base
	if u, err := url.Parse(x.base); err == nil {
		host = u.Host
	}
	return mail.Message{To: email, Subject: t.subject, Text: t.write(host, link), ID: id}
}

// notifyOwner tells the owner of an address, at most once a day, that someone tried to sign up with it.
func (a *Auth) notifyOwner(ctx context.Context, x *exchange, email string) error {
	u, _, err := a.Store.UserByEmail(ctx, email)
	if errors.Is(err, account.ErrNoUser) { // the address has changed since
		return nil
	}
	if err != nil {
		return err
	}

	id := "sign-up of " + u.ID + " on " + time.Now().UTC().Format(time.DateOnly)
	return a.Mailer.Send(ctx, x.message(takenMail, u.Email, "", id))
}
