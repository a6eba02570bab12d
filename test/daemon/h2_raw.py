"""HTTP/2 by hand, for peers that do what no client library would. Addresses: a port of 127.0.0.1, or the path of a unix socket."""
import socket, struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST, SETTINGS, PING = 0, 1, 3, 4, 6
ENGINE = "/cuzk.v1.ProvingEngine/"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def headers(path, token=None):
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "x"),
              ("content-type", "application/grpc"), ("te", "trailers")]
    if token:
        fields.append(("authorization", "Bearer " + token))
    return b"".join(b"\x00" + bytes([len(n)]) + n.encode() + bytes([len(v)]) + v.encode() for n, v in fields)


def message(body, size=None):
    return b"\x00" + struct.pack(">I", len(body) if size is None else size) + body


class Peer:
    """A connection and what HTTP/2 needs of it."""
    token = None  # of calls that name none

    def __init__(self, address, settings=b"", timeout=5):
        if isinstance(address, str):
            self.s = socket.socket(socket.AF_UNIX)
            self.s.settimeout(timeout)
            self.s.connect(address)
        else:
            self.s = socket.create_connection(("127.0.0.1", address), timeout=timeout)
        self.s.settimeout(timeout)
        self.s.sendall(PREFACE + frame(SETTINGS, 0, 0, settings))
        self.next = 1

    def call(self, path, body=None, token="", end=True):
        stream, self.next = self.next, self.next + 2
        out = frame(HEADERS, 4, stream, headers(path, self.token if token == "" else token))
        parts = [] if body is None else [body[i:i + 16384] for i in range(0, max(len(body), 1), 16384)]
        for i, part in enumerate(parts):
            out += frame(DATA, 1 if end and i + 1 == len(parts) else 0, stream, part)
        self.s.sendall(out)
        return stream

    def drain(self):
        self.s.setblocking(False)
        try:
            while self.s.recv(65536):
                pass
        except BlockingIOError:
            pass
        self.s.settimeout(5)
