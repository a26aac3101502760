package backend

import (
	"context"
	"errors"
	"io"

	"ballast/sqlfront/wire"
)

// checkIdentity makes sure that the server behind the address is the one that was registered as this node.
func (k *Conn) checkIdentity() error {
	want := k.node.target.info.UUID
	if want == "" {
		return nil
	}
	got, err := k.scalar(k.server.identitySQL())
	var denied *wire.ServerError
	if errors.As(err, &denied) && (denied.Number == 1142 || denied.Number == 1044) {
		k.node.cluster.log.Debug("the account may not read the node's identity", logNode, k.node.name)
		return nil
	}
	if err != nil {
		return err
	}
	if got != want {
		k.node.cluster.log.Error("wrong server behind a node's address", logNode, k.node.name, logAddr, k.node.target.info.Addr,
			"want_uuid", want, "got_uuid", got)
		return errIdentity.New(k.node.name)
	}
	return nil
}

// scalar reads the one value of a query's only row, as text, within the deadline that the link has; no row, or NULL, gives "".
func (k *Conn) scalar(sql string) (string, error) {
	st, err := k.open(context.Background(), append([]byte{byte(wire.ComQuery)}, sql...))
	if err != nil {
		return "", err
	}
	value := ""
	for {
		row, err := st.Next()
		switch {
		case errors.Is(err, io.EOF):
			return value, nil
		case err != nil:
			return "", err
		}
		if v, n := wire.LenencBytes(row); n > 0 {
			value = string(v)
		}
	}
}
