package sqlfront

import (
	"context"

	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
)

// startChange begins COM_CHANGE_USER: the new user proves a password as in a handshake, over a fresh scramble where the client can be asked.
func (c *commands) startChange(ctx context.Context, body []byte) outcome {
	if err := c.change.Decode(body, c.client.Capabilities); err != nil {
		return c.end(malformed(err))
	}
	verifier, known := c.account(c.change.User)
	login := &auth.Login{Verifier: verifier, Known: known, Scramble: c.scramble, Secure: c.client.TLS || isUnix(c.client.Addr), Key: c.key}
	fresh := c.client.Capabilities.Has(wire.ClientPluginAuth)
	if fresh {
		var err error
		if login.Scramble, err = auth.NewScramble(); err != nil {
			return c.end(&Fatal{Err: err})
		}
	}
	response := append([]byte(nil), c.change.Auth...)
	c.change.Auth = nil
	c.login = login
	send, v := login.Start(c.change.Plugin, c.client.Capabilities, response, fresh)
	return c.changeStep(ctx, send, v)
}

// moreChange takes a further payload of the client during COM_CHANGE_USER.
func (c *commands) moreChange(ctx context.Context, payload []byte) outcome {
	send, v := c.login.Step(payload)
	return c.changeStep(ctx, send, v)
}

func (c *commands) changeStep(ctx context.Context, send []byte, v auth.Verdict) outcome {
	if send != nil {
		if err := c.reply.payload(send); err != nil {
			return outcomeClose
		}
	}
	login := c.login
	if v != auth.Continue {
		c.login = nil
	}
	switch v {
	case auth.Continue:
		return outcomeMore
	case auth.Accepted:
		return c.changed(ctx)
	case auth.Denied:
		c.metrics.logins.WithLabelValues("denied").Inc()
		return c.end(&Fatal{Err: denied(c.change.User, c.host, login.UsedPassword())})
	case auth.Unsupported:
		return c.end(&Fatal{Err: failOldClient.New()})
	default:
		return c.end(&Fatal{Err: failHandshake.New()})
	}
}

// changed makes the new user the client.
func (c *commands) changed(ctx context.Context) outcome {
	c.metrics.logins.WithLabelValues("ok").Inc()
	if err := c.changeUser(c.client.User, c.change.User); err != nil {
		return c.end(&Fatal{Err: err})
	}
	c.closeStatements()
	c.client.User, c.client.DB = c.change.User, c.change.DB
	if c.change.Collation != 0 {
		c.client.Collation = c.change.Collation
	}
	if c.change.Attributes != nil {
		c.client.Attributes = c.change.Attributes
	}
	if err := c.session.ChangeUser(ctx, c.client); err != nil {
		return c.end(&Fatal{Err: err})
	}
	return c.ok()
}

func denied(user, host string, usedPassword bool) error {
	using := "NO"
	if usedPassword {
		using = "YES"
	}
	return failDenied.New(user, host, using)
}
