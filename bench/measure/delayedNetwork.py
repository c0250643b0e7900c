"""delayedNetwork.py ONE_WAY_MS SERVICE... -- CLIENT...: both run, each in a network of its own. What passes between
them is delayed both ways, packet by packet, the first ones of TCP too; `localhost` of the client is the service."""

import ctypes
import fcntl
import heapq
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

NEW_MOUNTS, NEW_NETWORK = 0x00020000, 0x40000000
SET_INTERFACE, TUN_WITHOUT_HEADER = 0x400454CA, 0x1001
SERVICE, CLIENT = "10.77.0.1", "10.77.0.2"


def enter_own(what):
    if ctypes.CDLL(None, use_errno=True).unshare(what) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def end_of_network(address):
    """Enters a network of its own, which has one interface: what is sent there is read from what is returned."""
    enter_own(NEW_NETWORK)
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, SET_INTERFACE, struct.pack("16sH", b"delayed", TUN_WITHOUT_HEADER))
    for words in (f"addr add {address}/24 dev delayed", "link set delayed up", "link set lo up"):
        subprocess.run(["ip", *words.split()], check=True)
    return tun


def name_service_localhost():
    """By its name the service is on this machine, for the programs that are trusted less elsewhere."""
    enter_own(NEW_MOUNTS)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    with tempfile.NamedTemporaryFile("w", delete=False) as hosts:
        hosts.write(f"{SERVICE} localhost\n")
    subprocess.run(["mount", "--bind", hosts.name, "/etc/hosts"], check=True)
    os.unlink(hosts.name)


def carry(ends, delay, wake):
    """Until somebody wakes it: each packet to the other end, that much later."""
    underway, count = [], 0
    while True:
        now = time.monotonic()
        while underway and underway[0][0] <= now:
            _, _, end, packet = heapq.heappop(underway)
            os.write(end, packet)
        wait = underway[0][0] - now if underway else None
        ready, _, _ = select.select([*ends, wake], [], [], wait)
        if wake in ready:
            return
        for end in ready:
            other = ends[1] if end == ends[0] else ends[0]
            count += 1
            heapq.heappush(underway, (time.monotonic() + delay, count, other, os.read(end, 65536)))


def main():
    delay = float(sys.argv[1]) / 1000
    split = sys.argv.index("--")
    service_words, client_words = sys.argv[2:split], sys.argv[split + 1 :]
    ends = [end_of_network(SERVICE)]
    service = subprocess.Popen(service_words, stdout=subprocess.PIPE)
    port = service.stdout.readline().decode().strip()
    ends.append(end_of_network(CLIENT))
    name_service_localhost()
    ours, theirs = socket.socketpair()
    carrier = os.fork()
    if carrier == 0:
        ours.close()
        carry(ends, delay, theirs)
        os._exit(0)
    theirs.close()
    try:
        code = subprocess.run(client_words, env={**os.environ, "BENCH_PORT": port}).returncode
    finally:
        ours.close()
        os.waitpid(carrier, 0)
        service.send_signal(signal.SIGTERM)
        service.wait()
    sys.exit(code)


main()
