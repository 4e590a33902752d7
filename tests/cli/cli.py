#!/usr/bin/env python3
"""Runs the command as people do, case by case: cli.py FABSIM SOURCE CASES… Speaks TAP.

A case file holds lines "key: value":
  name: a sentence        run: a shell command, $F the command, $E the examples, $T an empty directory
  status: N               out: text standard output must hold (repeatable)
  err: text of standard error            not-out: / not-err: text that must be absent
  empty: out | err        absent: a file that must not be there afterwards
  env: NAME=VALUE
Cases are parted by empty lines; "#" begins a comment line.
"""
import os
import subprocess
import sys
import tempfile

command, source, files = sys.argv[1], sys.argv[2], sys.argv[3:]


def read_cases(path):
    case = {}
    for line in open(path, encoding='utf-8').read().split('\n') + ['']:
        if line.startswith('#'):
            continue
        if not line.strip():
            if case:
                yield case
            case = {}
            continue
        key, _, value = line.partition(': ')
        case.setdefault(key, []).append(value)


def faults(case, directory):
    env = dict(os.environ, F=command, E=os.path.join(source, 'examples'), D=os.path.join(source, 'tests', 'data'), T=directory)
    env.update(pair.split('=', 1) for pair in case.get('env', []))
    try:
        run = subprocess.run(['bash', '-c', case['run'][0]], capture_output=True, env=env, cwd=directory, timeout=60, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return ['took more than 60 s']
    out, err = run.stdout.decode('utf-8', 'replace'), run.stderr.decode('utf-8', 'replace')
    found = []
    if 'status' in case and run.returncode != int(case['status'][0]):
        found.append(f'status {run.returncode}, expected {case["status"][0]}')
    for key, text in (('out', out), ('err', err)):
        found += [f'std{key} lacks “{part}”' for part in case.get(key, []) if part not in text]
        found += [f'std{key} has “{part}”' for part in case.get('not-' + key, []) if part in text]
        if key in case.get('empty', []) and text:
            found.append(f'std{key} is not empty')
    found += [f'{name} is there' for name in case.get('absent', []) if os.path.exists(os.path.join(directory, name))]
    if found:
        found += ['stdout: ' + line for line in out.splitlines()[:12]] + ['stderr: ' + line for line in err.splitlines()[:12]]
    return found


def main():
    cases = [case for path in files for case in read_cases(path)]
    print(f'1..{len(cases)}')
    for number, case in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as directory:
            found = faults(case, directory)
        for line in found:
            print('# ' + line)
        print(f'{"not ok" if found else "ok"} {number} - {case["name"][0]}')


main()
