#!/bin/bash
# Runs ctest, and runs the tests that failed once more, alone: a test that fails beside others and passes alone is unsteady.
# An unsteady test is listed and does not fail the run. It is a fault of the test, to be mended; the list is in BUILD/Testing/unsteady.txt.
# Nothing is run again when more than LIMIT tests failed, or when a sanitizer or an assertion has spoken: those are faults of the program.
# usage: tools/run_tests.sh [--preset PRESET] [other options of ctest]     without --preset: in a build folder
set -uo pipefail
LIMIT=3
FAULTS='(Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer|runtime error:|cuzk: internal error:'

preset=()
build=.
for ((i = 1; i < $#; i++)); do
    if [ "${!i}" = --preset ]; then
        j=$((i + 1))
        preset=(--preset "${!j}")
        build=build/${!j}
    fi
done
results=$build/Testing/Temporary
rm -f "$results/LastTestsFailed.log" "$build/Testing/unsteady.txt"
ctest --output-on-failure "$@"
status=$?
failed=$results/LastTestsFailed.log
[ $status -ne 0 ] && [ -s "$failed" ] || exit $status

count=$(wc -l <"$failed")
if [ "$count" -gt $LIMIT ]; then
    echo "run_tests: $count tests failed; none is run again"
    exit $status
fi
if grep -qE "$FAULTS" "$results/LastTest.log"; then
    echo "run_tests: the failure is one of the program (a sanitizer or an assertion); nothing is run again"
    exit $status
fi
names=$(sed 's/^[0-9]*://' "$failed")
echo "run_tests: failed, and run again alone:" $names
ctest --output-on-failure "${preset[@]}" --rerun-failed -j 1 || exit $?
printf '%s\n' $names >"$build/Testing/unsteady.txt"
echo "run_tests: UNSTEADY, passed only when run alone:" $names
