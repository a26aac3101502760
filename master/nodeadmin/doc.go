// Package nodeadmin is the master's hand on a db node: it checks a server, prepares it (schema ballast_sys), keeps the routers' accounts
// there, and carries out definitions. It decides nothing.
//
// Every definition runs in a Session: the session takes a named lock of its job, then writes the node's leader row WHERE epoch = mine. A new
// leader first raises the epoch in that row, then kills whoever still holds a job's lock. So of two masters that both believe to lead only
// the newer one changes a node.
package nodeadmin
