"""An engine for tests, over any of the protocols: honest, or broken in a chosen way.

    fake.py PROTOCOL MODE

honest plays the first legal action; the others fail at their second choice (or, as `mute` and `unready`, from the start).
"""

import subprocess
import sys
import time

PROTOCOL, MODE = sys.argv[1:3]
choices = 0


def say(text=""):
    print(text, flush=True)


def misbehave():
    """What a broken engine does instead of answering; an honest one continues."""
    global choices
    choices += 1
    if choices < 2 or MODE == "honest":
        return
    if MODE == "hang":
        time.sleep(1000)
    if MODE == "stubborn":  # neither the end of its input nor SIGTERM ends it, and it has a child
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print(subprocess.Popen(["sleep", "1000"]).pid, file=open("pid", "w"), flush=True)  # noqa: SIM115
        time.sleep(1000)
    if MODE == "die":
        print("out of cheese", file=sys.stderr, flush=True)
        sys.exit(3)
    if MODE == "garbage":
        say("\x00\ufffd ~~~ no protocol knows this")
    if MODE == "flood":
        while True:
            say("info " + "x" * 1000)
    if MODE == "slow":
        time.sleep(3)


def answer(legal):
    """The action that it plays."""
    if MODE == "cheat" and choices >= 2:
        return "z99"
    if MODE == "resign" and choices >= 2:
        return "resign"
    return legal[0]


def line_engine():
    legal = []
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "counterplay":
            say("hello" if MODE == "rude" else "ready fake")
        elif word == "legal":
            legal = rest.split()
        elif word == "choose":
            misbehave()
            move = answer(legal)
            say("info thinking")
            say("value 0.5")
            say("resign" if move == "resign" else f"move {move}")
        elif word == "quit":
            return


def legal_after(game, position, moves):
    from counterplay import load

    return load(game).start(moves, position=position).legal()


def uci_engine(game):
    position, moves = None, ""
    for line in sys.stdin:
        words = line.split()
        if words == ["uci"]:
            say("id name fake")
            say("option name Skill Level type spin default 20 min 0 max 20")
            say("option name UCI_LimitStrength type check default false")
            say("option name UCI_Elo type spin default 1350 min 1350 max 2850")
            say("option name Style type combo default Solid var Solid var Very Wild")
            say("option name Clear Hash type button")
            say("uciok")
        elif words == ["isready"]:
            if MODE == "unready":
                time.sleep(1000)
            say("readyok")
        elif words[:1] == ["setoption"]:
            with open("settings", "a") as file:
                file.write(line)
        elif words[:2] == ["position", "fen"]:
            position, _, moves = line.strip().removeprefix("position fen ").partition(" moves ")
        elif words[:1] == ["go"]:
            misbehave()
            say("info depth 7 seldepth 9 score cp 40 nodes 123 pv x y")
            move = answer(legal_after(game, position, moves))
            say(f"bestmove {'(none)' if move == 'resign' else move} ponder x")
        elif words == ["quit"]:
            return


def gtp_engine(game):
    moves = []
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "list_commands":
            say("= list_commands\nboardsize\nclear_board\nplay\ngenmove\nquit\n")
        elif word in ("boardsize", "komi"):
            say("= \n")
        elif word == "clear_board":
            moves = []
            say("=\n")
        elif word == "play":
            moves.append(rest[1])
            say("= \n" if rest[0] == "bw"[(len(moves) - 1) % 2] else "? not your turn\n")
        elif word == "genmove":
            misbehave()
            move = answer(legal_after(game, None, " ".join(moves)))
            moves.append(move)
            say(f"= {move.upper()}\n")
        elif word == "quit":
            say("=\n")
            return
        else:
            say("? unknown command\n")


def xboard_engine(game):
    position, moves = None, []
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "protover":
            say('feature myname="fake" setboard=1 usermove=1 done=1')
        elif word == "new":
            position, moves = None, []
        elif word == "setboard":
            position = rest
        elif word == "usermove":
            moves.append(rest)
        elif word == "go":
            misbehave()
            say("move ordering is what other engines chat about")
            move = answer(legal_after(game, position, " ".join(moves)))
            moves.append(move)
            say("resign" if move == "resign" else f"move {move}")
        elif word == "quit":
            return


if __name__ == "__main__":
    if MODE == "mute":
        time.sleep(1000)
    if MODE == "absent":
        sys.exit("cannot open display")
    if PROTOCOL == "line":
        line_engine()
    elif PROTOCOL == "uci":
        uci_engine("tic-tac-toe")
    elif PROTOCOL == "xboard":
        xboard_engine("tic-tac-toe")
    else:
        gtp_engine("tic-tac-toe")
