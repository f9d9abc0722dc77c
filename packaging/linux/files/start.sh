#!/bin/sh
# Starts GPU Explorer from wherever this folder lies, also through a link to this file.
exec "$(dirname -- "$(readlink -f -- "$0")")/gpuexplorer" "$@"
