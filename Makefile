# All the set-up on a fresh machine, then the job: `make test`, `make demo`. Nothing but GNU make
# and a Python from 3.10 on has to be there; everything is installed below .venv/.

DISTRIBUTIONS := jazzy kilted
DEMO_DISTRIBUTION := jazzy
DEMO_EXTRAS := ros,viewer
TEST_EXTRAS := ros,viewer,plot,test

# Without these nothing of ROS can be imported: every package of messages needs the second one.
ROS_MODULES := rclpy rosidl_parser ament_index_python

# Seconds that `make demo` runs (until Ctrl-C without), and where it shows the arm: browser (the
# default) or terminal.
DURATION ?=
VIEW ?=

# A ROS installation or another virtual environment, sourced in the same shell, must not mix with
# the packages in .venv/.
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE
unexport AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH LD_LIBRARY_PATH
unexport PYTHONHOME PYTHONPATH RMW_IMPLEMENTATION ROS_DISTRO VIRTUAL_ENV
export PIP_DISABLE_PIP_VERSION_CHECK := 1

CANDIDATES := python3.12 python3.11 python3.10 python3.13 python3.14 python3
IS_SUITABLE := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))
ifndef PYTHON
PYTHON := $(shell for python in $(CANDIDATES); do \
	if "$$python" -c '$(IS_SUITABLE)' >/dev/null 2>&1; then echo "$$python"; break; fi; done)
endif

# What an installation in .venv/ is made from; the package itself is linked, not copied.
SOURCES := setup.py setup.cfg package.xml $(wildcard launch/* config/* config/*/*)

# The files with the pins, by their names.
locks = $(1:%=constraints/%.txt)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: help test test-plain lint faults fuzz demo bench trial screenshots pictures lock licences clean
.PHONY: $(DISTRIBUTIONS:%=test-%) $(DISTRIBUTIONS:%=test-ros-%)

help:
	@echo 'make test          install everything, then lint, type check and test with each ROS 2'
	@echo 'make test-jazzy    every test with one of them: $(DISTRIBUTIONS)'
	@echo 'make lint          ruff and mypy only'
	@echo 'make faults        hostile messages, calls, signals and clocks by the hundred thousand'
	@echo 'make fuzz          damaged parameter files for ten minutes; SECONDS=60 for one'
	@echo 'make demo          an arm that follows targets; DURATION=10 ends it after 10 s'
	@echo 'make bench         the benchmarks; WRITE=docs/benchmarks.md keeps what they found'
	@echo 'make trial         the claims about success, with COUNT=100000 targets a row; ONLY=TEXT'
	@echo 'make screenshots   the pictures of the documentation, taken anew'
	@echo 'make pictures      the drawings in docs/solvers.md, drawn anew'
	@echo 'make lock          the hashes in constraints/, anew after a change of the pins'
	@echo 'make licences      of all that make demo installs'
	@echo 'make clean         remove .venv/ and what the tools left'

# What needs no ROS once, as if there were none, and the rest with each distribution. What needs ROS
# waits most of the time, so that two cores are kept busy by three parts at a time. The output of each
# is in one piece, and all of it comes even where another part fails. Linting is over first, for
# pytest's summaries are to be the last lines.
test:
	@echo 'Linting and testing in parts: the output of each comes when it is done.'
	@$(MAKE) --no-print-directory --keep-going --jobs=3 --output-sync=target \
		lint $(DISTRIBUTIONS:%=test-ros-%) test-plain

test-plain: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, what needs no ROS'
	IK2D_REQUIRE_ROS=1 IK2D_WITHOUT='$(ROS_MODULES)' PYTHONPATH='$(CURDIR)/test/without' \
		$(<D)/bin/python -m pytest -m 'not ros' $(PYTEST_ARGUMENTS)

$(DISTRIBUTIONS:%=test-ros-%): test-ros-%: .venv/%/.test
	@echo '--- pytest, what needs ROS 2, with $*'
	IK2D_REQUIRE_ROS=1 $(<D)/bin/python -m pytest -m 'ros' $(PYTEST_ARGUMENTS)

$(DISTRIBUTIONS:%=test-%): test-%: .venv/%/.test
	@echo '--- pytest, ROS 2 $*'
	IK2D_REQUIRE_ROS=1 $(<D)/bin/python -m pytest $(PYTEST_ARGUMENTS)

lint: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python -m ruff check .
	$(<D)/bin/python -m ruff format --check .
	$(<D)/bin/python -m mypy

faults: .venv/$(DEMO_DISTRIBUTION)/.test
	IK2D_REQUIRE_ROS=1 IK2D_FAULTS_FULL=1 \
		$(<D)/bin/python -m pytest test/faults --capture=no $(PYTEST_ARGUMENTS)

fuzz: .venv/$(DEMO_DISTRIBUTION)/.test
	IK2D_FAULTS_FULL=1 $(if $(SECONDS),IK2D_FUZZ_SECONDS='$(SECONDS)') \
		$(<D)/bin/python -m pytest test/faults/test_fuzz.py --capture=no $(PYTEST_ARGUMENTS)

demo: .venv/$(DEMO_DISTRIBUTION)/.demo
	@$(<D)/bin/ik2d demo $(if $(DURATION),--duration '$(DURATION)') $(if $(VIEW),--view '$(VIEW)')

bench: .venv/bench/.bench
	$(<D)/bin/python benchmarks/bench.py $(if $(WRITE),--write '$(WRITE)')

trial: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python benchmarks/trial.py $(if $(COUNT),--count '$(COUNT)') $(if $(ONLY),--only '$(ONLY)')

screenshots: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python scripts/screenshots.py

pictures: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python scripts/solver_pictures.py

lock: .venv/$(DEMO_DISTRIBUTION)/.python
	$(<D)/bin/python scripts/lock.py

licences: .venv/$(DEMO_DISTRIBUTION)/.demo
	@$(<D)/bin/python scripts/licences.py

clean:
	rm -rf .venv .hypothesis .mypy_cache .pytest_cache .ruff_cache build install log *.egg-info

# Installed once, and again only when something that it was made from is newer.
.venv/%/.demo: .venv/%/.python constraints/%.txt $(call locks,package viewer) $(SOURCES)
	@echo '--- installing ROS 2 $* and ik2d_ros into .venv/$*'
	@$(call pip_install,$*,$* viewer,$(DEMO_EXTRAS))
	@touch $@

.venv/%/.test: .venv/%/.python constraints/%.txt $(call locks,package viewer test) $(SOURCES)
	@echo '--- installing ROS 2 $*, ik2d_ros and the test tools into .venv/$*'
	@$(call pip_install,$*,$* viewer test,$(TEST_EXTRAS))
	@touch $@

# The benchmarks need nothing of ROS; the solvers to compare with install themselves beside it.
.venv/bench/.bench: .venv/bench/.python $(call locks,package) $(SOURCES)
	@echo '--- installing ik2d_ros into $(@D)'
	@$(call pip_install,bench,,)
	@touch $@

# Of the virtual environment $(1), with the pins in the files $(2) and the package's extras $(3).
# What comes from elsewhere has to have a known hash. What builds comes first, so that it is pinned,
# too; the package comes last, and pip has to find everything that it needs installed by then.
pip_install = \
	$(call pip_locked,$(1),package) $(if $(2),&& $(call pip_locked,$(1),$(2))) && \
	$(call pip,$(1)) --no-index --no-build-isolation --editable '.$(if $(3),[$(3)])'
pip_locked = $(call pip,$(1)) --require-hashes --no-deps --no-build-isolation \
	$(addprefix --requirement ,$(call locks,$(2)))
pip = .venv/$(1)/bin/python -m pip install -qq

.venv/%/.python:
	@if [ -z '$(PYTHON)' ] || ! '$(PYTHON)' -c '$(IS_SUITABLE)' 2>/dev/null; then \
		echo 'Python 3.10 or newer with its venv module is needed, and none was found:' >&2; \
		echo '  tried $(if $(PYTHON),$(PYTHON),$(CANDIDATES)).' >&2; \
		echo 'On Debian and Ubuntu: apt install python3-venv. Or name one: make PYTHON=...' >&2; \
		exit 1; \
	fi
	@rm -rf '$(@D)'
	@'$(PYTHON)' -m venv '$(@D)'
	@touch $@
