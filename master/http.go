package master

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"ballast/master/api"
	"ballast/rules/failure"
)

// maxBody bounds a request: a rules file with 100,000 bounds, or a long definition, fits.
const maxBody = 64 << 20

func (m *Master) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+api.PathHealth, m.health)
	figures := promhttp.HandlerFor(m.reg, promhttp.HandlerOpts{})
	if m.cfg.Development {
		mux.Handle("GET /metrics", figures)
	} else {
		mux.Handle("GET /metrics", m.guard(figures))
	}
	route := func(pattern string, fn func(*term, *http.Request) (any, error)) {
		mux.Handle(pattern, m.guard(m.call(fn)))
	}
	id := "/{incarnation}"
	route("POST "+api.PathRouters, with(func(t *term, r *http.Request, q api.RegisterRequest) (any, error) { return t.register(r.Context(), q) }))
	mux.Handle("GET "+api.PathRouters+id+api.PathStream, m.guard(http.HandlerFunc(m.stream)))
	route("POST "+api.PathRouters+id+api.PathAck, with(func(t *term, r *http.Request, q api.Ack) (any, error) { return nil, t.ack(r, q) }))
	route("DELETE "+api.PathRouters+id, func(t *term, r *http.Request) (any, error) {
		n, err := pathIncarnation(r)
		if err != nil {
			return nil, err
		}
		return nil, t.leave(r.Context(), n)
	})
	route("GET "+api.PathSnapshot, func(t *term, _ *http.Request) (any, error) { return t.pub.current(), nil })
	route("GET "+api.PathStatus, func(t *term, _ *http.Request) (any, error) { return t.status(), nil })
	route("POST "+api.PathDDL, with(func(t *term, r *http.Request, q api.DDLRequest) (any, error) {
		return t.ddl(r.Context(), q, callerOf(r))
	}))
	route("GET "+api.PathDDL, func(t *term, r *http.Request) (any, error) { return t.listJobs(r.Context()) })
	route("GET "+api.PathSequences, func(t *term, r *http.Request) (any, error) { return t.store.Sequences(r.Context()) })
	route("POST "+api.PathBlock, with(func(t *term, r *http.Request, q api.BlockRequest) (any, error) { return t.block(r.Context(), q) }))
	route("POST "+api.PathRaise, with(func(t *term, r *http.Request, q api.RaiseRequest) (any, error) { return t.raise(r.Context(), q) }))
	route("GET "+api.PathNodes, func(t *term, _ *http.Request) (any, error) { return t.nodeStatus(), nil })
	route("POST "+api.PathNodes, with(func(t *term, r *http.Request, q api.AddNodeRequest) (any, error) {
		return t.addNode(r.Context(), q, callerOf(r))
	}))
	route("DELETE "+api.PathNodes+"/{name}", func(t *term, r *http.Request) (any, error) {
		return nil, t.removeNode(r.Context(), r.PathValue("name"), callerOf(r))
	})
	route("POST "+api.PathUsers, with(func(t *term, r *http.Request, q api.UserRequest) (any, error) {
		return nil, t.changeUser(r.Context(), q, callerOf(r))
	}))
	route("POST "+api.PathApply, with(func(t *term, r *http.Request, q api.ApplyRequest) (any, error) {
		return t.apply(r.Context(), q, callerOf(r))
	}))
	route("POST "+api.PathCheck, with(func(t *term, r *http.Request, q api.CheckRequest) (any, error) { return t.check(r.Context(), q) }))
	route("GET "+api.PathAudit, func(t *term, r *http.Request) (any, error) { return t.store.AuditLog(r.Context(), 200) })
	return mux
}

// with reads a JSON body before the call.
func with[T any](fn func(*term, *http.Request, T) (any, error)) func(*term, *http.Request) (any, error) {
	return func(t *term, r *http.Request) (any, error) {
		var q T
		d := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBody))
		if err := d.Decode(&q); err != nil && !errors.Is(err, io.EOF) {
			return nil, errBadCall.Wrap(err, "its body is not what was expected")
		}
		return fn(t, r, q)
	}
}

// call answers with what fn gives, if this master leads.
func (m *Master) call(fn func(*term, *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t, err := m.leading()
		if err != nil {
			m.refuse(w, r, err)
			return
		}
		out, err := fn(t, r)
		if err != nil {
			m.refuse(w, r, t.why(err))
			return
		}
		w.Header().Set("Content-Type", api.ContentTypeJSON)
		if out == nil {
			out = struct{}{}
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			m.log.DebugContext(r.Context(), "caller went away", logError, err)
		}
	})
}

// guard lets in callers with the token or a verified certificate; on a development cluster everyone, which is loopback only.
func (m *Master) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !m.knows(r) {
			m.refuse(w, r, errDenied.New())
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (m *Master) knows(r *http.Request) bool {
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		return true
	}
	if !m.hasAuth {
		return m.cfg.Development
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], m.token[:]) == 1 && ok
}

// refuse answers with a failure.
func (m *Master) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f := toFailure(err)
	status := http.StatusBadRequest
	switch f.ID {
	case errNotLeader.ID:
		status = http.StatusMisdirectedRequest
		if leader := m.leader.Load(); leader != nil && *leader != m.self {
			f.Leader = *leader
			w.Header().Set(api.HeaderLeader, *leader)
		}
	case errNoMeta.ID:
		status = http.StatusServiceUnavailable
	case errDenied.ID:
		status = http.StatusUnauthorized
	case errGone.ID:
		status = http.StatusGone
	case "":
		status = http.StatusUnprocessableEntity
	}
	m.metrics.refused.WithLabelValues(f.ID).Inc()
	m.log.DebugContext(r.Context(), "call refused", logKind, r.Pattern, logError, err)
	w.Header().Set("Content-Type", api.ContentTypeJSON)
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(f); err != nil {
		m.log.DebugContext(r.Context(), "caller went away", logError, err)
	}
}

// toFailure finds what a client may read: a failure of ours, or what a db node answered. Anything else is a fault of the master.
func toFailure(err error) *api.Failure {
	var own *failure.Error
	if errors.As(err, &own) {
		number, state := own.MySQL()
		return &api.Failure{ID: own.Kind.ID, Number: number, State: state, Message: own.Message, Hint: own.Kind.Hint}
	}
	var server *mysql.MySQLError
	if errors.As(err, &server) {
		return &api.Failure{Number: server.Number, State: string(server.SQLState[:]), Message: server.Message}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &api.Failure{Number: 1317, State: "70100", Message: "Query execution was interrupted"}
	}
	return &api.Failure{Number: 1105, State: "HY000", Message: err.Error()}
}

// isAnswer says whether an error is an answer to a well-formed question rather than a broken connection.
func isAnswer(err error) bool {
	var own *failure.Error
	var server *mysql.MySQLError
	return errors.As(err, &own) || errors.As(err, &server)
}

func callerOf(r *http.Request) why {
	who := r.Header.Get(api.HeaderActor)
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		who = r.TLS.PeerCertificates[0].Subject.CommonName + " " + who
	}
	if who == "" {
		who = "unnamed caller"
	}
	return why{who: clip(who, 200), reason: clip(r.Header.Get(api.HeaderWhy), 1000)}
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// health answers 200 while the process lives; the body says whether it leads.
func (m *Master) health(w http.ResponseWriter, r *http.Request) {
	state := "standby"
	switch {
	case m.term.Load() != nil:
		state = "leading"
	case m.meta.Load() == nil:
		state = "waiting for the metadata server"
	}
	if _, err := io.WriteString(w, state+"\n"); err != nil {
		m.log.DebugContext(r.Context(), "caller went away", logError, err)
	}
}

// fromFailure makes an error of what toFailure gave.
func fromFailure(f *api.Failure) error {
	if f == nil {
		return errors.New("the definition failed")
	}
	return &failure.Error{Kind: &failure.Kind{ID: f.ID, Number: f.Number, State: f.State, Hint: f.Hint}, Message: f.Message}
}
