# SPDX-License-Identifier: GPL-2.0
"""The programs of tests/rounds: how each is prepared, started, used by a client, and ended"""
import mmap
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

from client import body
from ledger import Fault

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENT = 1 << 63
PAUSE_US = 2000
LIMIT = 60

PYTHON = '''
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        number = int(self.path[1:])
        data = (f"{number}\\n" * 2000).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
'''

JAVA = '''
import com.sun.net.httpserver.*;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

class Server {
	public static void main(String[] args) throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 50);
		server.createContext("/", exchange -> {
			byte[] data = (exchange.getRequestURI().getPath().substring(1) + "\\n").repeat(2000).getBytes();
			exchange.sendResponseHeaders(200, data.length);
			exchange.getResponseBody().write(data);
			exchange.close();
		});
		server.setExecutor(Executors.newFixedThreadPool(4));
		server.start();
	}
}
'''

NGINX = '''
daemon off;
worker_processes 2;
pid nginx.pid;
error_log error.log;
user {user};
thread_pool default threads=4;
events {{ }}
http {{
	access_log off;
	client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
	uwsgi_temp_path tmp; scgi_temp_path tmp;
	server {{ listen 127.0.0.1:{port}; root www; aio threads; directio 512; }}
}}
'''


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until(what, true, limit=LIMIT):
    end = time.monotonic() + limit
    while not true():
        if time.monotonic() > end:
            raise Fault(f"after {limit} seconds still not: {what}")
        time.sleep(0.02)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def children(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def descendants(pid):
    found, waiting = [], [pid]
    while waiting:
        more = children(waiting.pop())
        found += more
        waiting += more
    return found


class Program:
    """A program that is started once, prepared to be recorded, and its client."""
    comm = None     # names for --comm, beside the program's own pid
    client = None   # kind of client, see client.py
    events = "pthread:*"
    some = "pthread:mutex_*"

    def __init__(self, name, folder, build, environment):
        self.name, self.folder, self.build = name, folder, build
        self.environment = environment
        self.port = free_port()
        self.process = self.user = self.counter = self.caller = None
        os.makedirs(folder)
        self.prepare()

    def prepare(self):
        pass

    def command(self):
        raise NotImplementedError

    def address(self):
        return str(self.port)

    def spawn(self, command, what, **options):
        with open(os.path.join(self.folder, what), "ab") as log:
            return subprocess.Popen(  # pylint: disable=consider-using-with
                command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, **options)

    def start(self):
        self.process = self.spawn(self.command(), "log",
                                  **({"user": self.user.pw_uid, "group": self.user.pw_gid,
                                      "extra_groups": []} if self.user else {}))
        wait_until(f"{self.name} is ready", self.is_ready)
        if self.client:
            self.start_client()
            self.check()

    def is_ready(self):
        if self.process.poll() is not None:
            raise Fault(f"{self.name} ended: {self.log()}")
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def start_client(self):
        path = os.path.join(self.folder, "counter")
        if not self.counter:
            with open(path, "w+b") as file:
                file.write(bytes(16))
                file.flush()
                self.counter = mmap.mmap(file.fileno(), 16)
            self.ask()
        environment = {k: v for k, v in self.environment.items() if k != "LD_PRELOAD"}
        with open(os.path.join(self.folder, "client"), "ab") as log:
            self.caller = subprocess.Popen(  # pylint: disable=consider-using-with
                [sys.executable, os.path.join(HERE, "client.py"), self.client, self.address(), path],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def ask(self, pause_us=PAUSE_US, is_patient=False):
        """How the client goes on: its pause between requests, and whether connections may break"""
        if self.counter:
            struct.pack_into("Q", self.counter, 8, pause_us | (PATIENT if is_patient else 0))

    def answers(self):
        return struct.unpack_from("Q", self.counter)[0] if self.counter else 0

    def log(self, what="log"):
        with open(os.path.join(self.folder, what), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def check(self):
        """It runs, and its client has got right answers."""
        if self.process.poll() is not None:
            raise Fault(f"{self.name} ended with status {self.process.returncode}: {self.log()}")
        if not self.caller:
            return
        before = self.answers()
        if self.caller.poll() is None:
            wait_until(f"{self.name} answers",
                       lambda: self.answers() != before or self.caller.poll() is not None, 2 * LIMIT)
        if self.caller.poll() is not None:
            raise Fault(f"{self.name}'s client ended: {self.log('client')}")

    def processes(self):
        return [self.process.pid, *descendants(self.process.pid)]

    def worker(self):
        """A process of the program that the program can do without, or None"""
        return None

    def chosen(self):
        """Options of ktraced that choose it"""
        return ["-p", str(self.process.pid)] + (["--comm", self.comm] if self.comm else [])

    def kill_client(self):
        if self.caller:
            self.caller.kill()
            self.caller.wait()

    def kill(self):
        self.kill_client()
        left = self.processes()
        self.process.kill()
        self.process.wait()
        for pid in left[1:]:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        wait_until(f"the processes of {self.name} have ended",
                   lambda: not any(is_running(pid) for pid in left))

    def end(self):
        self.kill_client()
        self.process.terminate()
        try:
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Fault(f"{self.name} does not end") from None


class Late(Program):
    """The project's own example of a program with threads, which numbers its events, and with children"""
    events, some = "late:*", "late:tick"

    def command(self):
        return [f"{self.build}/progs/late", "-t", "3", "-u", "150", "-f", "100"]

    def is_ready(self):
        return "ready " in self.log()

    def end(self):
        status = super().end()
        if status or "ended " not in self.log():
            raise Fault(f"{self.name} ended with status {status}: {self.log()}")
        return status


class Cache(Program):
    """The example of the tutorial, again and again: processes that begin and end while others record"""
    comm = "cache"

    def prepare(self):
        with open(os.path.join(self.folder, "counter"), "w+b") as file:
            file.write(bytes(16))
            file.flush()
            self.counter = mmap.mmap(file.fileno(), 16)

    def command(self):
        return [sys.executable, os.path.join(HERE, "client.py"), "runs",
                f"{self.build}/examples/cache", os.path.join(self.folder, "counter")]

    def is_ready(self):
        self.caller = self.process
        return self.answers()

    def worker(self):
        return next(iter(children(self.process.pid)), None)

    def chosen(self):
        return ["--comm", f"{self.comm},python3*"]


class Python(Program):
    client = "http"

    def command(self):
        return [sys.executable, "-c", PYTHON, str(self.port)]


class Java(Program):
    client = "http"

    def prepare(self):
        with open(os.path.join(self.folder, "Server.java"), "w", encoding="ascii") as file:
            file.write(JAVA)
        subprocess.run(["javac", "-d", ".", "Server.java"], cwd=self.folder, check=True)

    def command(self):
        # Its heap does not grow: what grows is not its own.
        return ["java", "-Xms32m", "-Xmx32m", "-XX:+AlwaysPreTouch", "-cp", ".", "Server", str(self.port)]


class Nginx(Program):
    client, comm = "http", "nginx"

    def prepare(self):
        for name in ("www", "tmp"):
            os.mkdir(os.path.join(self.folder, name))
        for number in range(10):
            with open(os.path.join(self.folder, "www", str(number)), "w", encoding="ascii") as file:
                file.write(body(number))
        with open(os.path.join(self.folder, "nginx.conf"), "w", encoding="ascii") as file:
            file.write(NGINX.format(user=pwd.getpwuid(os.geteuid()).pw_name, port=self.port))

    def command(self):
        return [shutil.which("nginx") or "/usr/sbin/nginx", "-p", self.folder + "/", "-c", "nginx.conf",
                "-e", "error.log"]

    def worker(self):
        return next(iter(children(self.process.pid)), None)


class Postgres(Program):
    client, comm = "postgres", "postgres"
    events, some = "pthread:*", "pthread:sem_*"

    def prepare(self):
        versions = [f"/usr/lib/postgresql/{v}/bin" for v in os.listdir("/usr/lib/postgresql")]
        self.bin = max((path for path in versions if os.path.exists(f"{path}/initdb")),
                       key=lambda path: float(path.split("/")[-2]))
        as_user = {}
        if not os.geteuid():
            self.user = pwd.getpwnam("nobody")
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
            as_user = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        subprocess.run([f"{self.bin}/initdb", "-D", "data", "-U", "u", "-A", "trust", "--no-sync"],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL, **as_user)

    def command(self):
        return [f"{self.bin}/postgres", "-D", "data", "-p", str(self.port), "-h", "", "-k", self.folder,
                "-c", "shared_buffers=16MB"]

    def is_ready(self):
        if self.process.poll() is not None:
            raise Fault(f"{self.name} ended: {self.log()}")
        return not subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", self.folder, "-p",
                                   str(self.port)], check=False).returncode

    def address(self):
        return f"{self.folder}:{self.port}"

    def worker(self):
        return next(iter(children(self.process.pid)[::-1]), None)


PROGRAMS = {"late": Late, "cache": Cache, "python": Python, "java": Java, "nginx": Nginx,
            "postgres": Postgres}
# Those that need packages of scripts/deps servers
SERVERS = ("java", "nginx", "postgres")
