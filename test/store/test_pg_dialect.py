#!/usr/bin/env python3
"""Every SQL statement of the shared queue keeps to what PostgreSQL 15 and YugabyteDB (YSQL) both document. YugabyteDB itself is not run.

Usage: test_pg_dialect.py SOURCE      (the folder of the repository)
Statements are the string literals of src/store/pg and the files schema_*.sql in it. Refused is what YugabyteDB lacks, ignores or documents
as limited; functions and types are those of a list, so that a new one is looked up before it is used.
"""
import pathlib, re, sys

REFUSED = {
    r"\bpg_(try_)?advisory": "advisory locks: not in releases before 2025",
    r"\bUNLOGGED\b": "unlogged tables",
    r"\b(TEMP|TEMPORARY)\b": "temporary tables: slow, they change the catalogue of all nodes",
    r"\bDEFERRABLE\b|\bINITIALLY\s+DEFERRED\b|\bSET\s+CONSTRAINTS\b": "deferrable constraints: foreign keys only",
    r"\bEXCLUDE\s+USING\b|\bEXCLUDE\s*\(": "exclusion constraints",
    r"\bUSING\s+(gist|spgist|brin|hash|gin)\b": "index methods",
    r"\bTRIGGER\b": "triggers: none of the queue's own",
    r"\bINHERITS\b": "table inheritance",
    r"\bLOCK\s+(TABLE\b|cuzk_)": "LOCK TABLE: only ACCESS SHARE",
    r"\bPREPARE\s+TRANSACTION\b|\b(COMMIT|ROLLBACK)\s+PREPARED\b": "two-phase commit by clients",
    r"\bCREATE\s+(EXTENSION|FUNCTION|PROCEDURE|RULE|PUBLICATION)\b": "more than tables and indexes",
    r"\bCONCURRENTLY\b": "cannot run in the migration's transaction",
    r"\b(ctid|xmin|xmax|cmin|cmax|tableoid)\b": "system columns",
    r"\bTABLESAMPLE\b|\bWHERE\s+CURRENT\s+OF\b|\bDECLARE\b.*\bCURSOR\b": "cursors and samples",
    r"\bSAVEPOINT\b": "savepoints: the queue's transactions are repeated whole",
    r"\bpg_(notify|sleep|total_relation_size|locks|stat_)": "functions of the server that differ",
    r"\bTRUNCATE\b|\bVACUUM\b|\bCLUSTER\b|\bREINDEX\b": "maintenance",
    r"\bMERGE\s+INTO\b": "MERGE",
    r"\bNULLS\s+NOT\s+DISTINCT\b": "NULLS NOT DISTINCT",
    r"\bSERIALIZABLE\b": "an isolation level that is asked for: conflicts are retried at any",
}
FUNCTIONS = set("""abs any avg bool_or coalesce count current_setting exists extract generate_series greatest left length max min now octet_length
                   position set_config substring sum to_regclass unnest""".split())
NO_FUNCTIONS = set("""and as by conflict filter from in into join key on or over partition select set then using values when where with not
                      cuzk_client cuzk_input cuzk_job cuzk_member cuzk_meta cuzk_pace cuzk_part cuzk_schema cuzk_usage""".split())
TYPES = set("bigint boolean bytea text timestamptz interval".split())
BEGINS = r"\s*(WITH|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|LISTEN|NOTIFY|UNLISTEN|SET|BEGIN|COMMIT|ROLLBACK|LOCK|TRUNCATE|MERGE)\b"


def faults(sql):
    plain = re.sub(r"'[^']*'", "''", sql)
    found = [why for pattern, why in REFUSED.items() if re.search(pattern, plain, re.I)]
    for name in re.findall(r"\b([a-z_]\w*)\s*\(", plain, re.I):
        if name.lower() not in FUNCTIONS | NO_FUNCTIONS and not is_made_here(name, plain):
            found.append(f"{name}(): not in the list of functions")
    found += [f"::{t}: not in the list of types" for t in re.findall(r"::\s*(\w+)", plain) if t.lower() not in TYPES]
    if re.match(r"\s*CREATE\s+TABLE", plain, re.I):
        for line in plain[plain.index("(") + 1:].split(","):
            words = line.split()
            if len(words) >= 2 and words[0].upper() not in ("PRIMARY", "KEY", "PART)", ")") and words[0].isidentifier() and words[1].lower() not in TYPES:
                found.append(f"{line.strip()}: not in the list of types")
    return found


def is_made_here(name, sql):
    """A table whose columns are named: INSERT INTO t (...), an index ON t (...), the name of a CTE's column list."""
    return re.search(rf"\b(INTO|ON|AS|TABLE|EXISTS)\s+{name}\s*\(|\bINTO\s+{name}\s+AS\s+\w+\s*\(|\bAS\s+{name}\s*\(", sql, re.I) is not None


def statements(folder):
    """(file, statement)"""
    for f in sorted(folder.rglob("*.sql")):
        text = re.sub(r"--[^\n]*", "", f.read_text())
        yield from ((f.name, s) for s in text.split(";") if s.strip())
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for f in sorted(folder.rglob("*.c")) + sorted(folder.rglob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", f.read_text(), flags=re.S).replace("\\\n", "\n")
        for m in re.finditer(rf"{literal}(?:\s*(?:[A-Z_]{{3,}}\s*)?{literal})*", text):
            sql = "".join(x[1:-1] for x in re.findall(literal, m.group(0)))
            if re.match(BEGINS, sql):
                yield f.name, sql


def check_the_check():
    bad = ["SELECT pg_advisory_lock(1)", "CREATE UNLOGGED TABLE t (a bigint)", "CREATE TABLE t (a bigint REFERENCES u DEFERRABLE)", "SELECT pg_notify('a', 'b')",
           "CREATE TABLE t (a jsonb)", "SELECT a::json FROM t", "SELECT width_bucket(a, 1, 2, 3) FROM t", "LOCK TABLE cuzk_job", "SELECT ctid FROM cuzk_job",
           "CREATE TRIGGER x AFTER UPDATE ON t EXECUTE FUNCTION f()", "CREATE INDEX CONCURRENTLY i ON t (a)", "SAVEPOINT a", "BEGIN ISOLATION LEVEL SERIALIZABLE"]
    good = ["SELECT count(*) FROM cuzk_job WHERE state < 2", "INSERT INTO cuzk_part (number, part) SELECT $1, i FROM generate_series(0::bigint, $4 - 1) AS i",
            "SELECT 'ctid and pg_advisory_lock(1)'"]
    return [f"not refused: {s}" for s in bad if not faults(s)] + [f"refused: {s}: {faults(s)}" for s in good if faults(s)]


def main():
    source = pathlib.Path(sys.argv[1])
    folder = source / "src/store/pg"
    all_statements = list(statements(folder))
    wrong = check_the_check()
    wrong += [f"{name}: {why}: {' '.join(sql.split())[:120]}" for name, sql in all_statements for why in faults(sql)]
    # notices make the queue quicker; without them it is polled
    notices = [name for name, sql in all_statements if re.match(r"\s*(LISTEN|NOTIFY|UNLISTEN)\b", sql)]
    if notices != ["pg_fleet.c", "pg_fleet.c"]:
        wrong.append(f"LISTEN and NOTIFY once each, in pg_fleet.c: {notices}")
    if not re.search(r"can_notify =\s+pg_exec\([^;]*LISTEN", "".join(f.read_text() for f in folder.rglob("pg_fleet.c"))) or not re.search(
            r"wait\(e->store\.arg, POLL_MS\)", "".join(f.read_text() for f in (source / "src/engine").rglob("shared_queue.c"))):
        wrong.append("a database without LISTEN must be polled")
    if len(all_statements) < 80:
        wrong.append(f"only {len(all_statements)} statements found")
    print("\n".join(wrong) if wrong else f"{len(all_statements)} statements, none of them refused")
    sys.exit(1 if wrong else 0)


main()
