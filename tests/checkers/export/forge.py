# SPDX-License-Identifier: GPL-2.0
"""forge.py HEX - print forged.script, for mktrace, with these bytes in all its names and strings"""
import os
import sys

evil = bytes.fromhex(sys.argv[1])


def comm(name):
    """A thread's name, as a record has it, that looks like one and a row of numbers"""
    return (name + evil + b"1 2 3 4 5 6 7 8").ljust(15, b"\0")[:15].hex() + "00"


words = {"EVIL": "".join(f"%{b:02x}" for b in evil), "LIVE": evil.hex(), "LAST": evil[:1].hex(),
         "PREV": comm(b"p"), "NEXT": comm(b"n")}
with open(os.path.join(os.path.dirname(__file__), "forged.script"), encoding="ascii") as file:
    script = file.read()
for word, text in words.items():
    script = script.replace(word, text)
sys.stdout.write(script)
