package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// The written forms YAML and JSON are one form in two notations. Both are read into, and written from, a tree of these, and of bool, string and nil.
type (
	// object is a mapping in the order of the text.
	object []member
	member struct {
		key   string
		value any
	}
	// sequence is a list.
	sequence []any
	// numeral is a number as written.
	numeral string
	// keyword is a bare MINVALUE, MAXVALUE or DEFAULT of YAML.
	keyword string
)

// maxTreeDepth bounds nesting.
const maxTreeDepth = 64

var errTreeDepth = errors.New("nested too deep")

// find gives the value of a key.
func (o object) find(key string) (any, bool) {
	for _, m := range o {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// readYAML reads one YAML document.
func readYAML(text []byte) (any, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return fromYAML(doc.Content[0], 0)
}

func fromYAML(n *yaml.Node, depth int) (any, error) {
	if depth > maxTreeDepth {
		return nil, errTreeDepth
	}
	switch n.Kind {
	case yaml.SequenceNode:
		out := make(sequence, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := fromYAML(item, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case yaml.MappingNode:
		out := make(object, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := fromYAML(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			key := n.Content[i].Value
			if _, twice := out.find(key); twice || n.Content[i].Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: a key is there twice or is no word", n.Content[i].Line)
			}
			out = append(out, member{key, v})
		}
		return out, nil
	case yaml.ScalarNode:
		return scalar(n), nil
	default:
		return nil, fmt.Errorf("line %d: anchors are not supported", n.Line)
	}
}

func scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		if b, err := strconv.ParseBool(n.Value); err == nil {
			return b
		}
	case "!!int", "!!float":
		return numeral(n.Value)
	case "!!str":
		if n.Style == 0 && (n.Value == "MINVALUE" || n.Value == "MAXVALUE" || n.Value == "DEFAULT") {
			return keyword(n.Value)
		}
	}
	return n.Value
}

// toYAML makes a node: mappings down to block levels in block style, everything else on one line.
func toYAML(v any, block int) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
	if block <= 0 {
		n.Style = yaml.FlowStyle
	}
	switch v := v.(type) {
	case nil:
		n.Tag, n.Value, n.Style = "!!null", "null", 0
	case bool:
		n.Tag, n.Value, n.Style = "!!bool", strconv.FormatBool(v), 0
	case numeral:
		n.Tag, n.Value, n.Style = "!!int", string(v), 0
		if bytes.IndexByte([]byte(v), '.') >= 0 {
			n.Tag = "!!float"
		}
	case string:
		n.Value, n.Style = v, 0
		if v == "MINVALUE" || v == "MAXVALUE" || v == "DEFAULT" || !plainText(v) {
			n.Style = yaml.DoubleQuotedStyle
		}
	case sequence:
		n.Kind, n.Tag, n.Style = yaml.SequenceNode, "!!seq", yaml.FlowStyle
		for _, item := range v {
			n.Content = append(n.Content, toYAML(item, 0))
		}
	case object:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		for _, m := range v {
			n.Content = append(n.Content, toYAML(m.key, 0), toYAML(m.value, block-1))
		}
	}
	return n
}

// plainText says whether a string holds only what every YAML style keeps as it is.
func plainText(s string) bool {
	for _, r := range s {
		if r < ' ' || r > '~' && r < 0xA1 || r == 0xFEFF || r == 0xFFFD {
			return false
		}
	}
	return true
}

// readJSON reads one JSON value.
func readJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := fromJSON(d, 0)
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read JSON: something follows the value")
	}
	return v, nil
}

func fromJSON(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxTreeDepth {
		return nil, errTreeDepth
	}
	switch t := t.(type) {
	case json.Number:
		return numeral(t), nil
	case json.Delim:
		if t == '[' {
			out := sequence{}
			for d.More() {
				v, err := fromJSON(d, depth+1)
				if err != nil {
					return nil, err
				}
				out = append(out, v)
			}
			_, err = d.Token()
			return out, err
		}
		return objectFromJSON(d, depth)
	}
	return t, nil
}

func objectFromJSON(d *json.Decoder, depth int) (any, error) {
	out := object{}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := fromJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		key, ok := k.(string)
		if _, twice := out.find(key); twice || !ok {
			return nil, errors.New("a key is there twice")
		}
		out = append(out, member{key, v})
	}
	_, err := d.Token()
	return out, err
}

// appendJSON writes a tree as JSON.
func appendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case numeral:
		return append(dst, v...), nil
	case sequence:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendJSON(dst, item); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendJSON(dst, m.key); err != nil {
				return dst, err
			}
			if dst, err = appendJSON(append(dst, ':'), m.value); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	text, err := json.Marshal(v)
	return append(dst, text...), err
}
