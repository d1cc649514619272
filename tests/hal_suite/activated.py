"""activated.py: nnrt-driverd serves a listening socket that it gets as file 3, as systemd's socket activation does it.

Usage: activated.py NNRT_DRIVERD NNRT_HAL_TEST FOLDER_OF_UNITS
Flow: tests/CMakeLists.txt registers it as hal_suite/activated. Where systemd-analyze is installed, it checks the units.
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path


def begin(driverd: str, listener: socket.socket, further: list[str], of_this_process: bool = True) -> int:
    child = os.fork()
    if child == 0:
        try:
            if listener.fileno() != 3:
                os.dup2(listener.fileno(), 3)
            os.set_inheritable(3, True)
            process = os.getpid() if of_this_process else 1
            environment = dict(os.environ, LISTEN_FDS="1", LISTEN_PID=str(process))
            os.execve(driverd, [driverd, "--quiet", *further], environment)
        finally:
            os._exit(127)
    return child


def exit_code(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(driverd: str, hal_test: str, units: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(path)
        listener.listen(8)
        for _ in range(2):  # the socket outlives a host, and the next one serves it
            child = begin(driverd, listener, [])
            tested = subprocess.run([hal_test, "--socket", path, "--quiet", "--filter", "identity."],
                                    capture_output=True, text=True)
            os.kill(child, signal.SIGTERM)
            ended = exit_code(child)
            assert tested.returncode == 0, tested.stdout + tested.stderr
            assert ended == 0, ended
            assert os.path.exists(path), "the socket's path is not the host's to remove"
        assert exit_code(begin(driverd, listener, ["--socket", path + "2"])) == 2, "two sockets"
        assert exit_code(begin(driverd, listener, [], of_this_process=False)) == 2, "somebody else's socket"
    if analyze := shutil.which("systemd-analyze"):
        verified = subprocess.run([analyze, "verify", *map(str, units.glob("nnrt-driverd.*"))],
                                  capture_output=True, text=True)
        faults = [line for line in verified.stderr.splitlines()
                      if "nnrt-driverd" in line and "is not executable" not in line]
        assert not faults, "\n".join(faults)
    for unit, wanted in {"service": ["NoNewPrivileges=yes", "SystemCallFilter="],
                         "socket": ["ListenSequentialPacket=", "SocketMode=0600"]}.items():
        text = (units / f"nnrt-driverd.{unit}").read_text(encoding="utf-8")
        named = text.replace("@system-service", "").replace("@privileged @resources", "")
        assert "@" not in named, "a name that was not filled in"
        assert all(one in text for one in wanted), unit
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
