package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/kb"
)

// maxSecret bounds a file with a secret, and the answer with a token, in bytes.
const maxSecret = 64 << 10

// read gives the secret. The error does not repeat it.
func (p Place) read() (string, error) {
	var secret string
	switch {
	case p.Env != "":
		secret = os.Getenv(p.Env)
	case p.File != "":
		f, err := infile.OpenStream(p.File)
		if err != nil {
			return "", err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxSecret))
		if err != nil {
			return "", err
		}
		secret = string(data)
	}
	if secret = strings.TrimSpace(secret); secret == "" {
		return "", fmt.Errorf("no secret in the environment variable %q or the file %q; set one of them", p.Env, p.File)
	}
	return secret, nil
}

// login is how a source tells who asks; nil where it does not.
func (s *Source) login(service *kb.Service) (*kb.Auth, error) {
	if s.Auth == nil {
		return nil, nil
	}
	if (s.Auth.Secret.Env == "") == (s.Auth.Secret.File == "") {
		return nil, errors.New("auth: expected secret: {env: NAME} or secret: {file: PATH}")
	}
	for _, a := range service.Auth {
		if s.Auth.Kind != "" && a.Kind != s.Auth.Kind {
			continue
		}
		if a.Kind == kb.AuthOAuth2 && s.Auth.ID == "" {
			return nil, errors.New("auth: oauth2 needs id, the client's id")
		}
		return &a, nil
	}
	if len(service.Auth) == 0 {
		return nil, errors.New("auth: the service has no authentication; remove auth")
	}
	var kinds []string
	for _, a := range service.Auth {
		kinds = append(kinds, string(a.Kind))
	}
	return nil, fmt.Errorf("auth: kind: %q; expected %s", s.Auth.Kind, strings.Join(kinds, " or "))
}

// Secrets provides the credentials of sources. Tokens are requested when needed and kept in memory only.
type Secrets struct {
	Client *http.Client // requests tokens

	mu     sync.Mutex
	tokens map[*Source]token
}

type token struct {
	value  string
	expire time.Time
}

// Of returns the secret of a source; nil for none. renew requests a new token after the service refused the old one.
func (s *Secrets) Of(ctx context.Context, source *Source, service *kb.Service, base *url.URL, renew bool) (*fetch.Secret, error) {
	auth, err := source.login(service)
	if auth == nil || err != nil {
		return nil, err
	}
	secret, err := source.Auth.Secret.read()
	if err != nil {
		return nil, fmt.Errorf("the secret of %s: %w", source.Service, err)
	}
	switch auth.Kind {
	case kb.AuthKey:
		return &fetch.Secret{Header: auth.Header, Param: auth.Param, Value: secret}, nil
	case kb.AuthOAuth2:
		if secret, err = s.token(ctx, source, auth, base, secret, renew); err != nil {
			return nil, fmt.Errorf("requesting a token for %s: %w", source.Service, err)
		}
	}
	return &fetch.Secret{Header: "Authorization", Value: "Bearer " + secret}, nil
}

// token gives a token that is valid.
func (s *Secrets) token(ctx context.Context, source *Source, auth *kb.Auth, base *url.URL, secret string, renew bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tokens[source]; ok && !renew && time.Now().Before(t.expire) {
		return t.value, nil
	}
	at := auth.Token
	if source.Auth.Token != "" {
		at = source.Auth.Token
	}
	u, err := base.Parse(at)
	if err != nil {
		return "", err
	}
	t, err := s.ask(ctx, u.String(), source.Auth.ID, secret)
	if err != nil {
		return "", err
	}
	if s.tokens == nil {
		s.tokens = map[*Source]token{}
	}
	s.tokens[source] = t
	return t.value, nil
}

// ask makes the request of RFC 6749, 4.4.2. It is not archived: request and answer are secrets from end to end.
func (s *Secrets) ask(ctx context.Context, at, id, secret string) (t token, err error) {
	body := strings.NewReader(url.Values{"grant_type": {"client_credentials"}}.Encode())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, body)
	if err != nil {
		return t, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
	answer, err := s.Client.Do(r)
	if err != nil {
		return t, err
	}
	defer answer.Body.Close()
	var given struct {
		Token   string  `json:"access_token"`
		Expires float64 `json:"expires_in"`
	}
	if answer.StatusCode != http.StatusOK {
		return t, fmt.Errorf("%s answers with status %d", at, answer.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxSecret)).Decode(&given); err != nil || given.Token == "" {
		return t, fmt.Errorf("the response of %s has no access_token", at)
	}
	if given.Expires <= 0 || given.Expires > 1e9 {
		given.Expires = 3600
	}
	return token{given.Token, time.Now().Add(time.Duration(given.Expires*0.9) * time.Second)}, nil
}
