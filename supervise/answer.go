package supervise

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"ballast/dbserver/process"
)

// answerWithin bounds how long a role of the ballast program may take to answer after its start.
const answerWithin = 30 * time.Second

// awaitAnswer returns when ready succeeds, or with the reason when the process ends or too much time passes.
func awaitAnswer(ctx context.Context, p *process.Process, ready func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.Exited():
			return fmt.Errorf("it ended at once: %s", p.LastWords())
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w; it said last: %s", err, p.LastWords())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// httpReady succeeds when the address answers 200.
func httpReady(url string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("health check answers %s", resp.Status)
		}
		return nil
	}
}

// withoutBallast drops our own variables, which are meant for the command and not for the roles that it starts.
func withoutBallast(env []string) []string {
	var kept []string
	for _, v := range env {
		if !strings.HasPrefix(v, "BALLAST_") {
			kept = append(kept, v)
		}
	}
	return kept
}
