package pruning_test

import "ballast/rules"

// columns are the types under test and what their tables hold.
func columns() []column {
	ints := []string{"0", "1", "-1", "5", "-5", "6", "16", "99", "100", "101", "65", "127", "-128", "2024", "20240105"}
	big := append([]string{"9007199254740992", "9007199254740993", "9941971237863475", "9941971237863476", "9223372036854775807", "-9223372036854775808", "-9223372036854775807"}, ints...)
	texts := []string{"''", "'a'", "'A'", "'abc'", "'ABC'", "'abc  '", "' abc'", "'äbc'", "'straße'", "'strasse'", "'5'", "'05'", "'5.0'", "'-1'", "'1e2'", "'it''s'", "'a\\\\b'",
		"'5abc'", "'0x05'", "'2024-01-05'", "'日本'", "'z'"}
	times := []string{"'2024-01-05'", "'2024-01-06'", "'1970-01-02'", "'2038-01-01'", "'1999-12-31'"}
	hash, mod := "BALANCE BY (k) HASH MOD 61", "BALANCE BY (k) MOD 61"
	ranges := "BALANCE BY (k) RANGE (MINVALUE, -100, -1, 0, 1, 5, 6, 100, 101, 2024, 9007199254740993, MAXVALUE) ON (n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10)"
	null := "NULL"
	return []column{
		{"c_tiny", "TINYINT NULL", "BALANCE BY (k) LIST ((NULL), DEFAULT (MOD 60))", rules.FieldType{Kind: rules.FieldInt, Bits: 8}, []string{"0", "1", "-1", "5", "127", "-128", null}},
		{"c_int", "INT NULL", "BALANCE BY (k) HASH MOD 61", rules.FieldType{Kind: rules.FieldInt, Bits: 32}, append([]string{null}, ints...)},
		{"c_big", "BIGINT NOT NULL", mod, rules.FieldType{Kind: rules.FieldInt, Bits: 64}, big},
		{"c_range", "BIGINT NOT NULL", ranges, rules.FieldType{Kind: rules.FieldInt, Bits: 64}, big},
		{"c_ubig", "BIGINT UNSIGNED NOT NULL", hash, rules.FieldType{Kind: rules.FieldUint, Bits: 64}, []string{"0", "1", "5", "9223372036854775807", "9223372036854775808", "18446744073709551615", "9007199254740993"}},
		{"c_dec", "DECIMAL(10,2) NOT NULL", hash, rules.FieldType{Kind: rules.FieldDecimal, Length: 10, Scale: 2}, []string{"0", "1", "5", "-5", "5.5", "-5.55", "5.01", "99.99", "100"}},
		{"c_varchar", "VARCHAR(20) NOT NULL", hash, rules.FieldType{Kind: rules.FieldString, Length: 20, Collation: "utf8mb4_general_ci"}, texts},
		{"c_char", "CHAR(20) NOT NULL", hash, rules.FieldType{Kind: rules.FieldString, Length: 20, Collation: "utf8mb4_general_ci", Fixed: true}, texts},
		{"c_bin", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL", hash, rules.FieldType{Kind: rules.FieldString, Length: 20, Collation: "utf8mb4_bin"}, texts},
		{"c_latin1", "VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci NOT NULL", hash, rules.FieldType{Kind: rules.FieldString, Length: 20, Collation: "latin1_swedish_ci"},
			[]string{"''", "'a'", "'A'", "'abc'", "'äbc'", "'straße'", "'5'", "'z'"}},
		{"c_varbinary", "VARBINARY(20) NOT NULL", hash, rules.FieldType{Kind: rules.FieldBinary, Length: 20}, append([]string{"x'05'", "x'a1'", "x'00'", "x'c3a4'"}, texts...)},
		{"c_binary", "BINARY(4) NOT NULL", hash, rules.FieldType{Kind: rules.FieldBinary, Length: 4, Fixed: true}, []string{"'a'", "'abcd'", "x'05'", "'5'", "''"}},
		{"c_date", "DATE NOT NULL", hash, rules.FieldType{Kind: rules.FieldDate}, times},
		{"c_daterange", "DATE NOT NULL", "BALANCE BY (k) RANGE (MINVALUE, '2000-01-01', '2024-01-06', MAXVALUE) ON (n0, n1, n2)", rules.FieldType{Kind: rules.FieldDate}, times},
		{"c_datetime", "DATETIME(3) NOT NULL", hash, rules.FieldType{Kind: rules.FieldDateTime, Scale: 3}, append([]string{"'2024-01-05 10:00:00'", "'2024-01-05 10:00:00.5'"}, times...)},
		{"c_timestamp", "TIMESTAMP NOT NULL", hash, rules.FieldType{Kind: rules.FieldTimestamp}, append([]string{"'2024-01-05 10:00:00'"}, times...)},
		{"c_time", "TIME NOT NULL", hash, rules.FieldType{Kind: rules.FieldTime}, []string{"'10:00:00'", "'-01:00:00'", "'00:00:05'", "'100:00:00'"}},
		{"c_year", "YEAR NOT NULL", hash, rules.FieldType{Kind: rules.FieldYear}, []string{"2024", "1970", "1999", "2005"}},
	}
}

// literals are what columns are compared with, and what is stored in them.
func literals() []string {
	return []string{
		"NULL", "TRUE", "FALSE", "0", "1", "-1", "- 1", "-(1)", "+5", "5", "-5", "05", "6", "99", "100", "101", "127", "128", "-128", "-129", "2024", "24", "20240105", "240105",
		"9007199254740992", "9007199254740993", "9941971237863475", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
		"0.0", "5.0", "5.5", "5.4", "-5.5", "-0.5", ".5", "5.01", "5.005", "5.555", "-5.555", "99.99", "100.00", "9007199254740993.0",
		"0e0", "5e0", "5.5e0", "1e2", "-5e0", "9007199254740993e0", "1e30", "-1e30",
		"''", "' '", "'a'", "'A'", "'abc'", "'ABC'", "'aBc   '", "'äbc'", "'ÄBC'", "'straße'", "'STRASSE'", "'strase'", "'z'", "'日本'", "'it''s'", "'it\\'s'", "\"it's\"", "'a\\\\b'",
		"'5'", "' 5'", "'5 '", "'05'", "'+5'", "'-5'", "'5.0'", "'5.5'", "'5.4'", "'5abc'", "'1e2'", "'0x05'", "'-1'", "'.5'", "'5.'", "'9007199254740993'", "'9941971237863475'", "'9223372036854775808'", "'18446744073709551615'", "'99999999999999999999'",
		"x'05'", "X'0005'", "0x05", "0x61", "x'616263'", "x'A1'", "0xA1", "b'101'", "0b1100001", "b'0'", "x''", "_utf8mb4'abc'", "_utf8mb4 x'616263'", "_latin1'abc'", "_latin1 x'e4'", "_latin1 x'e46263'", "_binary'abc'", "_binary'ABC'", "N'abc'",
		"BINARY 'abc'", "BINARY 'ABC'", "CAST('5' AS SIGNED)", "CAST(5 AS CHAR)", "CAST('abc' AS CHAR)", "CAST(-5 AS SIGNED)", "CAST('5' AS UNSIGNED)", "2+3", "6-1", "5*1", "-(2+3)", "'5'+0", "CONCAT('a','bc')",
		"'2024-01-05'", "'2024-1-5'", "'20240105'", "'2024-01-05 00:00:00'", "'2024-01-05 10:00:00'", "'2024-01-05 10:00:00.5'", "'2024-01-05 10:00:00.500'", "'2024-01-05T10:00:00'", "DATE '2024-01-05'", "DATE'2024-01-06'", "TIMESTAMP '2024-01-05 10:00:00'",
		"TIMESTAMP '2024-01-05 00:00:00'", "'10:00:00'", "'10:00'", "'100:00:00'", "'-01:00:00'", "TIME '10:00:00'", "100000", "'0000-00-00'", "'2024-02-30'",
	}
}
