// Go, net/http. go mod init receiver
// It verifies Svc-Signature, without a package.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"
)

const tolerance = 300 * time.Second

var (
	secret    = []byte(os.Getenv("WEBHOOK_SECRET"))
	beginning = regexp.MustCompile(`^v1,t=([0-9]{1,12}),`)
	signature = regexp.MustCompile(`,s=([0-9a-f]{64})`)
	seen      sync.Map // use your database: a unique index on event_id
)

type Email struct {
	EventID string `json:"event_id"`
	IsTest  bool   `json:"is_test"` // a sample, not an email
	Headers struct{ Subject string }
}

func work(email Email) { fmt.Println(email.EventID, email.Headers.Subject) }

// The header is v1,t=<unix seconds>,s=<hex>, with a second s= while the secret is rotated.
func isFromInlet(header string, body []byte) bool {
	found := beginning.FindStringSubmatch(header)
	if found == nil {
		return false
	}
	seconds, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(found[1] + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, given := range signature.FindAllStringSubmatch(header, -1) {
		if bytes, err := hex.DecodeString(given[1]); err == nil && hmac.Equal(bytes, expected) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
		var email Email
		if err != nil || !isFromInlet(r.Header.Get("Svc-Signature"), body) || json.Unmarshal(body, &email) != nil {
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
