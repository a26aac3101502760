package backend

import "errors"

// Adopt says that a statement of the caller's own has just put these settings in force on the connection, so that nothing needs to be sent
// for them.
func (k *Conn) Adopt(s *Settings) { k.want, k.inForce = s, s }

// AdoptApartFromCharsets is Adopt after a statement that set character sets in a form of its own: they are set again, in Ballast's form, before
// the next statement, since what column definitions show depends on the form.
func (k *Conn) AdoptApartFromCharsets(s *Settings) {
	k.want, k.inForce = s, s.With(connectionCollation, "'as the client set it'")
}

// Up tells whether statements for a node are taken: it is known and not down.
func (c *Cluster) Up(i int) bool {
	n, err := c.node(i)
	return err == nil && n.refusal() == nil
}

// NotSent tells whether an error means that a command never reached its node.
func NotSent(err error) bool {
	return errors.Is(err, errLostIdle.New("")) || errors.Is(err, errUseless.New(""))
}
