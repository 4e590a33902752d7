#!/usr/bin/env python3
"""Installs a build below a directory, moves it, makes it read-only, and uses it from elsewhere: install.py BUILD SOURCE. Speaks TAP."""
import os
import shutil
import stat
import subprocess
import sys
import tempfile

build, source = sys.argv[1:3]
results = []


def run(*command, **kwargs):
    return subprocess.run(command, capture_output=True, text=True, **kwargs)


def check(name, condition, detail=''):
    results.append((name, condition, detail))


def make_read_only(top):
    for directory, _, files in os.walk(top):
        for name in files:
            path = os.path.join(directory, name)
            if not os.path.islink(path):
                os.chmod(path, os.stat(path).st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


def use_command(command, cwd):
    plan = os.path.join(source, 'examples', 'l40s-384.yaml')
    version = run(command, '--version', cwd=cwd)
    check('the moved command says its version', version.returncode == 0 and version.stdout.startswith('fabsim '), version.stderr)
    show = run(command, 'show', plan, '--format', 'json', cwd=cwd)
    check('it reads a design from elsewhere', show.returncode == 0 and '"gpus":384' in show.stdout.replace(' ', ''), show.stderr)
    drawn = run(command, 'render', plan, '-o', os.path.join(cwd, 'fabric.svg'), cwd=cwd)
    check('it finds its render library', drawn.returncode == 0 and os.path.getsize(os.path.join(cwd, 'fabric.svg')) > 1000, drawn.stderr)


def use_library(top, cwd):
    pkgconfig = next(d for d, _, files in os.walk(top) if 'fabsim.pc' in files)
    env = dict(os.environ, PKG_CONFIG_PATH=pkgconfig)
    flags = run('pkg-config', '--cflags', '--libs', 'fabsim', env=env)
    check('pkg-config knows fabsim', flags.returncode == 0, flags.stderr)
    libdir = os.path.dirname(pkgconfig)
    plan = os.path.join(source, 'examples', 'l40s-384.yaml')
    arguments = {'01-check': [plan], '02-path': [plan, 'gpu001/gpu0', 'gpu048/gpu5'], '03-allreduce': [plan, 'flat', 'compute/spine1']}
    for name, args in arguments.items():
        program = os.path.join(cwd, name)
        built = run('cc', '-Wall', '-Werror', '-o', program, os.path.join(source, 'examples', name + '.c'), *flags.stdout.split())
        check(f'{name}.c builds against the installed library', built.returncode == 0, built.stderr)
        ran = run(program, *args, cwd=cwd, env=dict(os.environ, LD_LIBRARY_PATH=libdir)) if built.returncode == 0 else built
        check(f'{name} runs', ran.returncode == 0 and ran.stdout != '', ran.stderr)


def main():
    with tempfile.TemporaryDirectory() as work:
        stage, moved, cwd = (os.path.join(work, name) for name in ('stage', 'moved', 'cwd'))
        installed = run('meson', 'install', '-C', build, '--no-rebuild', '--destdir', stage)
        check('meson install --destdir', installed.returncode == 0, installed.stderr)
        shutil.move(stage, moved)
        os.mkdir(cwd)
        make_read_only(moved)
        command = next(os.path.join(d, 'fabsim') for d, _, files in os.walk(moved) if 'fabsim' in files and d.endswith('bin'))
        use_command(command, cwd)
        use_library(moved, cwd)
    print(f'1..{len(results)}')
    for number, (name, ok, detail) in enumerate(results, 1):
        for line in detail.splitlines() if not ok else []:
            print('# ' + line)
        print(f'{"ok" if ok else "not ok"} {number} - {name}')


main()
