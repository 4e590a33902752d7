#!/usr/bin/env python3
"""Puts the help of each verb into its page of docs/commands: update-pages.py FABSIM DOCS. A test holds that they are the same."""
import os
import re
import subprocess
import sys

command, docs = sys.argv[1:3]
for name in sorted(os.listdir(docs)):
    path = os.path.join(docs, name)
    text = open(path, encoding='utf-8').read()
    if '```\nUsage:' not in text:
        continue
    usage = subprocess.run([command, name[:-3], '--help'], capture_output=True, text=True, check=True).stdout
    open(path, 'w', encoding='utf-8').write(re.sub(r'```\nUsage:.*?```\n', lambda _: f'```\n{usage}```\n', text, flags=re.S))
