// Package auth proves passwords over the MySQL protocol: mysql_native_password and caching_sha2_password, on the side of a server that keeps
// only double hashes (Login) and on the side of a client (Client).
//
// Both are state machines over payloads: what the peer sent goes in, what must be sent comes out; nothing here touches a socket. A Login
// takes the same steps for an unknown user as for a wrong password, and compares in constant time. A clear password, which a client sends only
// inside TLS, over a unix socket or encrypted by the server's RSA key, is hashed, compared and wiped.
package auth

// The authentication plugins spoken here.
const (
	NativePassword = "mysql_native_password"
	CachingSHA2    = "caching_sha2_password"
)
