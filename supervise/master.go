package supervise

import "context"

func (o Options) masterRole() *role {
	return o.programRole("master", o.Ports.Master, nil, httpReady(""))
}
func (o Options) routerRole() *role {
	return o.programRole("router", o.Ports.Router, nil, httpReady(""))
}
func (o Options) furnish(ctx context.Context) error { return o.loadSample(ctx) }
