"""Tries to reach things from inside a sandbox.

Reads one JSON list of probes from standard input, tries some of them at a time, and prints one JSON list with what each of them saw. What a
probe may hold stands in guest-probe.ts.
"""

import base64
import concurrent.futures
import errno
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
PATIENCE_SECONDS = 20
SHOWN_CHARACTERS = 200
BEGAN = time.monotonic()


def gateway():
    with open("/proc/net/route") as routes:
        for line in routes:
            fields = line.split()
            if fields[1] == "00000000":
                return socket.inet_ntoa(struct.pack("<L", int(fields[2], 16)))
    raise OSError("no default route")


def place(text):
    return gateway() if text == "@gateway" else text


def seen_of(error):
    """One word for what went wrong."""
    if isinstance(error, socket.gaierror):
        return "try-again" if error.errno == socket.EAI_AGAIN else "no-name"
    if isinstance(error, ssl.SSLError):
        reason = (error.reason or str(error)).lower()
        return reason.replace("tlsv1_alert_", "alert ").replace("tlsv1_", "alert ").replace("sslv3_alert_", "alert ")
    if isinstance(error, (socket.timeout, TimeoutError)):
        return "timeout"
    if isinstance(error, OSError):
        words = {
            errno.ECONNREFUSED: "refused",
            errno.ECONNRESET: "reset",
            errno.EPIPE: "reset",
            errno.EHOSTUNREACH: "unreachable",
            errno.ENETUNREACH: "unreachable",
            errno.EADDRNOTAVAIL: "unreachable",
            errno.EAFNOSUPPORT: "unreachable",
            errno.EPERM: "not-permitted",
            errno.EACCES: "not-permitted",
        }
        return words.get(error.errno, str(error))
    return "%s: %s" % (type(error).__name__, error)


class Plain:
    """A TCP connection; `segment` cuts the first bytes sent into pieces of that many."""

    def __init__(self, probe):
        host = place(probe["to"])
        timeout = probe.get("timeoutSeconds", PATIENCE_SECONDS)
        if probe.get("from"):
            self.socket = socket.create_connection((host, probe["port"]), timeout, (probe["from"], 0))
        else:
            self.socket = socket.create_connection((host, probe["port"]), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.segment = probe.get("segment")
        self.slow = probe.get("slow", False)

    def send_raw(self, data):
        if self.segment is None:
            self.socket.sendall(data)
            return
        for piece, start in enumerate(range(0, len(data), self.segment)):
            self.socket.sendall(data[start : start + self.segment])
            # As many as go out at once as packets of their own. With a rest after each a guest on a busy host is slower than the proxy's patience.
            if piece % 8 == 7:
                time.sleep(0.0005)
        self.segment = None

    def receive_raw(self):
        if not self.slow:
            return self.socket.recv(65536)
        time.sleep(0.02)
        return self.socket.recv(4096)

    send = send_raw
    receive = receive_raw


class Tls(Plain):
    """TLS by hand over a connection, so that every byte of the handshake can be sent as one likes."""

    def __init__(self, probe):
        super().__init__(probe)
        context = ssl.create_default_context(cafile=os.path.join(FOLDER, "ca.pem"))
        # Who answers is seen by what it says: names are chosen to be wrong here.
        context.check_hostname = False
        if self.segment:
            # Without the large key of the newest exchange: a third of the pieces.
            context.set_ecdh_curve("prime256v1")
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname=probe.get("sni"))
        self.repeat(self.tls.do_handshake)

    def flush(self):
        data = self.outgoing.read()
        if data:
            self.send_raw(data)

    def repeat(self, step):
        while True:
            try:
                result = step()
                self.flush()
                return result
            except ssl.SSLWantReadError:
                self.flush()
                data = self.receive_raw()
                if data:
                    self.incoming.write(data)
                else:
                    self.incoming.write_eof()

    def send(self, data):
        for start in range(0, len(data), 65536):
            self.tls.write(data[start : start + 65536])
            self.flush()

    def receive(self):
        try:
            return self.repeat(lambda: self.tls.read(65536))
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            return b""


def connect(probe):
    return Tls(probe) if probe["kind"] == "tls" else Plain(probe)


class Reader:
    """Reads HTTP answers off a connection."""

    def __init__(self, connection):
        self.connection = connection
        self.rest = b""

    def until(self, enough):
        while not enough(self.rest):
            data = self.connection.receive()
            if not data:
                raise EOFError
            self.rest += data

    def head(self):
        self.until(lambda rest: b"\r\n\r\n" in rest)
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        return head.decode("latin-1")

    def body(self, length):
        missing = length - len(self.rest)
        got, self.rest = self.rest[:length], self.rest[length:]
        parts = [got]
        while missing > 0:
            data = self.connection.receive()
            if not data:
                raise EOFError
            parts.append(data[:missing])
            self.rest = data[missing:]
            missing -= len(data)
        return b"".join(parts)

    def answer(self):
        head = self.head()
        status = head.split(" ", 2)[1]
        length = 0
        for line in head.split("\r\n")[1:]:
            name, _, value = line.partition(":")
            if name.lower() == "content-length":
                length = int(value)
        body = self.body(length)
        if len(body) > SHOWN_CHARACTERS:
            return "%s %d bytes" % (status, len(body))
        return "%s %s" % (status, body.decode("latin-1").strip())


def request_of(probe, path):
    return "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (path, probe.get("host") or probe.get("sni") or probe["to"])


def exchange(probe):
    """Requests over one connection, one after the other or all at once, and the answers."""
    connection = connect(probe)
    time.sleep(max(0, BEGAN + probe.get("holdUntilSeconds", 0) - time.monotonic()))
    reader = Reader(connection)
    requests = probe.get("requests") or [request_of(probe, path) for path in probe.get("paths", ["/who"])]
    answers = []

    def read():
        try:
            answers.append(reader.answer())
            return True
        except EOFError:
            answers.append("closed")
            return False

    if probe.get("uploadBytes"):
        size = probe["uploadBytes"]
        head = "POST /count HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n"
        connection.send((head % (probe.get("host") or probe.get("sni"), size)).encode())
        for start in range(0, size, 262144):
            connection.send(b"u" * min(262144, size - start))
        read()
    elif probe.get("pipelined"):
        connection.send("".join(requests).encode("latin-1"))
        all(read() for _ in requests)
    else:
        for request in requests:
            connection.send(request.encode("latin-1"))
            if not read():
                break
    return " | ".join(answers)


def websocket(probe):
    connection = connect(probe)
    reader = Reader(connection)
    key = base64.b64encode(os.urandom(16)).decode()
    connection.send(
        (
            "GET /echo HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n" % (probe.get("host") or probe["sni"], key)
        ).encode()
    )
    status = reader.head().split(" ")[1]
    texts = []
    for text in (b"first", b"second"):
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(text))
        connection.send(bytes([0x81, 0x80 | len(text)]) + mask + masked)
        reader.until(lambda rest: len(rest) >= 2 and len(rest) >= 2 + rest[1])
        texts.append(reader.body(2 + reader.rest[1])[2:].decode("latin-1"))
    return "%s %s" % (status, " ".join(texts))


def tcp(probe):
    connection = Plain(probe)
    if probe.get("send"):
        connection.send(probe["send"].encode("latin-1"))
    data = connection.receive()
    return "ok " + data.decode("latin-1").strip() if data else "closed"


def udp(probe):
    family = socket.AF_INET6 if ":" in probe["to"] else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.settimeout(probe.get("timeoutSeconds", PATIENCE_SECONDS))
        if probe.get("from"):
            sock.bind((probe["from"], 0))
        sock.connect((place(probe["to"]), probe["port"]))
        sock.send(b"q" * probe.get("bytes", 4))
        answer = sock.recv(65536).decode("latin-1")
        return "ok " + answer.split(" ")[0] + " %d" % len(answer.split(" ")[-1])


TYPES = {"A": 1, "NULL": 10, "TXT": 16, "AAAA": 28, "SRV": 33, "HTTPS": 65, "AXFR": 252, "ANY": 255}
RCODES = {0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED"}


def dns(probe):
    name = b"".join(bytes([len(label)]) + label.encode("latin-1") for label in probe["name"].split(".") if label)
    kind = TYPES[probe.get("type", "A")]
    query = os.urandom(2) + struct.pack(">HHHHH", 0x0100, 1, 0, 0, 0) + name + b"\0" + struct.pack(">HH", kind, 1)
    target = (place(probe.get("to", "@gateway")), 53)
    timeout = probe.get("timeoutSeconds", PATIENCE_SECONDS)
    if probe.get("over") == "tcp":
        with socket.create_connection(target, timeout) as sock:
            sock.sendall(struct.pack(">H", len(query)) + query)
            reply = b""
            while len(reply) < 2 or len(reply) < 2 + struct.unpack(">H", reply[:2])[0]:
                data = sock.recv(65536)
                if not data:
                    return "closed"
                reply += data
            reply = reply[2:]
    else:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(timeout)
            sock.connect(target)
            sock.send(query)
            reply = sock.recv(65536)
    answers = struct.unpack(">H", reply[6:8])[0]
    rcode = RCODES.get(reply[3] & 15, str(reply[3] & 15))
    addresses = addresses_in(reply, len(query), answers)
    return " ".join([rcode, *addresses]) if answers == len(addresses) else "%s %d records" % (rcode, answers)


def addresses_in(reply, start, count):
    """Of the records that name the question by a pointer, or in full."""
    found = []
    for _ in range(count):
        while reply[start] != 0 and reply[start] < 0xC0:
            start += 1 + reply[start]
        start += 2 if reply[start] >= 0xC0 else 1
        kind, _, _, length = struct.unpack(">HHLH", reply[start : start + 10])
        if kind == 1:
            found.append(socket.inet_ntoa(reply[start + 10 : start + 14]))
        start += 10 + length
    return found


def lookup(probe):
    addresses = socket.getaddrinfo(probe["name"], 443, socket.AF_INET, socket.SOCK_STREAM)
    return "ok " + addresses[0][4][0]


def run(probe):
    done = subprocess.run(probe["argv"], stdin=subprocess.DEVNULL, capture_output=True, cwd=FOLDER, timeout=60)
    return "exit %d %s" % (done.returncode, done.stdout.decode("latin-1").strip())


def ping(probe):
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sock:
        sock.settimeout(probe.get("timeoutSeconds", PATIENCE_SECONDS))
        sock.connect((place(probe["to"]), 0))
        head = struct.pack(">BBHHH", 8, 0, 0, os.getpid() & 0xFFFF, 1)
        total = sum(struct.unpack(">4H", head))
        total = (total & 0xFFFF) + (total >> 16)
        sock.send(struct.pack(">BBHHH", 8, 0, ~total & 0xFFFF, os.getpid() & 0xFFFF, 1))
        sock.recv(1000)
        return "ok"


def raw(probe):
    """Packets of a protocol of their own; whether they arrive is seen outside."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, probe["protocol"]) as sock:
        for _ in range(3):
            try:
                sock.sendto(b"r" * 40, (place(probe["to"]), 0))
            except OSError as error:
                if error.errno not in (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EACCES):
                    raise
            time.sleep(0.05)
    return "sent"


def fragment(probe):
    """A fragment that is not the first, with what would be the right port at the place of a port."""
    source = socket.gethostbyname(probe["from"]) if probe.get("from") else own_address()
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 60, 77, 0x0064, 64, 17, 0, socket.inet_aton(source), socket.inet_aton(probe["to"]))
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sock:
        for _ in range(3):
            sock.sendto(head + struct.pack(">H", probe["port"]) * 20, (probe["to"], 0))
    return "sent"


def own_address():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect((gateway(), 9))
        return sock.getsockname()[0]


def bytes_of(probe):
    """Sends what it was given, and waits only as long as it takes to be told off."""
    sent = base64.b64decode(probe["base64"])
    to = (place(probe["to"]), probe["port"])
    if probe.get("over") == "udp":
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(sent, to)
        return "sent"
    with socket.create_connection(to, PATIENCE_SECONDS) as sock:
        sock.settimeout(probe.get("timeoutSeconds", PATIENCE_SECONDS))
        try:
            sock.sendall(sent)
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):
                pass
        except OSError:
            pass
    return "sent"


KINDS = {
    "bytes": bytes_of,
    "dns": dns,
    "fragment": fragment,
    "http": exchange,
    "lookup": lookup,
    "ping": ping,
    "raw": raw,
    "run": run,
    "tcp": tcp,
    "tls": exchange,
    "udp": udp,
}


def attempt(probe):
    time.sleep(max(0, BEGAN + probe.get("startSeconds", 0) - time.monotonic()))
    began = time.monotonic()
    try:
        seen = websocket(probe) if probe.get("websocket") else KINDS[probe["kind"]](probe)
    except Exception as error:  # whatever it is, it is what was seen
        seen = "closed" if isinstance(error, EOFError) else seen_of(error)
    return {"seen": seen, "tookMs": (time.monotonic() - began) * 1000}


def main():
    request = json.load(sys.stdin)
    around = request.get("around")
    if around:
        attempt(around)
    time.sleep(request.get("afterSeconds", 0))
    with concurrent.futures.ThreadPoolExecutor(request.get("atOnce", 8)) as pool:
        results = list(pool.map(attempt, request["probes"]))
    if around:
        attempt(around)
    print(json.dumps(results))


main()
