"""The tables of a recording, version 1: one SQLite file; docs/recordings.md says more.

Times are seconds of the recording's own axis: those since 1970 when its first run began, and
counted on by a clock that never jumps and that goes on while the computer sleeps. A later run
begins at its time of day, or right after the one before where the clock was set back.
"""

APPLICATION = 0x47505845  # "GPXE", in the header of the file
VERSION = 1
# Seconds of the buckets in which a recording is kept beside its readings, finest first.
LEVELS = (10, 60, 600)
# The metric under which a series keeps its times, and the state of its card.
TIMES = ""
STATE = ":state"

TABLES = """
-- Facts about the file itself; values are JSON: "anonymous", "reasons" and "states" (what
-- the numbers of columns.py mean), "program".
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Somebody wrote, from beginning to end; without an end it is still written, or was killed.
-- `writer` and `machine` are JSON: Writer and Machine of told.py.
CREATE TABLE run (id INTEGER PRIMARY KEY, began REAL NOT NULL, ended REAL,
    writer TEXT NOT NULL, machine TEXT NOT NULL);

-- What is true from then on; `kind` is a Turn of told.py, `value` JSON.
CREATE TABLE turn (id INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL,
    value TEXT NOT NULL);

-- Whose figures there are: a card, the host, or a process on a card (facts: ProgramFacts).
CREATE TABLE subject (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,
    first REAL NOT NULL, last REAL NOT NULL, facts TEXT NOT NULL);

-- One metric of a subject. Those of one rhythm are read together and share their times.
CREATE TABLE series (id INTEGER PRIMARY KEY, subject INTEGER NOT NULL,
    rhythm TEXT NOT NULL, metric TEXT NOT NULL);

-- A stretch of a series: readings (level 0) or buckets; `data` as columns.py writes it.
CREATE TABLE piece (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, level INTEGER NOT NULL,
    first REAL NOT NULL, last REAL NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX piece_of ON piece (series, level, first);

-- Readings that are in no piece yet, one row each: the newest minutes. `metrics` is a JSON
-- list, and `data` has a double for each of them.
CREATE TABLE layout (id INTEGER PRIMARY KEY, subject INTEGER NOT NULL,
    rhythm TEXT NOT NULL, metrics TEXT NOT NULL);
CREATE TABLE tail (id INTEGER PRIMARY KEY, layout INTEGER NOT NULL, at REAL NOT NULL,
    data BLOB NOT NULL);

CREATE TABLE happening (id INTEGER PRIMARY KEY, at REAL NOT NULL, wall REAL NOT NULL,
    kind TEXT NOT NULL, card TEXT, sentence TEXT NOT NULL, about TEXT NOT NULL, lasted REAL);

-- What lab and copies said: `what` is a Topic of told.py, `text` JSON.
CREATE TABLE said (id INTEGER PRIMARY KEY, at REAL NOT NULL, what TEXT NOT NULL,
    text TEXT NOT NULL);
"""
