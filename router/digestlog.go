package router

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"ballast/router/plan"
)

// digestLog writes slow and scattered statements to the log by their normalized text: literals never reach it.
type digestLog struct {
	log *slog.Logger

	mu   sync.Mutex
	seen map[string]time.Time // scattered digests and when they were last written
}

// The bounds of the log.
const (
	maxDigestText  = 2048
	maxDigestsSeen = 4096
	scatterEvery   = time.Minute
)

func (d *digestLog) slow(ctx context.Context, digest string, took time.Duration, p place, nodes int, rows uint64, failed bool) {
	d.log.WarnContext(ctx, "slow statement", logDigest, clip(digest), logTook, took, logPlace, placeNames[p], logNodes, nodes, logRows, rows,
		logFailed, failed)
}

func (d *digestLog) scattered(ctx context.Context, digest string, took time.Duration, nodes int, rows uint64) {
	now := time.Now()
	d.mu.Lock()
	last, ok := d.seen[digest]
	due := !ok || now.Sub(last) >= scatterEvery
	if due {
		if d.seen == nil || len(d.seen) >= maxDigestsSeen {
			d.seen = map[string]time.Time{}
		}
		d.seen[digest] = now
	}
	d.mu.Unlock()
	if due {
		d.log.InfoContext(ctx, "scattered statement", logDigest, clip(digest), logTook, took, logNodes, nodes, logRows, rows)
	}
}

// digestText is what may be shown of a statement. Only the texts of statements about rows have their literals taken out.
func digestText(p *plan.Plan) string {
	if rowsVerb(p.Verb) {
		return p.Norm
	}
	return leadingWords(p.Norm)
}

func clip(s string) string {
	if len(s) > maxDigestText {
		return s[:maxDigestText] + "…"
	}
	return s
}

// The keys of this package's log lines.
const (
	logDigest  = "digest"
	logTook    = "took"
	logPlace   = "place"
	logNodes   = "nodes"
	logRows    = "rows"
	logFailed  = "failed"
	logError   = "error"
	logSession = "session"
	logUser    = "user"
	logVersion = "version"
)
