// Package soak mistreats a router for a while and then looks whether it holds anything that it should have let go: clients connect and
// leave in storms, vanish in the middle of commands and of answers, kill each other, read big answers slowly, send big statements and
// leave transactions open. Every row that is answered is checked.
//
// After a warm-up with the same clients, and again at the end, everything is closed; goroutines, open descriptors and memory must then be
// what they were after the warm-up, within the slack stated in hold_test.go.
//
//	go test ./integration/soak                       half a minute
//	go test ./integration/soak -soak 10m -timeout 0  what make soak does
package soak
