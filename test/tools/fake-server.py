#!/usr/bin/env python3
"""fake-server.py NAME SOCKET MODE: a process that /proc shows as one with the library's socket, for what the library
itself does not do. It is to be started with the library preloaded, and is called NAME. MODE is what it answers:
fine, empty, cut, error, nojson, schema, silent, vanish (ends without removing the socket)."""
import os
import socket
import sys
import threading

name, path, mode = sys.argv[1:]
STAT = ('{"schema":%d,"library_version":"9.9","pid":7,"program":"fake\\u001b[2J","uptime":100.0,"nss_version":"3.0",'
        '"engine":"stream","mode":"up","counters":{"calls":1000,"hits":990,"misses":10,"bypasses":0},'
        '"gauges":{"keys_now":3,"engines_now":5,"handles_now":0},"latency":{"sample":256,"unit":"ns","operations":'
        '{"create":{"count":4,"sum":0,"max":5000,"buckets":[[100,110,3],[4000,4200,1]]}}}}\n')
METRICS = ('# HELP pk11cache_info other words than the library\'s\n# TYPE pk11cache_info gauge\n'
           'pk11cache_info{pid="7",program="fake"} 1\n'
           '# HELP pk11cache_fake_seconds a family that the library does not have\n'
           '# TYPE pk11cache_fake_seconds histogram\n'
           'pk11cache_fake_seconds_bucket{pid="7",program="fake",le="+Inf"} 3\n'
           'pk11cache_fake_seconds_sum{pid="7",program="fake"} 2\n'
           'pk11cache_fake_seconds_count{pid="7",program="fake"} 3\n')
SITES = ('#1 7 stacks: create CKM_AES_CBC_PAD CKA_ENCRYPT, 7 misses, 0 bypasses\n'
         '  ceph-osd+0x2482 _ZNK9CryptoKey7encryptEP11CephContextRKN4ceph6buffer4listERS4_PSs\n'
         '  ceph-osd+0x99 _ZN4cephL3mixEi.isra.0\n  libnss3.so+0x10 PK11_CipherOp\n  x+0x1 _Zwrong\n')


def answer(command):
    if mode == "empty":
        return ""
    if mode == "cut":
        return '{"schema":1,"uptime":1'
    if mode == "error":
        return "error: the answer is 42; ask again\n"
    if mode == "nojson":
        return "SSH-2.0-OpenSSH_9.2\n"
    if command == "show stat json":
        return STAT % (2 if mode == "schema" else 1)
    return {"show metrics": METRICS, "show sites": SITES, "show stat": "calls 1000 calls all\nzero 0 calls none\n"}.get(
        command, "error: unknown command; help lists them\n")


def serve():
    with open("/proc/thread-self/comm", "w") as comm:
        comm.write("pk11cache")
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        command = client.makefile().readline().rstrip("\n")
        if mode == "silent":
            clients.append(client)
            continue
        client.sendall(answer(command).encode())
        client.close()


with open("/proc/self/comm", "w") as own:
    own.write(name)
clients = []
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
if mode == "vanish":
    print("ready", flush=True)
    os._exit(0)
thread = threading.Thread(target=serve)
thread.start()
thread.join()
