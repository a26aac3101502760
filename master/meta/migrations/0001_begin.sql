-- The memory of a cluster. Names compare byte by byte; times are UTC.

CREATE TABLE cluster (
  id TINYINT UNSIGNED NOT NULL PRIMARY KEY,
  uuid CHAR(36) NOT NULL,
  -- the catalog's version: epoch of the master that made it, and a counter
  version_epoch BIGINT UNSIGNED NOT NULL,
  version_n BIGINT UNSIGNED NOT NULL,
  -- what all nodes have in common, as JSON; set by the first node
  facts LONGTEXT NOT NULL,
  created_at DATETIME(6) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Every transaction of a master begins with an update of this one row WHERE epoch = its own.
CREATE TABLE lease (
  id TINYINT UNSIGNED NOT NULL PRIMARY KEY,
  epoch BIGINT UNSIGNED NOT NULL,
  n BIGINT UNSIGNED NOT NULL,
  -- address of the leading master; empty when it resigned
  holder VARCHAR(255) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE nodes (
  idx INT UNSIGNED NOT NULL PRIMARY KEY,
  name VARCHAR(64) NOT NULL,
  doc LONGTEXT NOT NULL,
  admin_user VARCHAR(128) NOT NULL,
  -- sealed with the master's key file
  admin_secret VARBINARY(1024) NOT NULL,
  nondurable TINYINT UNSIGNED NOT NULL,
  added_at DATETIME(6) NOT NULL,
  KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE db_schemas (
  name VARCHAR(64) NOT NULL PRIMARY KEY,
  doc LONGTEXT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Strategies are added, never changed: the history of every rule, by version.
CREATE TABLE strategies (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  version_epoch BIGINT UNSIGNED NOT NULL,
  version_n BIGINT UNSIGNED NOT NULL,
  owner VARCHAR(160) NOT NULL,
  doc LONGTEXT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE balance_groups (
  name VARCHAR(64) NOT NULL PRIMARY KEY,
  strategy_id BIGINT UNSIGNED NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE db_tables (
  schema_name VARCHAR(64) NOT NULL,
  name VARCHAR(64) NOT NULL,
  kind VARCHAR(16) NOT NULL,
  strategy_id BIGINT UNSIGNED NULL,
  doc LONGTEXT NOT NULL,
  PRIMARY KEY (schema_name, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Clauses of a rules file for tables that do not exist yet.
CREATE TABLE planned_rules (
  schema_name VARCHAR(64) NOT NULL,
  name VARCHAR(64) NOT NULL,
  clause LONGTEXT NOT NULL,
  PRIMARY KEY (schema_name, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Router incarnations. state: pool (account made ahead), active, ending, ended. Accounts are never used twice.
CREATE TABLE incarnations (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  state VARCHAR(16) NOT NULL,
  secret VARBINARY(256) NOT NULL,
  name VARCHAR(128) NOT NULL DEFAULT '',
  router INT UNSIGNED NOT NULL DEFAULT 0,
  addr VARCHAR(255) NOT NULL DEFAULT '',
  version VARCHAR(64) NOT NULL DEFAULT '',
  registered_at DATETIME(6) NULL,
  ended_at DATETIME(6) NULL,
  KEY (state)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE users (
  name VARCHAR(128) NOT NULL PRIMARY KEY,
  doc LONGTEXT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE sequences (
  name VARCHAR(160) NOT NULL PRIMARY KEY,
  next_id BIGINT UNSIGNED NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE ddl_jobs (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  state VARCHAR(16) NOT NULL,
  doc LONGTEXT NOT NULL,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  KEY (state)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE audit (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  at DATETIME(6) NOT NULL,
  who VARCHAR(255) NOT NULL,
  what LONGTEXT NOT NULL,
  why LONGTEXT NOT NULL,
  version_epoch BIGINT UNSIGNED NOT NULL,
  version_n BIGINT UNSIGNED NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT INTO lease (id, epoch, n, holder) VALUES (1, 0, 0, '');
INSERT INTO cluster (id, uuid, version_epoch, version_n, facts, created_at) VALUES (1, UUID(), 0, 0, '{}', UTC_TIMESTAMP(6));
