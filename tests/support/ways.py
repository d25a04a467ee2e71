"""What may stand between tests and a coordinator, for ways_test.sh:

ways.py connect PORT LOG    a proxy: every CONNECT leads to PORT of this machine, whatever name it asks for; LOG gets the first
                            line of each request, and all bytes that pass towards the coordinator
ways.py front PORT FILE     a front that ends TLS with the certificate and key in FILE, before plain HTTP at PORT

Prints the port that it listens at. Another path than a CONNECT is answered with 405, and a name that begins with "refused" with 403.
"""

import socket
import ssl
import sys
import threading


def pump(source, target, log):
    try:
        while data := source.recv(65536):
            if log:
                log.write(data)
                log.flush()
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def join(client, port, log):
    with client, socket.create_connection(("127.0.0.1", port)) as server:
        back = threading.Thread(target=pump, args=(server, client, None))
        back.start()
        pump(client, server, log)
        back.join()


def connect(client, port, log):
    head = b""
    while b"\r\n\r\n" not in head:
        more = client.recv(1)
        if not more:
            return client.close()
        head += more
    log.write(head)
    log.flush()
    method, target = head.split(b" ")[:2]
    if method != b"CONNECT" or target.startswith(b"refused"):
        client.sendall(b"HTTP/1.1 " + (b"403 No" if method == b"CONNECT" else b"405 No") + b"\r\nContent-Length: 0\r\n\r\n")
        return client.close()
    client.sendall(b"HTTP/1.1 200 Go\r\n\r\n")
    join(client, port, log)


def front(client, port, context):
    try:
        client = context.wrap_socket(client, server_side=True)
    except OSError:
        return client.close()
    join(client, port, None)


def main(what, port, file):
    if what == "front":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        serve, about = front, context
    else:
        serve, about = connect, open(file, "wb")
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, int(port), about), daemon=True).start()


main(*sys.argv[1:])
