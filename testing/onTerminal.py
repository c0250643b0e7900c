"""Runs a program on a pseudo-terminal: onTerminal.py STEPS ENV PROGRAM [WORD]...

STEPS is a JSON list of [wait-for, type], ENV the program's environment as a JSON object. Prints what the
terminal showed and, last, the exit code on a line of its own.
"""
import json, os, pty, select, signal, sys, time

steps = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execve(sys.argv[3], sys.argv[3:], json.loads(sys.argv[2]))

shown = b""
deadline = time.time() + 20
while time.time() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.05)
    if ready:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    if steps and steps[0][0].encode() in shown:
        time.sleep(0.05)
        os.write(terminal, steps.pop(0)[1].encode())
else:
    os.kill(child, signal.SIGKILL)
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(shown)
print("\n%d" % os.waitstatus_to_exitcode(status))
