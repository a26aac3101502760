//go:build linux

package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// How much more than after the warm-up the router may hold at the end. Goroutines and descriptors come and go with probes and with the
// streams to the master. The heap is what is still referenced after a collection. Resident memory follows the peak of what clients did at
// the same moment, which chance decides, so it only shows what grows without end.
const (
	slackGoroutines  = 8
	slackDescriptors = 8
	slackHeap        = 8 << 20
	slackResident    = 64 << 20
)

// settleWithin is how long the router may take to let go once the last client has left.
const settleWithin = 30 * time.Second

// hold is what a router holds at one moment.
type hold struct {
	goroutines, descriptors int
	heap, resident          int64 // bytes
	clients                 int   // connections of clients that the router still counts
}

func (h hold) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %.1f MB of heap, %.1f MB resident, %d clients",
		h.goroutines, h.descriptors, float64(h.heap)/1e6, float64(h.resident)/1e6, h.clients)
}

// beyond says what a hold has more than another and its slack; empty when it is within.
func (h hold) beyond(base hold) string {
	var more []string
	grown := func(what string, is, was, slack int64) {
		if is > was+slack {
			more = append(more, fmt.Sprintf("%d %s after %d (slack %d)", is, what, was, slack))
		}
	}
	grown("goroutines", int64(h.goroutines), int64(base.goroutines), slackGoroutines)
	grown("descriptors", int64(h.descriptors), int64(base.descriptors), slackDescriptors)
	grown("bytes of heap", h.heap, base.heap, slackHeap)
	grown("resident bytes", h.resident, base.resident, slackResident)
	grown("clients", int64(h.clients), 0, 0)
	return strings.Join(more, ", ")
}

var (
	goroutineTotal = regexp.MustCompile(`goroutine profile: total (\d+)`)
	heapInUse      = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)`)
	residentKB     = regexp.MustCompile(`(?m)^VmRSS:\s*(\d+) kB`)
	clientsOpen    = regexp.MustCompile(`(?m)^ballast_sqlfront_connections (\d+)`)
)

// look reads what a router holds, after a collection of its garbage.
func look(ctx context.Context, admin string, pid int) (hold, error) {
	var h hold
	heap, err := page(ctx, admin, "/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		return h, err
	}
	goroutines, err := page(ctx, admin, "/debug/pprof/goroutine?debug=1")
	if err != nil {
		return h, err
	}
	metrics, err := page(ctx, admin, "/metrics")
	if err != nil {
		return h, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return h, err
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return h, err
	}
	h.descriptors = len(open)
	var errs []error
	number := func(what *regexp.Regexp, text string) int64 {
		m := what.FindStringSubmatch(text)
		if m == nil {
			errs = append(errs, fmt.Errorf("the router does not say %s", what))
			return 0
		}
		n, err := strconv.ParseInt(m[1], 10, 64)
		errs = append(errs, err)
		return n
	}
	h.goroutines = int(number(goroutineTotal, goroutines))
	h.heap = number(heapInUse, heap)
	h.resident = number(residentKB, string(status)) << 10
	h.clients = int(number(clientsOpen, metrics))
	return h, errors.Join(errs...)
}

// page reads one page of the router's admin address, by a connection of its own that is closed again.
func page(ctx context.Context, admin, path string) (text string, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, resp.Status)
	}
	return string(body), err
}

// settle looks until enough(what is held) or until settleWithin has passed, and gives the last look.
func settle(ctx context.Context, admin string, pid int, enough func(h hold) bool) (hold, error) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin+10*time.Second)
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); ; {
		h, err := look(ctx, admin, pid)
		if err != nil || enough(h) || time.Since(begin) > settleWithin {
			return h, err
		}
		<-tick.C
	}
}
