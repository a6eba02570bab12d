# The two commands of the README, and what they are made of. CMake + Ninja do the building; this
# file only names the jobs. Everything lands in build/<preset>.
JOBS ?= $(shell nproc)
# Two more tests than processors: half of the time of a test, it waits for timers and other processes.
CTEST = $(CURDIR)/tools/run_tests.sh -j $(shell expr $(JOBS) + 2)
empty =
space = $(empty) $(empty)

.PHONY: demo check test tidy coverage check-slow check-sanitizers check-compilers check-clang fuzz lint bench package bare-root dockerfile bare-library boundary deps deps-test release clean

## demo: install what a build needs, build the program, and run the main job
demo: deps
	cmake --preset release
	cmake --build --preset release --target cuzk
	tools/demo.sh build/release/cuzk

## check: install what the tests need, build, and run lint and the tests (about fifteen minutes on two cores)
check: deps deps-test release
	tools/lint.sh
	$(CTEST) --preset release -LE slow

## test MODULE=msm: build and run the tests of one module (its folder below test/)
MODULE ?= base
test:
	@[ -f build/release/build.ninja ] || cmake --preset release
	@cmake --build --preset release --target tests_$(MODULE)
	$(CTEST) --preset release -LE slow -R '^$(MODULE)/'

## tidy: clang-tidy on the files that changed since the tree was last clean as a whole (TIDY=all: every file)
TIDY ?= changed
tidy: deps deps-test
	tools/tidy.sh $(TIDY)

## check-slow: the tests that take longer than CI allows for
check-slow: deps deps-test release
	$(CTEST) --preset release -L slow

## check-sanitizers: the tests again under ASan+UBSan, and those of modules with threads under TSan
THREADED = accel aggregate api daemon engine fleet groth16 lib log msm ntt prover rpc store sys trace
# Tests of these modules in which TSan can find nothing: programs that start no thread (no pthread_create in them: nm -u; or no pool), and programs whose
# threads are those of another test (the same MSM over the other field, the pool under one more caller, a server that another test asks).
ONE_THREAD = accel/(card|suballoc)|aggregate/(public|srs|subgroup|verify)|api/(gpu_sensors|history|metrics|status_json)|fleet/member|ntt/asm|prover/(cards_page|device_needs)|store/(access|damage|input_pack|own|power|version)|sys/(cpu_count|tcp_listen)
SAME_THREADS = mask_0x|ntt/ntt_|msm/g2|prover/stages|groth16/(golden|corrupt|srs|trapdoor_vk|device$$)|api/promtool
check-sanitizers: deps deps-test
	cmake --preset asan
	cmake --build --preset asan
	$(CTEST) --preset asan -LE "slow|nosan"
	cmake --preset tsan
	cmake --build --preset tsan --target $(THREADED:%=tests_%)
	$(CTEST) --preset tsan -LE "slow|nosan|fuzz" -R "^($(subst $(space),|,$(THREADED)))/" -E "^($(ONE_THREAD))$$|$(SAME_THREADS)"

## coverage: the lines that the tests reach in each module, and a failure below the floors of tools/coverage_floor.txt (slow)
coverage: deps deps-test
	cmake -S . -B build/coverage -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCUZK_COVERAGE=ON -DCUZK_WERROR=OFF
	cmake --build build/coverage
	find build/coverage -name '*.gcda' -delete
	cd build/coverage && $(CTEST) -LE "slow|nosan"
	tools/coverage.py build/coverage

## check-compilers: the program and the library by clang, and the tests of arithmetic with portable C, without assembly (and so without
## those tests whose only difference is a mask of instruction sets)
ARITHMETIC = ec ff groth16 hash msm ntt pairing r1cs verify
check-compilers: deps deps-test
	cmake --preset clang
	cmake --build --preset clang --target cuzk cuzk_shared
	cmake --preset portable
	cmake --build --preset portable --target $(ARITHMETIC:%=tests_%)
	$(CTEST) --preset portable -LE "slow|nosan|fuzz|npm" -R "^($(subst $(space),|,$(ARITHMETIC)))/" -E "golden|groth16/device|mask_0x|_portable$$|ntt/ntt_adx"

## check-clang: all of the tree by clang, tests too (slow)
check-clang: deps deps-test
	cmake --preset clang
	cmake --build --preset clang

## fuzz: every fuzz target for FUZZ_SECONDS each
FUZZ_SECONDS ?= 60
fuzz: deps deps-test
	cmake --preset fuzz
	cmake --build --preset fuzz
	tools/fuzz.sh build/fuzz $(FUZZ_SECONDS)

lint: deps-test
	tools/lint.sh

## bench: the measurements that fit two cores in five minutes (results in build/release/bench-results)
bench: deps release
	tools/bench.sh build/release/cuzk

## package: the Debian package and a tarball, in build/package; with CUDA when nvcc is there (tools/package.sh)
package: deps
	tools/deps.sh package
	tools/package.sh

release:
	cmake --preset release
	cmake --build --preset release

deps:
	tools/deps.sh build

deps-test:
	tools/deps.sh test

clean:
	rm -rf build

## bare-root: every command of docs/provider.md in a bare Debian 12, by the package and by the tarball, on 2 KiB sectors (as root; debootstrap and a mirror; minutes)
bare-root: package
	tools/bare_root.sh deb build/package/cuzk*.deb
	tools/bare_root.sh tarball build/package/cuzk-*.tar.gz

## bare-library: docs/embedding.md in a bare Debian 12 with the packages of libcuzk, in every language (as root; debootstrap and a mirror; minutes)
bare-library: package
	tools/bare_library.sh

## boundary: cost of a WinningPoSt by libcuzk against cuzk prove, in instructions and in CPU time (minutes)
boundary: release
	bench/boundary/run.py build/release --outside
	bench/boundary/run.py build/release --instructions
	bench/boundary/run.py build/release

## dockerfile: what packaging/Dockerfile says, its compilation left out, in a bare Debian 12 without Docker (as root; debootstrap and a mirror; minutes)
dockerfile: package
	BUILD_STAGE=1 tools/dockerfile_run.sh build/package/cuzk*.deb
