package router

import "ballast/sqlfront/wire"

// The columns of answers that the router makes itself. Length is in characters; utf8mb4 takes four bytes for one.

func textColumn(name string, chars uint32) wire.Column {
	return wire.Column{Name: name, Charset: wire.CollationUTF8MB4, Length: chars * 4, Type: wire.TypeVarString}
}

func numberColumn(name string, digits uint32) wire.Column {
	return wire.Column{Name: name, Charset: wire.CollationBinary, Length: digits, Type: wire.TypeLongLong, Flags: wire.FlagBinary | wire.FlagNum}
}
