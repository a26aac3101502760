package wire

// The capability flags (bit values are the protocol's).
const (
	// ClientLongPassword is set by everyone; MariaDB servers leave it out to say that they are MariaDB.
	ClientLongPassword Capability = 1 << iota
	// ClientFoundRows makes affected rows count matched rows.
	ClientFoundRows
	// ClientLongFlag allows column flags of two bytes.
	ClientLongFlag
	// ClientConnectWithDB puts a database name into the handshake response.
	ClientConnectWithDB
	// ClientNoSchema forbids database.table.column.
	ClientNoSchema
	// ClientCompress is zlib compression.
	ClientCompress
	// ClientODBC is without effect.
	ClientODBC
	// ClientLocalFiles allows LOAD DATA LOCAL.
	ClientLocalFiles
	// ClientIgnoreSpace lets the parser ignore spaces before '('.
	ClientIgnoreSpace
	// ClientProtocol41 is the protocol spoken here.
	ClientProtocol41
	// ClientInteractive selects interactive_timeout in place of wait_timeout.
	ClientInteractive
	// ClientSSL asks for TLS after an SSLRequest.
	ClientSSL
	// ClientIgnoreSigpipe is without effect.
	ClientIgnoreSigpipe
	// ClientTransactions says that status flags are sent.
	ClientTransactions
	// ClientReserved is the old flag of protocol 4.1.
	ClientReserved
	// ClientSecureConnection gives authentication data a length.
	ClientSecureConnection
	// ClientMultiStatements allows several statements in one COM_QUERY.
	ClientMultiStatements
	// ClientMultiResults allows several results for a COM_QUERY.
	ClientMultiResults
	// ClientPSMultiResults allows several results for a COM_STMT_EXECUTE.
	ClientPSMultiResults
	// ClientPluginAuth names the authentication plugin.
	ClientPluginAuth
	// ClientConnectAttrs sends connection attributes.
	ClientConnectAttrs
	// ClientPluginAuthLenenc gives authentication data a length-encoded length.
	ClientPluginAuthLenenc
	// ClientCanHandleExpiredPasswords lets a client with an expired password in.
	ClientCanHandleExpiredPasswords
	// ClientSessionTrack puts session changes into OK packets.
	ClientSessionTrack
	// ClientDeprecateEOF replaces EOF packets by OK packets.
	ClientDeprecateEOF
	// ClientOptionalResultsetMetadata lets column definitions be left out.
	ClientOptionalResultsetMetadata
	// ClientZstdCompression is zstd compression.
	ClientZstdCompression
	// ClientQueryAttributes sends named parameters with COM_QUERY.
	ClientQueryAttributes
	// ClientMultiFactorAuth is authentication by several factors.
	ClientMultiFactorAuth
	// ClientCapabilityExtension is reserved.
	ClientCapabilityExtension
	// ClientSSLVerifyServerCert is a client-side option, never sent.
	ClientSSLVerifyServerCert
	// ClientRememberOptions is a client-side option, never sent.
	ClientRememberOptions
)

// Has tells whether all flags of want are set.
func (c Capability) Has(want Capability) bool { return c&want == want }
