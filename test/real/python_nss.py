"""The hammer-era sequence through python3-nss, which asks for each length by a call of size 0 first: N messages a thread, encrypted and decrypted,
then the same in the child of a fork. Prints a digest of all that came out."""
import hashlib
import os
import sys
import threading

import nss.nss as nss

MECHANISM = nss.CKM_AES_CBC_PAD


def context(operation, key, iv):
    slot = nss.get_best_slot(MECHANISM)
    sym = nss.import_sym_key(slot, MECHANISM, nss.PK11_OriginUnwrap, operation, nss.SecItem(key))
    return nss.create_context_by_sym_key(MECHANISM, operation, sym, nss.param_from_iv(MECHANISM, nss.SecItem(iv)))


def messages(thread, count, results):
    digest = hashlib.sha256()
    for i in range(count):
        key = hashlib.md5(b"%d" % (thread % 3)).digest()
        iv = hashlib.md5(b"%d %d" % (thread, i)).digest()
        text = b"x" * (1 + (i * 7) % 120)
        c = context(nss.CKA_ENCRYPT, key, iv)
        sealed = c.cipher_op(text) + c.digest_final()
        d = context(nss.CKA_DECRYPT, key, iv)
        if d.cipher_op(sealed) + d.digest_final() != text:
            results[thread] = "wrong"
            return
        digest.update(sealed)
    results[thread] = digest.hexdigest()


def in_threads(count):
    results = {}
    threads = [threading.Thread(target=messages, args=(t, count, results)) for t in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return hashlib.sha256(repr(sorted(results.items())).encode()).hexdigest()


nss.nss_init_nodb()
count = int(sys.argv[1])
print("threads", in_threads(count), flush=True)
child = os.fork()
if child == 0:
    out = {}
    messages(1, count, out)
    print("child", out[1], flush=True)
    os._exit(0)
print("status", os.waitpid(child, 0)[1])
again = {}
messages(1, count, again)
print("parent", again[1])
nss.nss_shutdown()
print("shut down")
