// Package sysbench runs sysbench's OLTP scripts, unchanged, through the router: every script that works on one node per statement or
// reads from several, in both modes of prepared statements.
package sysbench
