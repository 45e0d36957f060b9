"""Stands for a rank that `preloading.py` forks: started by `mpirun` as `python -I -S stub.py SOCKET arguments of Python`."""

import json
import os
import signal
import socket
import sys

PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGQUIT, signal.SIGCONT)


def main() -> int:
    """Ask for a fork, pass signals on to it, and end as it does."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.connect(sys.argv[1])
    request = {"arguments": sys.argv[2:], "environment": dict(os.environ), "folder": os.getcwd()}
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)  # until it is known whom they are for
    socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
    pid = json.loads(server.recv(4096))["pid"]
    for number in PASSED_ON:
        signal.signal(number, lambda number, _: os.kill(pid, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    for file in (0, 1, 2):
        os.close(file)  # mpirun waits for the end of what is written there
    status = json.loads(server.recv(4096))["status"]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    os._exit(main())
