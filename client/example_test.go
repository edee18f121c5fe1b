package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/rodata/rodata/client"
)

// gateway stands in for a gateway: programs use its address, such as https://api.example.ro.
func gateway(contentType, body string, status int) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
}

func Example() {
	server := gateway("application/json",
		`{"taxId": 9900000010, "name": "EXEMPLU TRANSILVAN S.R.L.", "vatPayer": true}`, 200)
	defer server.Close()

	c, err := client.New(client.Options{URL: server.URL})
	if err != nil {
		log.Fatal(err)
	}

	company, err := c.Company(context.Background(), "RO9900000010", client.CompanyOptions{})
	if err != nil {
		log.Fatal(err)
	}

	switch {
	case company.VATPayer == nil:
		fmt.Println(company.Name, "may be registered for VAT: nothing says so")
	case *company.VATPayer:
		fmt.Println(company.Name, "is registered for VAT")
	default:
		fmt.Println(company.Name, "is not registered for VAT")
	}
	// Output: EXEMPLU TRANSILVAN S.R.L. is registered for VAT
}

func ExampleProblem() {
	server := gateway("application/problem+json",
		`{"status": 404, "code": "not-found", "detail": "no register knows a company with the CUI 9900009990"}`, 404)
	defer server.Close()

	c, err := client.New(client.Options{URL: server.URL})
	if err != nil {
		log.Fatal(err)
	}

	_, err = c.Company(context.Background(), "9900009990", client.CompanyOptions{})
	var problem *client.Problem
	if errors.As(err, &problem) && problem.Code == client.CodeNotFound {
		fmt.Println(problem.Detail)
	}
	// Output: no register knows a company with the CUI 9900009990
}

func ExampleClient_Batch() {
	server := gateway("application/x-ndjson",
		`{"index": 0, "reference": "S-1", "taxId": 9900000010, "status": 200, "company": {"taxId": 9900000010, "name": "EXEMPLU TRANSILVAN S.R.L."}}
{"index": 1, "reference": "S-2", "taxId": 9900009990, "status": 404, "problem": {"code": "not-found", "detail": "no register knows it"}}
{"summary": {"count": 2, "found": 1, "notFound": 1, "creditsCost": 1}}
`, 200)
	defer server.Close()

	c, err := client.New(client.Options{URL: server.URL})
	if err != nil {
		log.Fatal(err)
	}

	suppliers := client.Batch{Items: []client.BatchQuery{
		{TaxID: "9900000010", Reference: "S-1"}, {TaxID: "9900009990", Reference: "S-2"},
	}}
	for item, err := range c.Batch(context.Background(), suppliers) {
		switch {
		case err != nil:
			log.Fatal(err) // also if the connection was cut before the end
		case item.Problem != nil:
			fmt.Println(item.Reference, item.Problem.Code)
		default:
			fmt.Println(item.Reference, item.Company.Name)
		}
	}
	// Output:
	// S-1 EXEMPLU TRANSILVAN S.R.L.
	// S-2 not-found
}

func ExampleClient_Rates() {
	server := gateway("application/json",
		`{"date": "2026-06-10", "requestedDate": "2026-06-10", "items": [{"currency": "EUR", "rate": 5.2344}]}`, 200)
	defer server.Close()

	c, err := client.New(client.Options{URL: server.URL})
	if err != nil {
		log.Fatal(err)
	}

	day, err := client.ParseDate("2026-06-10")
	if err != nil {
		log.Fatal(err)
	}

	rates, err := c.Rates(context.Background(), day, client.FixingBasis, "EUR")
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(rates.Date, rates.Items[0].Currency, rates.Items[0].Rate)
	// Output: 2026-06-10 EUR 5.2344
}

func ExampleVerifier() {
	verifier, err := client.NewVerifier("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		log.Fatal(err)
	}

	hook := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event, err := verifier.Event(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}

		fmt.Println(event.Type, event.ID) // an event that was seen before is acknowledged and skipped
	})

	forged := httptest.NewRequest(http.MethodPost, "/hook", nil)
	answer := httptest.NewRecorder()
	hook.ServeHTTP(answer, forged)
	fmt.Print(answer.Body)
	// Output: the message is not signed with the secret of this webhook
}
