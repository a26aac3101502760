package dbserver

import "ballast/rules/failure"

var (
	errUnknownFlavour = failure.Define("BL7001", 1105, "HY000", "unknown kind of server %q",
		"write mysql or mariadb")
	errNoServer = failure.Define("BL7002", 1105, "HY000", "no %s server was found on this machine (%s)",
		"install MySQL 8.4 or newer or MariaDB 10.11 or newer, point BALLAST_SERVER_BIN at its server program, or use docker compose up")
	errUnfitServer = failure.Define("BL7003", 1105, "HY000", "the server program %s can't be used: %s",
		"point BALLAST_SERVER_BIN at a program of the wanted kind and version, or unset it")
	errDownload = failure.Define("BL7004", 1105, "HY000", "downloading the %s packages failed while %s: %s",
		"check the network and the apt sources of this machine, then run it again; or install a server and set BALLAST_SERVER_BIN")
	errNotStarted = failure.Define("BL7005", 1105, "HY000", "the %s server %s did not start: %s",
		"its log in the data folder says more")
	errPortTaken = failure.Define("BL7006", 1105, "HY000", "port %d, wanted by %s, is in use%s",
		"stop that program, or choose other ports (PORTS=… of make up), then try again")
	errTemplate = failure.Define("BL7007", 1105, "HY000", "preparing a data folder for %s failed while %s: %s",
		"free some disk space or remove the cache folder, then try again")
)
