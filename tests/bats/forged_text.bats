#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# forged_text.bats - text from traced programs makes no lines in what is printed, nor turns it round
# runs: host
load helpers

# What names have: ends of lines, ESC, DEL, the second set of control characters as a byte and in
# UTF-8, Unicode's ends of lines, and what changes the direction of text. The first is for comparison.
FORGERS=(01 0a 0d 1b 7f 9b c285 c29b e280a8 e280a9 d89c e2808f e280ae e281a6)

setup() { setup_test; }
teardown() { teardown_test; }

# forge HEX: the trace t, whose names have these bytes
forge()
{
	python3 "$ROOT/tests/checkers/export/forge.py" "$1" | "$PROGS/mktrace" t
}

# commands: a line each
commands()
{
	local command
	for command in list info events check stat state flow resources sched syscalls irq io ipoints \
		stacks pthread objects contention lock-order seq hist 'critical-path --pid 100' \
		'live --all -n 30'; do
		echo "$command t"
		echo "$command --json t"
	done
	cat <<-END
		list --time wall t
		list --symbols t
		list --stacks t
		grep tid==100 t
		hist --svg t
		stat --types t
		flow --list t
		syscalls --threads t
		sched --histograms t
		live --all --top -n 1 --by process,thread,type t
		diff t t
		diff t $ROOT/tests/data/golden/kernel-v1.bin
		diff --json t $ROOT/tests/data/golden/kernel-v1.bin
		cut -o new t
		merge -o new t
		html -o new t
		export --to chrome t
		export --to folded t
		export --to folded --by events t
		export --to paje t
		export --to shark t
		export --to csv -o new t
		export --to ctf -o new t
		export --to perfetto -o new t
		export --to sqlite -o new t
		import --from perf -o new t
		import --from ctf -o new t
		import --from perfetto -o new t
		import --from trace-dat -o new t
		import --from shark -o new t
		import --from shark-packets -o new t
	END
}

# say FOLDER: what each command prints, in FOLDER/NUMBER
say()
{
	local command status i=0
	mkdir "$1"
	while read -r command; do
		rm -rf new
		status=0
		# shellcheck disable=SC2086 # command and options
		"$KTRACE" $command >"$1/$i" 2>"$1/$i.err" </dev/null || status=$?
		[ "$status" -le 2 ] || { echo "ktrace $command: status $status"; return 1; }
		i=$((i + 1))
	done <list
}

# judge FOLDER: there is nothing in it that a terminal obeys, and each file has the lines that the
# same has in the first folder. Tabs before the frames of stacks are ktrace's.
judge()
{
	python3 - "$1" "${FORGERS[0]}" <<-'END'
		import sys, unicodedata
		def obeyed(c):
		    return (unicodedata.category(c) in ("Cc", "Zl", "Zp") or
		            c in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
		wrong = 0
		for i, command in enumerate(open("list").read().splitlines()):
		    for end in "", ".err":
		        lines, others = ([line[1:] if line[:1] == b"\t" else line for line in
		                          open(f"{folder}/{i}{end}", "rb").read().split(b"\n")]
		                         for folder in sys.argv[1:])
		        bad = [line for line in lines if any(map(obeyed, line.decode("utf-8", "surrogateescape")))
		               or b"\xef\xbf\xbd" not in line and line != line.decode("utf-8", "replace").encode()]
		        # How far another reader comes in such a file is no matter of lines.
		        differs = len(lines) != len(others) and not command.startswith("import")
		        if bad or differs:
		            print(f"{sys.argv[1]}: ktrace {command}: {len(lines)} lines, not {len(others)}: {bad[:1]}")
		            wrong += 1
		sys.exit(wrong)
	END
}

@test "no name makes a line or is obeyed, in any table, list, export or message" {
	local forger wrong=0
	commands >list
	for forger in "${FORGERS[@]}"; do
		forge "$forger"
		say "$forger"
		judge "$forger" || wrong=1
	done
	[ "$wrong" = 0 ]
}

@test "no name makes a line on the screen of ktrace tui, or is obeyed" {
	local forger
	for forger in 0a 1b c29b e280ae; do
		forge "$forger"
		# q ends it; what it has drawn is what the terminal got. The file is damaged: status 1.
		: >typed
		capture script -qefc "stty cols 100 rows 30; '$KTRACE' tui t" typed \
			< <(retry 0.05 grep -qa 'label="l' typed >/dev/null; printf q)
		[ "$status" -le 1 ]
		grep -qa 'label="l' typed
		fails grep -qaP 'de\x1bmo|l\x1bm|\xc2\x9b|\xe2\x80\xae' typed
		fails grep -qaxE '.*de|mo .*' typed
	done
}

@test "machine formats keep the exact text, by their own escapes" {
	local forger
	for forger in 0a 1b 7f c285 e280a8 e280ae e281a6; do
		forge "$forger"
		rm -f csv sqlite
		"$KTRACE" list --json t 2>/dev/null >json || [ $? = 1 ]
		"$KTRACE" export --to csv -o csv t 2>/dev/null || [ $? = 1 ]
		"$KTRACE" export --to sqlite -o sqlite t 2>/dev/null || [ $? = 1 ]
		python3 - "$forger" <<-'END'
			import csv, json, sqlite3, sys
			evil = bytes.fromhex(sys.argv[1]).decode()
			label, comm = f"l{evil}m", f"de{evil}mo"
			# Not by splitlines(), which knows other ends of lines, too.
			events = [json.loads(line) for line in open("json").read().split("\n") if line]
			assert [e["fields"]["label"] for e in events if e["event"] == "demo:work"] == [label]
			assert events[0]["comm"] == comm
			rows = list(csv.reader(open("csv", newline="")))
			assert len(rows) == 1 + len(events), len(rows)
			assert comm in rows[1], rows[1]
			fields = rows[0].index("fields")
			assert label in [json.loads(row[fields]).get("label") for row in rows[1:] if row[fields]]
			db = sqlite3.connect("sqlite")
			asked = 'select label, thread_comm from "demo:work"'
			assert db.execute(asked).fetchall() == [(label, comm)], db.execute(asked).fetchall()
		END
	done
}

@test "messages of ktraced have no line of others, nor what is obeyed" {
	local forger name
	mkdir one
	for forger in "${FORGERS[@]}"; do
		name=$(printf "x$(sed 's/../\\x&/g' <<<"$forger")y_")
		for args in "-o no$name/t true" "-o t no$name" "-o t -e no$name true" "-o t --filter no$name true" \
			"-o t --context no$name true" "--recover no$name"; do
			# shellcheck disable=SC2086 # words
			IFS=' ' command_words=($args)
			"$KTRACED" "${command_words[@]}" 2>&1 </dev/null | cat >>"one/$forger" || true
		done
	done
	python3 - <<-'END'
		import os, unicodedata
		lines = {name: open(f"one/{name}", "rb").read().split(b"\n") for name in os.listdir("one")}
		assert len(set(map(len, lines.values()))) == 1, {n: len(l) for n, l in lines.items()}
		for name, all in lines.items():
		    for line in all:
		        assert not [c for c in line.decode() if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cf")], (name, line)
	END
}

# A file of another user's folder may be called so, and "*" of the shell makes it an argument.
@test "an option that is not there is told without what is obeyed" {
	local evil=$'x\e]0;y\a\nktrace: z\u202e' command option
	for command in "$KTRACED" "$KTRACE list" "$KTRACE export" "$KTRACE session"; do
		for option in "--$evil" "-$evil" "--help=$evil" "--no=$evil"; do
			# shellcheck disable=SC2086 # words
			capture $command "$option" t
			[ "$status" -ne 0 ]
			[[ $stderr != *[$'\e\a\u202e']* && $stderr != *$'\nktrace: z'* ]]
			[[ $stderr == *"option '-"* ]]
		done
	done
}
