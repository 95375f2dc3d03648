"""A debug adapter client that shares no code with the product: drives `skill-state dap` by the protocol alone.

    python3 independentClient.py stdio SKILL_FOLDER COMMAND...
    python3 independentClient.py tcp:PORT SKILL_FOLDER

Prints one line for each thing it has seen to hold, and exits with 1 at the first that doesn't.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import queue

DEADLINE = 30


class Client:
    def __init__(self, read, write):
        self.read, self.write = read, write
        self.seq = 0
        self.messages = queue.Queue()
        self.events = []
        threading.Thread(target=self.receive, daemon=True).start()

    def receive(self):
        while True:
            length = None
            while True:
                line = self.read.readline()
                if not line:
                    self.messages.put(None)
                    return
                line = line.strip()
                if not line:
                    break
                name, value = line.split(b":", 1)
                if name.lower() == b"content-length":
                    length = int(value)
            self.messages.put(json.loads(self.read.read(length).decode("utf-8")))

    def next_message(self):
        message = self.messages.get(timeout=DEADLINE)
        if message is None:
            raise AssertionError("the adapter closed the connection")
        return message

    def request(self, command, arguments=None, succeeds=True):
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        body = json.dumps(message).encode("utf-8")
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        while True:
            answer = self.next_message()
            if answer["type"] == "event":
                self.events.append(answer)
            elif answer["request_seq"] == self.seq:
                assert answer["success"] == succeeds, answer
                return answer.get("body")

    def event(self, name):
        for index, event in enumerate(self.events):
            if event["event"] == name:
                del self.events[: index + 1]
                return event.get("body")
        while True:
            event = self.next_message()
            if event["type"] == "event" and event["event"] == name:
                return event.get("body")

    def stop(self, command):
        self.request(command, {"threadId": 1})
        return self.event("stopped")

    def top(self):
        return self.request("stackTrace", {"threadId": 1})["stackFrames"][0]


def line_of(path, text):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if text in line:
                return number
    raise AssertionError("%s is not in %s" % (text, path))


def holds(what, condition):
    if not condition:
        print("FAILED: " + what)
        sys.exit(1)
    print(what)


def session(client, skill, trace):
    skill_file = os.path.join(skill, "SKILL.md")
    schema_file = os.path.join(skill, "state.schema.yaml")
    capabilities = client.request("initialize", {"adapterID": "skill-state", "pathFormat": "path"})
    holds("initializes", capabilities["supportsConfigurationDoneRequest"])
    client.request("fly", succeeds=False)
    holds("refuses an unknown request", True)
    client.request("launch", {
        "skill": skill, "environment": "warehouse", "model": "scripted", "horizon": 25, "seed": 42,
        "faults": 0.3, "faultSeed": 1, "stopOnEntry": True, "trace": trace,
    })
    client.event("initialized")
    ship = line_of(skill_file, "- `Ship ")
    set_ship = client.request("setBreakpoints", {"source": {"path": skill_file}, "breakpoints": [{"line": ship}, {"line": 1}]})
    holds("binds a breakpoint to an action", set_ship["breakpoints"][0]["verified"])
    holds("says why another does not bind", set_ship["breakpoints"][1].get("message") and not set_ship["breakpoints"][1]["verified"])
    client.request("setExceptionBreakpoints", {"filters": ["rejected", "exhausted"]})
    client.request("configurationDone")
    holds("stops on entry", client.event("stopped")["reason"] == "entry" and client.top()["name"] == "observe")

    for phase in ["prompt", "generate", "parse", "validate", "merge", "act"]:
        client.stop("stepIn")
        holds("steps into " + phase, client.top()["name"] == phase)
    holds("stands on the action's line", client.top()["line"] == line_of(skill_file, "- `Store "))
    client.stop("stepOut")
    holds("steps out to the next observation", client.top()["name"] == "observe")
    client.stop("next")
    holds("steps to the next act", client.top()["name"] == "act")

    scopes = client.request("scopes", {"frameId": client.top()["id"]})["scopes"]
    holds("has scopes", [scope["name"].split()[0] for scope in scopes] == [
        "State", "Patch", "Proposed", "Observation", "Action", "Tokens", "Reasoning", "Attempts"])
    action = client.request("variables", {"variablesReference": scopes[4]["variablesReference"]})["variables"]
    holds("shows the action", action[0]["name"] == "action")
    evaluated = client.request("evaluate", {"expression": "action", "context": "watch", "frameId": client.top()["id"]})
    holds("evaluates an expression", evaluated["result"] == action[0]["value"])
    client.request("evaluate", {"expression": "state.nowhere", "context": "watch"}, succeeds=False)

    hit = rejected = False
    for _ in range(40):
        stopped = client.stop("continue")
        if stopped["reason"] == "breakpoint":
            hit = True
            holds("stops at the breakpoint", client.top()["line"] == ship and stopped["hitBreakpointIds"])
            client.request("setBreakpoints", {"source": {"path": skill_file}, "breakpoints": []})
        elif stopped["reason"] == "exception":
            info = client.request("exceptionInfo", {"threadId": 1})
            frame = client.top()
            if info["exceptionId"] == "schema":
                rejected = True
                holds("stops on a rejected patch at the schema's line", frame["source"]["path"] == schema_file)
                holds("names the place in the patch and the line", "Patch: /" in info["details"]["message"]
                      and "state.schema.yaml:%d" % frame["line"] in info["details"]["message"])
            elif "sourceReference" in frame["source"]:
                text = client.request("source", {"sourceReference": frame["source"]["sourceReference"]})["content"]
                holds("shows a rejected reply", frame["line"] <= len(text.split("\n")))
        if hit and rejected:
            break
    holds("has seen a breakpoint and a rejected patch", hit and rejected)

    client.request("setExceptionBreakpoints", {"filters": []})
    client.request("continue", {"threadId": 1})
    holds("runs to the end", client.event("exited")["exitCode"] == 0)
    client.event("terminated")
    client.request("disconnect")
    holds("disconnects", True)


def main():
    where, skill, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    if where == "stdio":
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def write(data):
            process.stdin.write(data)
            process.stdin.flush()

        session(Client(process.stdout, write), skill, "stdio.skilltrace.jsonl")
        holds("the adapter's process ends in order", process.wait(DEADLINE) == 0)
    else:
        connection = socket.create_connection(("127.0.0.1", int(where.split(":")[1])), DEADLINE)
        session(Client(connection.makefile("rb"), connection.sendall), skill, "tcp.skilltrace.jsonl")
        connection.close()


main()
