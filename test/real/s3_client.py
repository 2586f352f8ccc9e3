#!/usr/bin/env python3
"""A client for S3 objects with customer keys (SSE-C), of the standard library only; signature version 2.

  s3_client.py bucket NAME | put NAME KEY SIZE | get NAME KEY SIZE [FROM-TO] | multipart NAME KEY SIZE PART
  s3_client.py many put|get NAME COUNT SIZE THREADS        prints "COUNT requests in S s, N wrong"

The content of an object follows from its key, so that every byte is checked; the exit status is 1 when one is wrong."""
import base64
import email.utils
import hashlib
import hmac
import http.client
import re
import sys
import threading
import time

HOST, PORT, ACCESS, SECRET = "127.0.0.1", 7480, "ACCESS", "SECRET"


def content(key, size):
    block = hashlib.sha512(key.encode()).digest()
    return (block * (size // len(block) + 1))[:size]


def customer_key(key):
    secret = hashlib.sha256(b"secret of " + key.encode()).digest()
    head = "x-amz-server-side-encryption-customer-"
    return {
        head + "algorithm": "AES256",
        head + "key": base64.b64encode(secret).decode(),
        head + "key-md5": base64.b64encode(hashlib.md5(secret).digest()).decode(),
    }


class Wrong(Exception):
    pass


def ask(method, path, query="", body=b"", headers=None, connection=None):
    headers = dict(headers or {})
    kind = "application/octet-stream" if body else ""
    date = email.utils.formatdate(usegmt=True)
    resource = path + ("?" + query if query else "")
    amz = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers) if name.startswith("x-amz-"))
    text = f"{method}\n\n{kind}\n{date}\n{amz}{resource}"
    mac = hmac.new(SECRET.encode(), text.encode(), hashlib.sha1).digest()
    headers["Date"] = date
    headers["Authorization"] = f"AWS {ACCESS}:{base64.b64encode(mac).decode()}"
    if kind:
        headers["Content-Type"] = kind
    own = connection or http.client.HTTPConnection(HOST, PORT, timeout=60)
    own.request(method, resource, body or None, headers)
    answer = own.getresponse()
    data = answer.read()
    if not connection:
        own.close()
    if answer.status >= 300:
        raise Wrong(f"{method} {resource}: {answer.status} {data[:300]!r}")
    return answer, data


def put(bucket, key, size, connection=None):
    ask("PUT", f"/{bucket}/{key}", body=content(key, size), headers=customer_key(key), connection=connection)


def get(bucket, key, size, span=None, connection=None):
    headers = customer_key(key)
    expected = content(key, size)
    if span:
        headers["Range"] = "bytes=" + span
        first, last = map(int, span.split("-"))
        expected = expected[first:last + 1]
    _, data = ask("GET", f"/{bucket}/{key}", headers=headers, connection=connection)
    if data != expected:
        raise Wrong(f"GET {key}: {len(data)} bytes, not the {len(expected)} that were written")


def multipart(bucket, key, size, part):
    _, data = ask("POST", f"/{bucket}/{key}", "uploads", headers=customer_key(key))
    upload = re.search(rb"<UploadId>(.*?)</UploadId>", data)[1].decode()
    whole, done = content(key, size), ""
    for number, start in enumerate(range(0, size, part), 1):
        answer, _ = ask("PUT", f"/{bucket}/{key}", f"partNumber={number}&uploadId={upload}", whole[start:start + part], customer_key(key))
        done += f"<Part><PartNumber>{number}</PartNumber><ETag>{answer.getheader('ETag')}</ETag></Part>"
    ask("POST", f"/{bucket}/{key}", f"uploadId={upload}", f"<CompleteMultipartUpload>{done}</CompleteMultipartUpload>".encode())


def many(what, bucket, count, size, threads):
    wrong = []

    def work(first):
        connection = http.client.HTTPConnection(HOST, PORT, timeout=60)
        for i in range(first, count, threads):
            try:
                (put if what == "put" else get)(bucket, f"many{i}", size, connection=connection)
            except Exception as fault:  # whatever it is, it is a failed request
                wrong.append(fault)
                connection = http.client.HTTPConnection(HOST, PORT, timeout=60)

    begin = time.time()
    workers = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{count} requests in {time.time() - begin:.3f} s, {len(wrong)} wrong {wrong[:1]}")
    return 1 if wrong else 0


def main(words):
    verb, bucket = words[0], words[1]
    if verb == "bucket":
        ask("PUT", "/" + bucket)
    elif verb == "put":
        put(bucket, words[2], int(words[3]))
    elif verb == "get":
        get(bucket, words[2], int(words[3]), words[4] if len(words) > 4 else None)
    elif verb == "multipart":
        multipart(bucket, words[2], int(words[3]), int(words[4]))
    elif verb == "many":
        return many(words[1], words[2], int(words[3]), int(words[4]), int(words[5]))
    else:
        raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Wrong as fault:
        sys.exit(str(fault))
