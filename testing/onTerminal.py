"""Runs a program in a session of its own on a pseudo-terminal: onTerminal.py SETTING PROGRAM [WORD]...

SETTING is a JSON object: `steps`, a list of [pattern to wait for, what to type]; `env`, the program's environment; `columns`; and `stdin`,
where its streams are pipes, and the terminal is its controlling terminal only. Prints a JSON object: `code`, `shown`
by the terminal, and `stdout` and `stderr` of pipes.
"""
import fcntl, json, os, pty, re, select, signal, struct, sys, termios, time

setting = json.loads(sys.argv[1])
steps = setting["steps"]
terminal, end = pty.openpty()
fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, setting["columns"], 0, 0))
piped = setting.get("stdin") is not None
pipes = [os.pipe() for _ in range(3)] if piped else []

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

deadline = time.time() + 20
going = set(seen)
status = None
read_to = 0
while True:
    ready, _, _ = select.select(list(going), [], [], 0.05)
    for stream in ready:
        try:
            chunk = os.read(stream, 65536)
        except OSError:
            chunk = b""
        seen[stream] += chunk
        if chunk == b"":
            going.remove(stream)
    while steps and (found := re.compile(steps[0][0].encode()).search(seen[terminal], read_to)):
        read_to = found.end()
        time.sleep(0.05)
        os.write(terminal, steps.pop(0)[1].encode())
    if status is not None:
        break
    if time.time() > deadline:
        os.kill(child, signal.SIGKILL)
    ended, found = os.waitpid(child, os.WNOHANG)
    if ended:
        # Once more round, for what it wrote last.
        status = found

shown, *others = [text.decode(errors="replace") for text in seen.values()]
stdout, stderr = others or ("", "")
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "shown": shown, "stdout": stdout, "stderr": stderr}))
