// Go, net/http. go mod init receiver; go get github.com/standard-webhooks/standard-webhooks/libraries
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

var seen sync.Map // use your database: a unique index on event_id

type Email struct {
	EventID string `json:"event_id"`
	IsTest  bool   `json:"is_test"` // a sample, not an email
	Headers struct{ Subject string }
}

func work(email Email) { fmt.Println(email.EventID, email.Headers.Subject) }

func main() {
	webhook, _ := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
		var email Email
		if err != nil || webhook.Verify(body, r.Header) != nil || json.Unmarshal(body, &email) != nil ||
			strings.HasPrefix(email.EventID, "ask_") { // a question to a hook is no webhook
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if _, isKnown := seen.LoadOrStore(email.EventID, true); !isKnown && !email.IsTest {
			go work(email) // after the response
		}
		w.WriteHeader(http.StatusNoContent)
	})
	panic(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
