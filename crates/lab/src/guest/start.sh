# Brings up what the guest of a lab has: its network, the image that its kernel maps, its mounts, and an sshd.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
here=/run/fathom-guest
. $here/settings
rm -f $here/ready
# Its own clock tells whole seconds; the time of a file is that of the machine that keeps it. To set it takes a while as well, which is seen
# by how far it is off then.
lag=0
for try in 1 2 3; do
    echo > $here/now
    at=${EPOCHREALTIME/./}
    kept=$(stat --format %.6Y $here/now)
    kept=${kept/./}
    [ $try = 1 ] || lag=$((lag + kept - at))
    time=$((kept + lag + ${EPOCHREALTIME/./} - at))
    date --set "@${time%??????}.${time: -6}" > /dev/null
done
ip link set lo up
ip address add "$address/24" dev eth0
ip link set eth0 up
echo "$monitor name=$user,secret=$secret $image -" > /sys/bus/rbd/add_single_major
if [ -n "$cephfs" ]; then
    mkdir "$cephfs"
    # No helper of either file system: all that they would find out is known.
    mount -i -t ceph -o "name=$user,secret=$secret" "$monitor:/" "$cephfs"
fi
if [ -n "$nfs" ]; then
    mkdir "$nfs"
    mount -i -t nfs4 -o "vers=4.1,proto=tcp,addr=$nfs_server,port=$nfs_port,clientaddr=$address" "$nfs_server:$nfs_export" "$nfs"
fi
mkdir -p /run/sshd
"$sshd" -D -e -f $here/sshd_config &
until (exec 3<> /dev/tcp/127.0.0.1/22) 2> /dev/null; do sleep 0.1; done
touch $here/ready
wait
