#!/bin/sh
# Runs a command on a computer of odd figures: a processor's name of 90 letters, one core,
# 3 GiB and no swap, a long host name, another time zone, no language, a home with a space,
# a toolkit, and a driver of 2020 with three cards, of which CUDA is to see one.
# All that the command starts sees them. Linux alone; without root it needs user namespaces.
# Usage, from the top folder: sh tests/odd_computer.sh COMMAND…

set -e

if [ "$1" != --inside ]; then
    [ "$(id -u)" = 0 ] || as_root=--map-root-user
    exec unshare $as_root --mount --uts sh "$0" --inside "$@"
fi
shift

odd=/mnt
mount -t tmpfs tmpfs $odd
mkdir "$odd/Ada Lovelace" $odd/bin
sed '/^$/q' /proc/cpuinfo | sed '/^model name/c\
model name	: 12th Gen Intel(R) Core(TM) i7-12800HE vPro(R) with Iris(R) Xe Graphics, Sample A @ 2.40GHz' \
    >$odd/cpuinfo
sed -E 's/^(MemTotal:) .*/\1        3145728 kB/
    s/^(MemFree:) .*/\1         1048576 kB/
    s/^(MemAvailable:) .*/\1    2097152 kB/
    s/^(Swap.*:) .*/\1          0 kB/' /proc/meminfo >$odd/meminfo
echo 0 >$odd/online
mount --bind $odd/cpuinfo /proc/cpuinfo
mount --bind $odd/meminfo /proc/meminfo
mount --bind $odd/online /sys/devices/system/cpu/online
hostname the-third-computer-from-the-left.basement.example.org

printf '#!/bin/sh\necho Cuda compilation tools, release 11.1, V11.1.105\n' >$odd/bin/nvcc
printf '#!/bin/sh\necho No devices were found\nexit 6\n' >$odd/bin/nvidia-smi
chmod +x $odd/bin/*
library=$(.venv/bin/python -c 'from tests.nvml_stub.stub import build; print(build(old=True))')
LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

unset LC_ALL LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LANGUAGE
export HOME="$odd/Ada Lovelace" TZ=Asia/Kathmandu LANG=C PATH="$odd/bin:$PATH"
export LD_LIBRARY_PATH NVML_STUB=cards=3 CUDA_VISIBLE_DEVICES=1 CUDA_HOME=/opt/cuda-11.1
exec "$@"
