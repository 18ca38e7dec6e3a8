/** One entry per schema version, applied in order; an entry that was released is never edited. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;

  CREATE TABLE sandboxes (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    specHash TEXT NOT NULL,
    image TEXT NOT NULL,
    imageDigest TEXT NOT NULL,
    labels TEXT NOT NULL,
    cpus INTEGER NOT NULL,
    memoryMiB INTEGER NOT NULL,
    diskMiB INTEGER NOT NULL,
    egressMode TEXT NOT NULL,
    isolation TEXT NOT NULL,
    timeoutSeconds INTEGER NOT NULL,
    bootId TEXT NOT NULL,
    leaseDeadlineMs REAL NOT NULL,
    acceptedMs REAL NOT NULL,
    createdAtMs REAL NOT NULL,
    startedAtMs REAL,
    endedAtMs REAL,
    expiresAtMs REAL NOT NULL,
    slot INTEGER UNIQUE,
    templateId TEXT,
    endReason TEXT,
    endMessage TEXT,
    wallSeconds REAL NOT NULL,
    cpuSeconds REAL NOT NULL,
    peakMemoryMiB REAL NOT NULL,
    queuedMs REAL NOT NULL,
    startedMs REAL,
    readyMs REAL,
    outputBytes INTEGER NOT NULL,
    consoleTail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sandboxesByState ON sandboxes (state, endedAtMs);

  CREATE TABLE resources (
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (owner, kind, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE execs (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    sandboxId TEXT NOT NULL REFERENCES sandboxes (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    streamId INTEGER NOT NULL,
    state TEXT NOT NULL,
    specHash TEXT NOT NULL,
    command TEXT NOT NULL,
    cwd TEXT NOT NULL,
    user TEXT NOT NULL,
    pty INTEGER NOT NULL,
    stdin INTEGER NOT NULL,
    inputClosed INTEGER NOT NULL,
    startedAtMs REAL NOT NULL,
    endedAtMs REAL,
    exitCode INTEGER,
    signal TEXT,
    timedOut INTEGER NOT NULL,
    oomKilled INTEGER NOT NULL,
    failure TEXT,
    outputBytes INTEGER NOT NULL,
    truncated INTEGER NOT NULL,
    usage TEXT,
    UNIQUE (sandboxId, id)
  ) STRICT;

  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    atMs REAL NOT NULL,
    type TEXT NOT NULL,
    sandboxId TEXT,
    execId TEXT,
    data TEXT NOT NULL
  ) STRICT;

  CREATE TABLE idempotency (
    key TEXT PRIMARY KEY,
    requestHash TEXT NOT NULL,
    sandboxId TEXT,
    error TEXT,
    createdAtMs REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotencyByAge ON idempotency (createdAtMs);

  CREATE TABLE counters (name TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID;

  INSERT INTO meta (name, value) VALUES ('hashKey', randomblob(32));
  `,
  `
  ALTER TABLE sandboxes ADD COLUMN snapshot TEXT;
  ALTER TABLE sandboxes ADD COLUMN checkpointId TEXT;
  ALTER TABLE sandboxes ADD COLUMN forkedFrom TEXT;
  ALTER TABLE sandboxes ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE sandboxes ADD COLUMN hasEnvValues INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sandboxes ADD COLUMN pausedAtMs REAL;
  ALTER TABLE sandboxes ADD COLUMN hibernateAtMs REAL;
  ALTER TABLE sandboxes ADD COLUMN hibernated INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE idempotency RENAME COLUMN sandboxId TO answer;
  `,
  `
  ALTER TABLE execs ADD COLUMN timeoutMs REAL;
  `,
  `
  ALTER TABLE sandboxes ADD COLUMN egressAllow TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE sandboxes ADD COLUMN egressRevision INTEGER NOT NULL DEFAULT 1;
  `,
  `
  CREATE TABLE egressCounts (
    sandboxId TEXT NOT NULL REFERENCES sandboxes (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    source TEXT NOT NULL,
    countedBy TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    name TEXT,
    address TEXT,
    port INTEGER,
    transport TEXT NOT NULL,
    count REAL NOT NULL,
    bytesIn REAL NOT NULL,
    bytesOut REAL NOT NULL,
    firstMs REAL NOT NULL,
    lastMs REAL NOT NULL,
    seenPackets REAL NOT NULL,
    seenBytes REAL NOT NULL,
    PRIMARY KEY (sandboxId, key, source)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE egressAnnounced (
    sandboxId TEXT PRIMARY KEY REFERENCES sandboxes (id) ON DELETE CASCADE,
    events INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE egressCursors (
    helper TEXT PRIMARY KEY,
    epoch TEXT NOT NULL,
    seq REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
