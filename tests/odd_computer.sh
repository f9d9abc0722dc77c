#!/bin/sh
# Runs a command on a computer of odd figures: a processor's name of 90 letters, one core,
# 3 GiB and no swap, a long host name, another time zone, no language, a home with a space.
# All that the command starts sees them. Linux alone; without root it needs user namespaces.
# Usage: sh tests/odd_computer.sh COMMAND…

set -e

if [ "$1" != --inside ]; then
    [ "$(id -u)" = 0 ] || as_root=--map-root-user
    exec unshare $as_root --mount --uts sh "$0" --inside "$@"
fi
shift

odd=/mnt
mount -t tmpfs tmpfs $odd
mkdir "$odd/Ada Lovelace"
sed '/^$/q' /proc/cpuinfo | sed '/^model name/c\
model name	: 12th Gen Intel(R) Core(TM) i7-12800HE vPro(R) with Iris(R) Xe Graphics, Sample A @ 2.40GHz' \
    >$odd/cpuinfo
echo 0 >$odd/online
sed -E 's/^(MemTotal:) .*/\1        3145728 kB/
    s/^(MemFree:) .*/\1         1048576 kB/
    s/^(MemAvailable:) .*/\1    2097152 kB/
    s/^(Swap.*:) .*/\1          0 kB/' /proc/meminfo >$odd/meminfo
mount --bind $odd/cpuinfo /proc/cpuinfo
mount --bind $odd/meminfo /proc/meminfo
mount --bind $odd/online /sys/devices/system/cpu/online
hostname the-third-computer-from-the-left.basement.example.org
unset LC_ALL LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LANGUAGE
export HOME="$odd/Ada Lovelace" TZ=Asia/Kathmandu LANG=C
exec "$@"
