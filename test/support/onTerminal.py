"""Runs a program in a session of its own on a pseudo-terminal: onTerminal.py SETTING PROGRAM [WORD]...

SETTING is a JSON object: `steps`, a list of [pattern to wait for, what to type, a line of bash to run before]; `env`, the program's environment; `columns`; and `stdin`,
where its streams are pipes, and the terminal is its controlling terminal only. Prints a JSON object: `code`, `shown`
by the terminal, and `stdout` and `stderr` of pipes.
"""
import fcntl, json, os, pty, re, select, signal, struct, subprocess, sys, termios, time

setting = json.loads(sys.argv[1])
steps = setting["steps"]
terminal, end = pty.openpty()
fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, setting["columns"], 0, 0))
piped = setting.get("stdin") is not None
pipes = [os.pipe() for _ in range(3)] if piped else []

# The end of the program wakes the loop below, as what it writes does.
waking, woken = os.pipe()
for end_of_pipe in (waking, woken):
    os.set_blocking(end_of_pipe, False)
signal.signal(signal.SIGCHLD, lambda *_: None)
signal.set_wakeup_fd(woken)

child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(end, termios.TIOCSCTTY, 0)
    ends = [pipes[0][0], pipes[1][1], pipes[2][1]] if piped else [end] * 3
    for number, stream in enumerate(ends):
        os.dup2(stream, number)
    os.closerange(3, 256)
    os.execve(sys.argv[2], sys.argv[2:], setting["env"])

# The terminal's own end stays open: it may be opened again at any time.
seen = {terminal: b""}
if piped:
    os.write(pipes[0][1], setting["stdin"].encode())
    for stream in (*pipes[0], pipes[1][1], pipes[2][1]):
        os.close(stream)
    seen.update({pipes[1][0]: b"", pipes[2][0]: b""})

# So long that only a test that would fail comes to it, however busy the machine is.
deadline = time.time() + 55
going = set(seen)
status = None
read_to = 0
while True:
    ready, _, _ = select.select([*going, waking], [], [], 0 if status is not None else 1)
    for stream in ready:
        if stream == waking:
            os.read(waking, 512)
            continue
        try:
            chunk = os.read(stream, 65536)
        except OSError:
            chunk = b""
        seen[stream] += chunk
        if chunk == b"":
            going.remove(stream)
    while steps and (found := re.compile(steps[0][0].encode()).search(seen[terminal], read_to)):
        read_to = found.end()
        _, typed, meanwhile = steps.pop(0)
        subprocess.run(["/bin/bash", "-c", meanwhile], env=setting["env"], stdin=subprocess.DEVNULL, capture_output=True)
        os.write(terminal, typed.encode())
    if status is None:
        if time.time() > deadline:
            os.kill(child, signal.SIGKILL)
        ended, found = os.waitpid(child, os.WNOHANG)
        status = found if ended else None
    elif not ready:
        # What it wrote last has been read, too.
        break

shown, *others = [text.decode(errors="replace") for text in seen.values()]
stdout, stderr = others or ("", "")
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "shown": shown, "stdout": stdout, "stderr": stderr}))
