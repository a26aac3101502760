package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// The size of rings.
const (
	defaultVNodes = 100
	maxVNodes     = 1000
	maxRingPoints = 1 << 20
)

// ring is consistent hashing: a point owns the hashes from itself to the next point, the last one also those before the first.
type ring struct {
	points []uint32
	owners []int32 // places in the strategy's node list
	// starts[b] is how many points lie below those whose highest byte is b: the search for a hash begins among those of its own.
	starts [257]int32
}

// ring places the virtual nodes. A node's points depend on its name and its weight only, so a node that joins takes rows from the
// others and moves none between them.
func (c *compiler) ring(s *Step) *ring {
	vnodes := s.VNodes
	if vnodes == 0 {
		vnodes = defaultVNodes
	}
	type point struct {
		at    uint32
		owner int32
	}
	var points []point
	for place, node := range c.on {
		weight := c.nodes[node].Weight
		if weight == 0 {
			weight = 100
		}
		n := max(vnodes*weight/100, 1)
		if vnodes < 0 || vnodes > maxVNodes || weight < 0 || n > maxRingPoints-len(points) {
			c.fault(errRingPoints.New(n))
			return &ring{}
		}
		for i := range n {
			sum := sha256.Sum256([]byte(c.nodes[node].Name + "#" + itoa(i)))
			points = append(points, point{binary.BigEndian.Uint32(sum[:]), int32(place)})
		}
	}
	slices.SortStableFunc(points, func(a, b point) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return int(a.owner) - int(b.owner)
	})
	r := &ring{}
	for _, p := range points {
		if n := len(r.points); n > 0 && (r.points[n-1] == p.at || r.owners[n-1] == p.owner) {
			continue // a taken point, or one that changes nothing
		}
		r.points = append(r.points, p.at)
		r.owners = append(r.owners, p.owner)
	}
	for b := range 256 {
		from, _ := slices.BinarySearch(r.points, uint32(b)<<24)
		r.starts[b] = int32(from)
	}
	r.starts[256] = int32(len(r.points))
	return r
}

// owner gives the place of the node that owns a hash.
func (r *ring) owner(h uint32) uint64 {
	lo, hi := int(r.starts[h>>24]), int(r.starts[h>>24+1])
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if r.points[mid] <= h {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		lo = len(r.points)
	}
	return uint64(r.owners[lo-1])
}
