// Command tlog-reader reads a whole log over HTTP with the C2SP libraries of others, and verifies it: the signatures of
// its checkpoint, every entry against its tree, the root from the entries alone, the inclusion of random entries, and
// the consistency with an older checkpoint. It shares no code with Waymark.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"os"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/tlog"
)

type result struct {
	Origin     string `json:"origin"`
	Size       int64  `json:"size"`
	Root       string `json:"root"`
	Entries    int64  `json:"entries"`
	Inclusions int    `json:"inclusions"`
	// ConsistentWith is the size of the older checkpoint.
	ConsistentWith int64  `json:"consistent_with"`
	Checkpoint     string `json:"checkpoint"`
}

func main() {
	log.SetFlags(0)
	url := flag.String("url", "", "prefix of the log")
	token := flag.String("token", "", "API key, for a log that is not public")
	policy := flag.String("policy", "", "file with the trust policy")
	old := flag.String("old", "", "file with an older checkpoint of the log")
	samples := flag.Int("samples", 50, "number of entries whose inclusion is proven")
	flag.Parse()
	read, err := verify(context.Background(), *url, *token, *policy, *old, *samples)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(read); err != nil {
		log.Fatal(err)
	}
}

func verify(ctx context.Context, url, token, policyFile, oldFile string, samples int) (*result, error) {
	text, err := os.ReadFile(policyFile)
	if err != nil {
		return nil, err
	}
	policy, err := torchwood.ParsePolicy(text)
	if err != nil {
		return nil, err
	}
	fetcher, err := torchwood.NewTileFetcher(url,
		torchwood.WithHTTPClient(&http.Client{Transport: withToken{token}}), torchwood.WithConcurrencyLimit(4))
	if err != nil {
		return nil, err
	}
	signed, err := fetcher.ReadEndpoint(ctx, "checkpoint")
	if err != nil {
		return nil, err
	}
	checkpoint, _, err := torchwood.VerifyCheckpoint(signed, policy)
	if err != nil {
		return nil, err
	}
	read := &result{Origin: checkpoint.Origin, Size: checkpoint.N, Root: checkpoint.Hash.String(), Checkpoint: string(signed)}
	client, err := torchwood.NewClient(fetcher)
	if err != nil {
		return nil, err
	}
	if read.Entries, err = rebuild(ctx, client, checkpoint.Tree); err != nil {
		return nil, err
	}
	for ; read.Inclusions < samples && checkpoint.N > 0; read.Inclusions++ {
		// Entry checks the proof against the root.
		if _, _, err := client.Entry(ctx, checkpoint.Tree, rand.Int64N(checkpoint.N)); err != nil {
			return nil, err
		}
	}
	if oldFile != "" {
		if read.ConsistentWith, err = compare(ctx, fetcher, policy, checkpoint.Tree, oldFile); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// rebuild computes the root from the entries, without the tiles.
func rebuild(ctx context.Context, client *torchwood.Client, tree tlog.Tree) (int64, error) {
	var stored []tlog.Hash
	hashes := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			if index >= int64(len(stored)) {
				return nil, fmt.Errorf("there is no hash %d", index)
			}
			found[i] = stored[index]
		}
		return found, nil
	})
	var count int64
	for index, entry := range client.AllEntries(ctx, tree, 0) {
		if index != count {
			return 0, fmt.Errorf("entry %d follows entry %d", index, count-1)
		}
		added, err := tlog.StoredHashes(index, entry, hashes)
		if err != nil {
			return 0, err
		}
		stored = append(stored, added...)
		count++
	}
	if err := client.Err(); err != nil {
		return 0, err
	}
	root, err := tlog.TreeHash(count, hashes)
	if err != nil {
		return 0, err
	}
	if count != tree.N || root != tree.Hash {
		return 0, errors.New("the entries do not build the tree of the checkpoint")
	}
	return count, nil
}

func compare(ctx context.Context, tiles torchwood.TileReader, policy torchwood.Policy, tree tlog.Tree, file string) (int64, error) {
	signed, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	old, _, err := torchwood.VerifyCheckpoint(signed, policy)
	if err != nil {
		return 0, err
	}
	proof, err := tlog.ProveTree(tree.N, old.N, torchwood.TileHashReaderWithContext(ctx, tree, tiles))
	if err != nil {
		return 0, err
	}
	return old.N, tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash)
}

type withToken struct{ token string }

func (t withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.token != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+t.token)
	}
	return http.DefaultTransport.RoundTrip(request)
}
