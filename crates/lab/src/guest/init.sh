#!/bin/busybox sh
# The first program of a lab's guest: it mounts the file system of the machine that the lab runs on, and runs the start script in it.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module"; done < /modules/order
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose host /host
for folder in tmp root run mnt; do mount -t tmpfs tmpfs /host/$folder; done
for folder in proc sys dev; do mount --bind /$folder /host/$folder; done
mkdir -p /host/dev/shm /host/dev/pts /host/run/fathom-guest
mount -t tmpfs tmpfs /host/dev/shm
mount -t devpts devpts /host/dev/pts
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 guest /host/run/fathom-guest
hostname guest
chroot /host /bin/bash /run/fathom-guest/start < /dev/null
echo "the guest's start script ended with $?"
poweroff -f
