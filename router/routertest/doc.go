// Package routertest has fake db nodes for tests of the router's parts: they speak the protocol over a real socket and answer what a test
// tells them to, cut the line when asked to, and write down what they were sent. What a real server would answer is not known here; tests
// of SQL use real servers.
package routertest
