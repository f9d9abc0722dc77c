"""The tables of a recording, version 1: one SQLite file; docs/recordings.md says more.

Times are seconds of the recording's own axis: those since 1970 when its first run began, and
counted on by a clock that never jumps and that goes on while the computer sleeps. A later run
begins at its time of day, or right after the one before where the clock was set back.
"""

APPLICATION = 0x47505845  # "GPXE", in the header of the file
VERSION = 1
# Seconds of the buckets in which a recording is kept beside its readings, finest first.
LEVELS = (10, 60, 600)
# The doubles of a bucket. A piece of n buckets is one column of 5n: the n starts (multiples of
# the level), then the minima, the maxima, the means, and how many readings there were.
BUCKET = 5
# The metric under which a series keeps its times, and the state of its card: its number in the
# file's own list of states, from 1 on.
TIMES = ""
STATE = ":state"
# A rhythm is the cadence of a card's metrics, or one of these.
HOST_RHYTHM = "host"
PROCESSES_RHYTHM = "processes"
# The metrics of a process are its ProcessFigures, and what the computer says of it.
CPU = "cpu"
HOST_MEMORY = "host_memory"

TABLES = """
-- Facts about the file itself; values are JSON: "anonymous", "reasons" and "states" (what
-- the numbers of columns.py mean), "program".
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Somebody wrote, from beginning to end; without an end it is still written, or was killed.
-- `writer` and `machine` are JSON: Writer and Machine of told.py.
CREATE TABLE run (id INTEGER PRIMARY KEY, began REAL NOT NULL, ended REAL,
    writer TEXT NOT NULL, machine TEXT NOT NULL);

-- What is true from then on; `kind` is a Turn of told.py, `value` JSON. Each tells all there
-- is to tell: that of processes says of every card who uses it.
CREATE TABLE turn (id INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL,
    value TEXT NOT NULL);

-- Whose figures there are: a card, the host (named by their ids), or a process on a card
-- (named by its pid; facts: ProgramFacts, as they were told last). From `first` to `last` there
-- are pieces; the tail may be newer. A process that comes back is another subject.
CREATE TABLE subject (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,
    first REAL NOT NULL, last REAL NOT NULL, facts TEXT NOT NULL);

-- One metric of a subject. Those of one rhythm are read together and share their times.
CREATE TABLE series (id INTEGER PRIMARY KEY, subject INTEGER NOT NULL,
    rhythm TEXT NOT NULL, metric TEXT NOT NULL);

-- A stretch of a series: readings (level 0) or buckets; `data` as columns.py writes it. Pieces
-- of readings of one subject and rhythm begin and end together. Those of buckets reach as far
-- as those of readings, and none is of a process; of what is in the tail there are none yet.
-- The newest piece of buckets grows until it is full; its last bucket may not be over.
CREATE TABLE piece (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, level INTEGER NOT NULL,
    first REAL NOT NULL, last REAL NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX piece_of ON piece (series, level, first);

-- Readings that are in no piece yet, one row each: the newest minutes. `metrics` is a JSON
-- list, and `data` has a double for each of them. Rows of a layout are in the order of time,
-- and newer than every piece of its subject and rhythm.
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
