"""OpenStack Swift with its S3 API on the loopback, for tests.

Its four servers (proxy, account, container, object) run in this one process, which is ready within a second or two.

    swift-server.py <folder> <port, or 0 for a free one> <access key id: account:user> <secret access key>

The folder is for all that it keeps. Once it serves it prints one line of JSON: {"port": <of the S3 API>}; on standard error it tells what went
wrong. It ends when its standard input is closed: no server outlives the process that wanted it.
"""

import array
import base64
import json
import logging
import os
import shutil
import sys
import time

import eventlet
import eventlet.hubs
import eventlet.wsgi
from swift.common import utils

eventlet.hubs.use_hub(utils.get_hub())
utils.eventlet_monkey_patch()

from eventlet.green import socket
from swift.common import storage_policy, wsgi
from swift.common.ring import RingData

# Where one slow moment of the machine would be taken for a server that is away, nobody gives up before the test does.
PATIENT = """
conn_timeout = 30
node_timeout = 60
recoverable_node_timeout = 60
container_update_timeout = 60
error_suppression_limit = 1000000
"""
CHUNKS = """
client_chunk_size = 1048576
network_chunk_size = 1048576
disk_chunk_size = 1048576
object_chunk_size = 1048576
"""
CONFIGURATION = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
log_level = ERROR
log_custom_handlers = __main__.log_to_stderr

[pipeline:main]
pipeline = {pipeline}

[app:{kind}-server]
use = egg:swift#{kind}
account_autocreate = true
{patient}{chunks}
"""
FILTERS = """
[filter:s3api]
use = egg:swift#s3api

[filter:tempauth]
use = egg:swift#tempauth
user64_{account}_{user} = {secret} .admin

[filter:bulk]
use = egg:swift#bulk

[filter:slo]
use = egg:swift#slo
"""


class ForgetfulCache:
    """In place of memcached, which would be a process more: whoever asks gets nothing, and looks at the truth."""

    def get(self, *_args, **_options):
        return None

    def set(self, *_args, **_options):
        pass

    def delete(self, *_args, **_options):
        pass


def with_cache(app):
    def call(environment, start_response):
        environment["swift.cache"] = ForgetfulCache()
        return app(environment, start_response)

    return call


def log_to_stderr(_conf, _name, _to_console, _route, _format, logger, _adapted):
    logger.addHandler(logging.StreamHandler(sys.stderr))


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def listen(port=0):
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(1024)
    return listener


def require_extended_attributes(folder):
    """Swift keeps what it knows of an object beside its bytes: without that it would answer each PUT with a 507."""
    try:
        os.setxattr(folder, "user.swift.test", b"1")
    except OSError as error:
        sys.exit("the file system of %s has no extended attributes (%s): set TMPDIR to one that has" % (folder, error))


def serve(folder, kind, listener, pipeline, filters=""):
    configuration = os.path.join(folder, kind + "-server.conf")
    text = CONFIGURATION.format(folder=folder, kind=kind, pipeline=pipeline, patient=PATIENT, chunks=CHUNKS)
    write(configuration, text + filters)
    app = wsgi.loadapp(configuration, global_conf={"log_name": kind})
    eventlet.spawn(
        eventlet.wsgi.server,
        listener,
        with_cache(app) if kind == "proxy" else app,
        utils.NullLogger(),
        custom_pool=wsgi.RestrictedGreenPool(size=1024),
        protocol=wsgi.SwiftHttpProtocol,
        socket_timeout=60,
        capitalize_response_headers=False,  # clients of S3 look for ETag, not Etag
    )


def encoded(text):
    return base64.b64encode(text.encode()).decode().rstrip("=")


def main(folder, port, access_key_id, secret_access_key):
    os.makedirs(os.path.join(folder, "devices/one"), exist_ok=True)
    require_extended_attributes(folder)
    write(os.path.join(folder, "swift.conf"), "[swift-hash]\nswift_hash_path_suffix = test\n")
    utils.set_swift_dir(folder)
    storage_policy.reload_storage_policies()
    os.environ["TZ"] = "UTC+0"
    time.tzset()
    os.chdir(folder)
    for kind in ("account", "container", "object"):
        listener = listen()
        at = {"ip": "127.0.0.1", "port": listener.getsockname()[1]}
        device = dict(at, id=0, region=1, zone=1, device="one", weight=1.0, meta="")
        device.update(replication_ip=at["ip"], replication_port=at["port"])
        RingData([array.array("H", [0] * 16)], [device], 28).save(kind + ".ring.gz")
        serve(folder, kind, listener, kind + "-server")
    account, user = access_key_id.split(":")
    login = FILTERS.format(account=encoded(account), user=encoded(user), secret=secret_access_key)
    listener = listen(int(port))
    serve(folder, "proxy", listener, "s3api tempauth bulk slo proxy-server", login)
    print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
    while True:
        eventlet.hubs.trampoline(0, read=True)
        if not os.read(0, 4096):
            break
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


main(*sys.argv[1:5])
