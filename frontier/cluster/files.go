package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// replacedLasts is for how long a file stays that another one has replaced, for nodes that are about to read it.
const replacedLasts = time.Hour

// filesKey has the SHA-256 of each file by its name, and fileKey a file by that.
func (s *Store) filesKey() string           { return crawlKey(s.options.Crawl) + ":files" }
func (s *Store) fileKey(hash string) string { return crawlKey(s.options.Crawl) + ":file:" + hash }

// HashOf is what a file is known by: its SHA-256 in hexadecimal.
func HashOf(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// Share gives all nodes a file under a name, unless there is one of that name; with replace in any case.
func (s *Store) Share(ctx context.Context, name string, file []byte, replace bool) error {
	hash := HashOf(file)
	kept, err := s.Files(ctx)
	if err != nil || kept[name] == hash {
		return err
	}
	return s.say(ctx, s.filesKey(), func(ctx context.Context, p redis.Pipeliner) {
		p.Set(ctx, s.fileKey(hash), file, 0)
		if !replace {
			p.HSetNX(ctx, s.filesKey(), name, hash)
			return
		}
		p.HSet(ctx, s.filesKey(), name, hash)
		if old := kept[name]; old != "" {
			p.Expire(ctx, s.fileKey(old), replacedLasts)
		}
	})
}

// Files gives the hash of each file that nodes share, by its name.
func (s *Store) Files(ctx context.Context) (hashes map[string]string, err error) {
	err = s.insist(ctx, func(ctx context.Context) error {
		hashes, err = s.client.HGetAll(ctx, s.filesKey()).Result()
		return err
	})
	return hashes, err
}

// File gives the file of a hash, which it has been checked against.
func (s *Store) File(ctx context.Context, hash string) (file []byte, err error) {
	err = s.insist(ctx, func(ctx context.Context) error {
		file, err = s.client.Get(ctx, s.fileKey(hash)).Bytes()
		return err
	})
	switch {
	case errors.Is(err, redis.Nil):
		return nil, fmt.Errorf("cluster: %s: the file with the hash %s is missing on the servers", hidden(s.options.URL), hash)
	case err == nil && HashOf(file) != hash:
		return nil, fmt.Errorf("cluster: %s: the file stored as %s has the hash %s", hidden(s.options.URL), hash,
			HashOf(file))
	}
	return file, err
}
