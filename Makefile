# Sets up a fresh machine and runs the job: `make test`, `make demo`. Needs only GNU make and Python
# 3.10 or newer; everything is installed below .venv/.

# A ROS distribution is a file of pins.
DISTRIBUTIONS := $(sort $(patsubst constraints/ros/%.txt,%,$(wildcard constraints/ros/*.txt)))
DEMO_DISTRIBUTION := jazzy
OTHERS := $(filter-out $(DEMO_DISTRIBUTION),$(DISTRIBUTIONS))
DEMO_EXTRAS := ros,viewer
SIM_EXTRAS := ros,viewer,motion,sim
TEST_EXTRAS := ros,viewer,plot,calibrate,urdf,motion,sim,test

# Without these no ROS package can be imported: every message package needs the second one.
ROS_MODULES := rclpy rosidl_parser ament_index_python

# The arm of `make demo`, a file or the name of a shipped one (default: two_bone), the node in it if it
# is for several, such as the legs of a robot, its running time in seconds (default: until Ctrl-C), and
# its view: browser (default) or terminal. With ROBOT=sim it drives an arm in physics. Where pip finds no
# ROS packages, it is `ik2d view`.
ARM ?=
ARM_NODE ?=
DURATION ?=
VIEW ?=
ROBOT ?=

# The executor of the nodes in tests: by default one in each distribution, which covers both in the time
# of one. EXECUTOR=single (or events) takes that one everywhere.
EXECUTOR ?=
executor = $(or $(EXECUTOR),$(if $(filter $(DEMO_DISTRIBUTION),$(1)),events,single))

# A ROS installation or another virtual environment, sourced in the same shell, must not mix with
# the packages in .venv/.
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE
unexport AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH LD_LIBRARY_PATH
unexport PYTHONHOME PYTHONPATH RMW_IMPLEMENTATION ROS_DISTRO VIRTUAL_ENV
# Set in many containers: each of a thousand test processes would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The system's Python comes first: it is the one that ROS is for, and those of pyenv may have been
# compiled without optimization. One with headers can compile the kernel.
CANDIDATES := /usr/bin/python3 python3.12 python3.11 python3.10 python3.13 python3.14 python3
IS_SUITABLE := import ensurepip, sys, venv; assert sys.version_info >= (3, 10)
HAS_HEADERS := import sysconfig; open(sysconfig.get_config_h_filename())
first = $(shell for python in $(1); do \
	if "$$python" -c '$(2)' >/dev/null 2>&1; then echo "$$python"; break; fi; done)
suitable = $(or $(call first,$(CANDIDATES),$(IS_SUITABLE); $(HAS_HEADERS)),$(call first,$(CANDIDATES),$(IS_SUITABLE)))
ifndef PYTHON
PYTHON := $(suitable)
endif

# The sources of an installation in .venv/. The package is linked, not copied; its kernel is compiled.
KERNEL := ik2d_ros/kinematics/kernel
SOURCES := setup.py setup.cfg package.xml $(wildcard launch/* config/* config/*/* $(KERNEL)/*.py $(KERNEL)/*.pxd)

# The files with the pins, by their names.
locks = $(1:%=constraints/%.txt)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: help test test-plain test-pilot test-control test-kinematics test-uncompiled test-browser test-nodes test-rest
.PHONY: coverage lint
.PHONY: faults demo bench bench-node bench-fleet bench-drive bench-motion trial environments soak
.PHONY: screenshots docs lock clean
.PHONY: $(DISTRIBUTIONS:%=test-%) $(OTHERS:%=test-ros-%)

help:
	@echo 'make test          install everything, then lint, type-check and run all tests'
	@echo 'make test-jazzy    all tests with one distribution: $(DISTRIBUTIONS)'
	@echo 'make coverage      all tests with one distribution, and their coverage'
	@echo 'make lint          only ruff and mypy'
	@echo 'make environments  only install what `make test` needs'
	@echo 'make faults        fault tests at full size: messages, calls, signals, clocks'
	@echo 'make soak          use nodes for an hour, with clients that come and go; SECONDS=60'
	@echo 'make demo          run the demo; DURATION=10 stops it after 10 s, VIEW=terminal'
	@echo 'make demo ARM=so101  the same with the arm of a public robot (`ik2d machines` lists them)'
	@echo 'make demo ARM=go2 ARM_NODE=/fl/ik2d  the same with one of its legs'
	@echo 'make demo ROBOT=sim  the same, driving an arm in physics'
	@echo 'make bench         time the solvers, and those of others'
	@echo 'make bench-node    compare the node with bare relays'
	@echo 'make bench-fleet   measure many arms in one process'
	@echo 'make bench-motion  how the arm moves, by 10,000 examples of each law'
	@echo 'make bench-drive   faults of robots, and how the arm responds'
	@echo 'make trial         test success rates with COUNT=100000 targets per row; ONLY=TEXT'
	@echo 'make screenshots   update the pictures of the documentation'
	@echo 'make docs          build the pages of the Python API into build/docs'
	@echo 'make lock          update the hashes in constraints/ after changing pins'
	@echo 'make clean         remove .venv/, caches and build files'

# Tests without ROS run once, with ROS hidden, the others with each distribution; the laws of the
# kinematics also as plain Python. Nodes and browser wait more than they work: four parts run at once,
# the longest first. The output of each part stays in one piece, and all parts run even if one fails.
parts = $(MAKE) --no-print-directory --keep-going --output-sync=target --jobs=4
test:
	@echo 'Linting and testing in parallel: the output of each part follows when it is done.'
	@$(parts) test-nodes test-pilot test-rest test-plain test-kinematics $(OTHERS:%=test-ros-%) \
		test-control test-browser test-uncompiled lint

environments: $(DISTRIBUTIONS:%=.venv/%/.test)

BROWSER_TESTS := test/viewer/test_browser.py
CONTROL_TESTS := test/control
PILOT_TESTS := test/pilot
KINEMATICS_TESTS := test/kinematics test/motion
UNCOMPILED_TESTS := $(patsubst %,test/kinematics/test_%.py,kernel answers laws tip_angle path)
NODE_TESTS := test/node test/viewer
# None of these uses ROS: one that did would fail without it.
WITHOUT_ROS := $(CONTROL_TESTS) $(PILOT_TESTS) $(KINEMATICS_TESTS)
plain_tests = IK2D_REQUIRE_ROS=1 IK2D_WITHOUT='$(ROS_MODULES)' PYTHONPATH='$(CURDIR)/test/without' \
	.venv/$(DEMO_DISTRIBUTION)/bin/python -m pytest $(PYTEST_ARGUMENTS)

test-pilot: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, tests without ROS: pilot'
	$(plain_tests) $(PILOT_TESTS)

test-control: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, tests without ROS: control'
	$(plain_tests) $(CONTROL_TESTS)

test-kinematics: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, tests without ROS: kinematics and motion'
	$(plain_tests) $(KINEMATICS_TESTS)

test-plain: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, tests without ROS: all others'
	$(plain_tests) -m 'not ros' $(patsubst %,--ignore=%,$(WITHOUT_ROS) $(BROWSER_TESTS))

test-uncompiled: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, the kinematics uncompiled'
	IK2D_UNCOMPILED=1 IK2D_WITHOUT='cython Cython' PYTHONPATH='$(CURDIR)/test/without' \
		$(<D)/bin/python -m pytest $(UNCOMPILED_TESTS) $(PYTEST_ARGUMENTS)

all_tests = IK2D_REQUIRE_ROS=1 IK2D_EXECUTOR='$(call executor,$(1))' \
	.venv/$(1)/bin/python -m pytest $(PYTEST_ARGUMENTS)
ros_tests = $(all_tests) -m ros $(patsubst %,--ignore=%,$(WITHOUT_ROS))

test-browser: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, the page in a browser'
	$(call all_tests,$(DEMO_DISTRIBUTION)) $(BROWSER_TESTS)

test-nodes: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, nodes and page with ROS 2 $(DEMO_DISTRIBUTION)'
	$(call ros_tests,$(DEMO_DISTRIBUTION)) $(NODE_TESTS) --ignore=$(BROWSER_TESTS)

test-rest: .venv/$(DEMO_DISTRIBUTION)/.test
	@echo '--- pytest, all else with ROS 2 $(DEMO_DISTRIBUTION)'
	$(call ros_tests,$(DEMO_DISTRIBUTION)) $(patsubst %,--ignore=%,$(NODE_TESTS))

$(OTHERS:%=test-ros-%): test-ros-%: .venv/%/.test
	@echo '--- pytest, with ROS 2 $*, executor $(call executor,$*)'
	$(call ros_tests,$*) --ignore=$(BROWSER_TESTS)

$(DISTRIBUTIONS:%=test-%): test-%: .venv/%/.test
	@echo '--- pytest, ROS 2 $*, executor $(call executor,$*)'
	$(call all_tests,$*)

# All tests with one distribution; measures lines and branches in every process.
coverage: .venv/$(DEMO_DISTRIBUTION)/.test
	@$(<D)/bin/python -m coverage erase
	IK2D_REQUIRE_ROS=1 $(<D)/bin/python -m coverage run -m pytest $(PYTEST_ARGUMENTS)
	@$(<D)/bin/python -m coverage combine --quiet
	@$(<D)/bin/python -m coverage report --skip-covered --show-missing --sort=cover

lint: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python -m ruff check .
	$(<D)/bin/python -m ruff format --check .
	$(<D)/bin/python -m mypy

faults: .venv/$(DEMO_DISTRIBUTION)/.test
	IK2D_REQUIRE_ROS=1 IK2D_FAULTS_FULL=1 \
		$(<D)/bin/python -m pytest test/faults test/node/test_hostile.py test/control/test_supervisor_laws.py --capture=no $(PYTEST_ARGUMENTS)

soak: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python benchmarks/soak.py $(if $(SECONDS),--seconds '$(SECONDS)')

demo: .venv/$(DEMO_DISTRIBUTION)/.demo$(if $(filter sim,$(ROBOT)),_sim)
	@env --block-signal=INT $(<D)/bin/ik2d demo $(if $(ARM),'$(ARM)') $(if $(ARM_NODE),--node '$(ARM_NODE)') \
		$(if $(DURATION),--duration '$(DURATION)') \
		$(if $(VIEW),--view '$(VIEW)') $(if $(ROBOT),--robot '$(ROBOT)')

bench: .venv/$(DEMO_DISTRIBUTION)/.test .venv/peers/.peers
	$(<D)/bin/python benchmarks/bench.py

bench-node: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python benchmarks/service.py

bench-fleet: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python benchmarks/service.py --fleet

bench-motion: .venv/$(DEMO_DISTRIBUTION)/.test
	IK2D_EXAMPLES='$(or $(COUNT),10000)' $(<D)/bin/python -m pytest test/motion/test_motion.py \
		-k 'mid_motion or as_early or dragged' $(PYTEST_ARGUMENTS)

bench-drive: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python benchmarks/drive.py $(if $(ONLY),--only '$(ONLY)')

trial: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python benchmarks/trial.py $(if $(COUNT),--count '$(COUNT)') $(if $(ONLY),--only '$(ONLY)')
	$(<D)/bin/python benchmarks/figures.py

screenshots: .venv/$(DEMO_DISTRIBUTION)/.test
	$(<D)/bin/python scripts/screenshots.py
	$(<D)/bin/python benchmarks/pictures.py
	$(<D)/bin/ik2d plot so101 -o doc/images/plot.png

# The pins and comments of each file stay, the hashes are new; bench.txt has none.
lock: .venv/$(DEMO_DISTRIBUTION)/.python
	@$(<D)/bin/python -m venv .venv/lock && .venv/lock/bin/python -m pip install -q uv==0.13.9
	@for file in $(filter-out constraints/bench.txt,$(wildcard constraints/*.txt constraints/ros/*.txt)); do \
		grep -v -e --hash $$file | sed 's/ *\\$$//' >.venv/lock/pins.in && \
		.venv/lock/bin/uv pip compile .venv/lock/pins.in -q --no-deps --universal --python-version 3.10 \
			--generate-hashes --no-annotate --no-header >.venv/lock/pins.txt && \
		( grep '^#' $$file; cat .venv/lock/pins.txt ) >.venv/lock/new.txt && cp .venv/lock/new.txt $$file || exit; \
	done

docs: .venv/docs/.docs
	$(<D)/bin/python -m sphinx --fail-on-warning --keep-going -q -c doc doc/api build/docs
	@echo 'The pages are in build/docs/index.html.'

clean:
	rm -rf .venv .hypothesis .mypy_cache .pytest_cache .ruff_cache build install log *.egg-info \
		$(KERNEL)/*.so $(KERNEL)/*.c

# Installed once, and again only when a source is newer.
.venv/%/.demo: .venv/%/.python constraints/ros/%.txt $(call locks,build package viewer) $(SOURCES)
	@echo '--- installing ROS 2 $* and ik2d_ros into .venv/$*'
	@{ $(call pip_install,$*,ros/$* viewer,$(DEMO_EXTRAS)); } || { \
		echo 'ROS 2 cannot be installed here: the page and its arm work without it' >&2; \
		$(call pip_install,$*,viewer,viewer); }
	@touch $@

.venv/%/.demo_sim: .venv/%/.demo $(call locks,motion sim)
	@echo '--- installing MuJoCo and Ruckig into .venv/$*'
	@$(call pip_install,$*,motion sim,$(SIM_EXTRAS))
	@touch $@

.venv/%/.test: .venv/%/.python constraints/ros/%.txt $(call locks,build package viewer calibrate urdf motion sim test) $(SOURCES)
	@echo '--- installing ROS 2 $*, ik2d_ros and the test tools into .venv/$*'
	@$(call pip_install,$*,ros/$* viewer calibrate urdf motion sim test,$(TEST_EXTRAS))
	@touch $@

# The pages of the API need no ROS either.
.venv/docs/.docs: .venv/docs/.python $(call locks,build package docs) $(SOURCES)
	@echo '--- installing ik2d_ros and Sphinx into $(@D)'
	@$(call pip_install,docs,docs,)
	@touch $@

# The solvers that `make bench` compares with; it says which could not be installed. They need NumPy 1,
# which does not support Python 3.13. PyKDL comes from Debian, for Debian's own Python.
.venv/peers/.python: IS_SUITABLE := import ensurepip, sys, venv; assert (3, 10) <= sys.version_info < (3, 13)
.venv/peers/.python: PYTHON = $(call first,$(CANDIDATES),$(IS_SUITABLE))

.venv/peers/.peers: .venv/peers/.python constraints/bench.txt
	@echo '--- installing solvers to compare with into $(@D)'
	@for peer in ikpy tinyik roboticstoolbox-python; do \
		$(call pip,peers) --only-binary :all: --constraint constraints/bench.txt $$peer; done; \
	mkdir -p $(@D)/debian && cd $(@D)/debian && \
	apt-get -qq download python3-pykdl $$(apt-cache depends python3-pykdl | grep -o 'liborocos-kdl.*') && \
	for package in *.deb; do dpkg-deb -x $$package .; done; true
	@touch $@

# Install into the virtual environment $(1), with the pins in files $(2) and the package's extras $(3).
# Downloads need a known hash. Build requirements come first: the kernel is compiled, in the source tree
# and by one make at a time, while all else is installed. The package comes last, when everything it
# needs is there, and leaves the kernel to that.
pip_install = \
	$(call pip_locked,$(1),build) && \
	( flock setup.py .venv/$(1)/bin/python setup.py -q build_ext --inplace >/dev/null 2>&1 & \
	$(call pip_locked,$(1),package $(2)) && \
	IK2D_UNCOMPILED=1 flock setup.cfg $(call pip,$(1)) --no-index --no-build-isolation --editable '.$(if $(3),[$(3)])'; \
	status=$$?; wait; exit $$status )
# What is never imported need not be compiled to bytecode.
pip_locked = $(call pip,$(1)) --no-compile --require-hashes --no-deps --no-build-isolation \
	$(addprefix --requirement ,$(call locks,$(2)))
pip = .venv/$(1)/bin/python -m pip install -qq --retries 2

.venv/%/.python:
	@if [ -z '$(PYTHON)' ] || ! '$(PYTHON)' -c '$(IS_SUITABLE)' 2>/dev/null; then \
		echo 'Python 3.10 or newer with the venv module is required, but was not found:' >&2; \
		echo '  tried $(if $(PYTHON),$(PYTHON),$(CANDIDATES)).' >&2; \
		echo 'On Debian and Ubuntu: apt install python3-venv. Or name one: make PYTHON=...' >&2; \
		exit 1; \
	fi
	@rm -rf '$(@D)'
	@'$(PYTHON)' -m venv --without-pip '$(@D)'
	@'$(PYTHON)' -m pip --python '$(@D)/bin/python' install -q --retries 2 --no-compile --require-hashes \
		--requirement $(call locks,pip) >/dev/null 2>&1 || '$(@D)/bin/python' -m ensurepip --default-pip >/dev/null
	@touch $@
