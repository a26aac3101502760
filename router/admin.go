package router

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Admin serves metrics, health and profiles over HTTP. Without a token it answers peers on the loopback interface only; health is
// answered to everybody.
type Admin struct {
	// Addr is host:port to listen on.
	Addr string
	// Token, if not empty, must come as "Authorization: Bearer …" from peers that are not on the loopback interface.
	Token    string
	Gatherer prometheus.Gatherer
	// Ready says why the router does not take statements; nil when it does.
	Ready  func() error
	Logger *slog.Logger
}

// Run serves until ctx ends.
func (a *Admin) Run(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", a.Addr)
	if err != nil {
		return fmt.Errorf("listen for metrics and health on %s: %w", a.Addr, err)
	}
	return a.Serve(ctx, l)
}

// Serve is Run on a listener that is open already.
func (a *Admin) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: a.handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve metrics and health: %w", err)
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	err := srv.Shutdown(closing)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close() // a profile that is still being taken
	}
	if serveErr := <-done; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	return err
}

func (a *Admin) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { a.say(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := a.Ready(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			a.say(w, err.Error()+"\n")
			return
		}
		a.say(w, "ready\n")
	})
	mux.Handle("GET /metrics", a.closed(promhttp.HandlerFor(a.Gatherer, promhttp.HandlerOpts{})))
	mux.Handle("GET /debug/pprof/", a.closed(http.HandlerFunc(pprof.Index)))
	mux.Handle("GET /debug/pprof/profile", a.closed(http.HandlerFunc(pprof.Profile)))
	mux.Handle("GET /debug/pprof/trace", a.closed(http.HandlerFunc(pprof.Trace)))
	mux.Handle("GET /debug/pprof/symbol", a.closed(http.HandlerFunc(pprof.Symbol)))
	return mux
}

// closed lets loopback peers and holders of the token in.
func (a *Admin) closed(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.allowed(r) {
			http.Error(w, "a token is needed: Authorization: Bearer …", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func (a *Admin) allowed(r *http.Request) bool {
	want := "Bearer " + a.Token
	if a.Token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(want)) == 1 {
		return true
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (a *Admin) say(w http.ResponseWriter, text string) {
	if _, err := w.Write([]byte(text)); err != nil {
		a.Logger.Debug("answer a health check", logError, err)
	}
}
