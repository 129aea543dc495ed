package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
)

// pageInfo is the content of a urn:pageinfo: record, as Browsertrix has it, with what is known of the page besides.
type pageInfo struct {
	PageID string                  `json:"pageid"` // of the response record
	URL    string                  `json:"url"`
	Time   string                  `json:"ts"`
	Title  string                  `json:"title,omitempty"`
	Type   string                  `json:"type,omitempty"`
	Level  string                  `json:"level,omitempty"`
	URLs   map[string]pageInfoFile `json:"urls"`
	Counts struct {
		JSErrors int `json:"jsErrors"` // none: scripts do not run
	} `json:"counts"`
}

// pageInfoFile is what was loaded for a page: here the page itself.
type pageInfoFile struct {
	Status int    `json:"status"`
	MIME   string `json:"mime"`
	Type   string `json:"type"`
}

// said is what a page says in words.
type said struct{ title, text string }

// said reads the words of a page, where they are to be archived.
func (e *Engine) said(lease leased, ex *fetch.Exchange, p *Page) (s *said) {
	if !e.options.Records.Pages || !isPage(ex) {
		return nil
	}
	defer func() {
		if fault := recover(); fault != nil {
			e.panicked(lease, fmt.Errorf("reading its text: %v", fault))
			s = nil
		}
	}()
	return &said{extract.Title(p.Doc), p.Words()}
}

// pageRecords are the text of a page and what the page is.
func pageRecords(id string, v visited, l labels) []archive.Resource {
	s := v.page.said
	if s == nil {
		return nil
	}
	info := pageInfo{PageID: id, URL: v.lease.URL.URL, Time: v.ex.Start.UTC().Format(time.RFC3339Nano), Title: s.title, Type: l.typ,
		Level: l.level, URLs: map[string]pageInfoFile{v.lease.URL.URL: {v.ex.Status, l.mime, "document"}}}
	data, err := json.Marshal(info)
	if err != nil {
		panic(err) // strings and numbers
	}
	return []archive.Resource{
		{URI: "urn:text:" + info.URL, MIME: "text/plain", Data: strings.NewReader(s.text), Size: int64(len(s.text))},
		{URI: "urn:pageinfo:" + info.URL, MIME: "application/json", Data: bytes.NewReader(data), Size: int64(len(data))},
	}
}
