package supervise

import "ballast/rules/failure"

var (
	errOtherFlavour = failure.Define("BL7101", 1105, "HY000", "the data in %s was made by %s, and %s was asked for",
		"make clean removes the data; without SERVER=… the flavour of the data is used")
	errOtherPorts = failure.Define("BL7108", 1105, "HY000", "the cluster in %s has the ports %s, and %s were asked for",
		"make clean removes its data; without PORTS=… its own ports are used")
	errRoleDown = failure.Define("BL7102", 1105, "HY000", "%s did not get ready: %s; its log is %s",
		"mend what the log says and run it again")
	errNotStopped = failure.Define("BL7103", 1105, "HY000", "some processes of the cluster did not end: %s",
		"look at them with ps, then run ballast down again")
	errSupervisor = failure.Define("BL7104", 1105, "HY000", "the supervisor ended before the cluster was ready: %s",
		"the log supervisor.log in .ballast/logs says more")
	errSample = failure.Define("BL7105", 1105, "HY000", "the sample tables could not be loaded: %s",
		"the cluster runs and can be used; ballast up tries again")
	errAlreadySupervised = failure.Define("BL7106", 1105, "HY000", "another supervisor already runs the cluster in %s",
		"use ballast up, which finds it")
	errPorts = failure.Define("BL7107", 1105, "HY000", "%q is not a list of ports",
		"write numbers separated by commas: router, router admin, master, metadata server, then one per node")
)
