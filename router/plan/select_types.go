package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"ballast/rules/catalog"
)

// order is how values of an expression can be ordered over several nodes.
type order uint8

const (
	// orderUnknown expressions are asked for with their weight; the type of the answer's column then says whether it counts.
	orderUnknown order = iota
	// orderValue is numbers, dates, binary strings: the value itself.
	orderValue
	// orderWeight and orderPadded are strings under a collation that does not pad, or does.
	orderWeight
	orderPadded
	// orderIndex is ENUM and SET: by number.
	orderIndex
	// orderFloat is FLOAT, which text rows print with six digits only: as DOUBLE.
	orderFloat
	// orderInstant is TIMESTAMP: by its seconds since 1970, because two instants print alike where a time zone turns its clocks back.
	orderInstant
	// orderNone is JSON, spatial and other types that can't be ordered here.
	orderNone
)

// columnOrder is by the column's type.
func columnOrder(c *catalog.Column) order {
	switch c.DataType {
	case "tinyint", "smallint", "mediumint", "int", "integer", "bigint", "decimal", "numeric", "double", "real", "bit", "year",
		"date", "datetime", "time", "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob":
		return orderValue
	case "float":
		return orderFloat
	case "timestamp":
		return orderInstant
	case "enum", "set":
		return orderIndex
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext":
		return collationOrder(c.Collation)
	}
	return orderNone
}

func collationOrder(collation string) order {
	switch {
	case collation == "binary":
		return orderValue
	case strings.Contains(collation, "uca1400") && !strings.Contains(collation, "_ai_ci"):
		return orderNone // several levels of weights, which can't be padded one after the other
	case strings.Contains(collation, "_0900_"), strings.Contains(collation, "nopad"):
		return orderWeight
	case collation == "":
		return orderUnknown
	}
	return orderPadded
}

// orderOf says how an expression's values are ordered.
func (s *scatter) orderOf(e ast.ExprNode) order {
	if c := s.catalogColumn(e); c != nil {
		return columnOrder(c)
	}
	switch e := e.(type) {
	case *ast.ParenthesesExpr:
		return s.orderOf(e.Expr)
	case *namedExpr:
		return s.orderOf(e.ExprNode)
	case *ast.UnaryOperationExpr:
		if e.Op != opcode.Plus {
			return orderValue
		}
		return s.orderOf(e.V)
	case *ast.BinaryOperationExpr, *ast.IsNullExpr, *ast.IsTruthExpr, *ast.BetweenExpr, *ast.PatternInExpr, *ast.PatternLikeOrIlikeExpr,
		*ast.PatternRegexpExpr, *ast.ExistsSubqueryExpr, *ast.CompareSubqueryExpr:
		return orderValue
	case *composed:
		if strings.HasPrefix(e.text[len(e.text)-1], "+0") {
			return orderValue
		}
	case *ast.AggregateFuncExpr:
		return s.aggregateOrder(e)
	case *ast.FuncCallExpr:
		if numericFunctions[e.FnName.L] {
			return orderValue
		}
	case *ast.FuncCastExpr:
		return castOrder(e)
	}
	return orderUnknown
}

func (s *scatter) aggregateOrder(e *ast.AggregateFuncExpr) order {
	switch strings.ToLower(e.F) {
	case ast.AggFuncMin, ast.AggFuncMax:
		o := s.orderOf(e.Args[0])
		if c := s.catalogColumn(e.Args[0]); c != nil && o == orderIndex {
			return collationOrder(c.Collation) // MIN and MAX compare ENUM and SET as strings
		}
		return o
	case ast.AggFuncGroupConcat, ast.AggFuncJsonArrayagg, ast.AggFuncJsonObjectAgg:
		return orderUnknown
	}
	return orderValue
}

func castOrder(e *ast.FuncCastExpr) order {
	if e.FunctionType == ast.CastBinaryOperator {
		return orderValue
	}
	switch e.Tp.GetType() {
	case mysql.TypeLonglong, mysql.TypeNewDecimal, mysql.TypeDouble, mysql.TypeDate, mysql.TypeDatetime, mysql.TypeDuration, mysql.TypeYear:
		return orderValue
	case mysql.TypeFloat:
		return orderFloat
	case mysql.TypeJSON:
		return orderNone
	}
	return orderUnknown
}

// numericFunctions give numbers whatever they are given; all others are treated as unknown.
var numericFunctions = setOf(`abs acos ascii asin atan atan2 bit_count bit_length ceil ceiling char_length character_length cos cot crc32 datediff
	day dayofmonth dayofweek dayofyear degrees exp field find_in_set floor hour instr interval isnull length ln locate log log10 log2 microsecond
	minute mod month octet_length ord pi position pow power quarter radians rand round second sign sin sqrt strcmp tan time_to_sec
	timestampdiff to_days to_seconds truncate unix_timestamp week weekday weekofyear year yearweek`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
