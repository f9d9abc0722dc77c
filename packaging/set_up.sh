#!/bin/sh
# Finds a Python that fits and hands over to set_up.py, or to build.py where the first word is
# `package`. PYTHON, where set, is the one to take.
# Usage, from the top folder: sh packaging/set_up.sh run|check|test|bench|trial|package [SIZE…]

script=packaging/set_up.py
if [ "$1" = package ]; then
    script=packaging/build.py
    shift
fi

# Says "3.12.1" and succeeds where the version fits; fails without a word where it does not run.
version_of() {
    "$1" -c 'import sys
print("%d.%d.%d" % sys.version_info[:3])
sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null
}

if [ -n "$PYTHON" ]; then
    if version=$(version_of "$PYTHON"); then
        exec "$PYTHON" "$script" "$@"
    elif [ -n "$version" ]; then
        echo "GPU Explorer needs Python 3.11 to 3.14, and PYTHON=$PYTHON is $version." >&2
    else
        echo "GPU Explorer needs Python 3.11 to 3.14, and PYTHON=$PYTHON cannot be started." >&2
    fi
    exit 1
fi

if version_of .venv/bin/python >/dev/null; then
    exec .venv/bin/python "$script" "$@"
fi

unfit=
for python in python3.14 python3.13 python3.12 python3.11 python3; do
    if version=$(version_of $python); then
        exec $python "$script" "$@"
    fi
    # A name may be there and still not start: a shim of pyenv, for one.
    [ -z "$version" ] || unfit=": $python is $version"
done

echo "GPU Explorer needs Python 3.11 to 3.14, and there is none here$unfit." >&2
echo "On Debian or Ubuntu: apt-get install python3 python3-venv" >&2
echo "If it has another name, name it: make run PYTHON=/path/to/python3" >&2
exit 1
