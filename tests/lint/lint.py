#!/usr/bin/env python3
"""The law of the house, checked on every test run: lint.py SOURCE_ROOT CHECK… (see CHECKS). Speaks TAP."""
import os
import re
import subprocess
import sys

ROOMS = ['base', 'catalog', 'topology', 'subnet', 'workload', 'result', 'interop', 'design', 'analysis', 'study', 'report']

# Each foreign library has one home.
HOMES = {
    'igraph.h': ['lib/topology/fab-graph.c'],
    'gsl/': ['lib/base/fab-stream.c'],
    'yaml.h': ['lib/base/fab-document-read.c'],
    'json-c/': ['lib/base/fab-json.c'],
    'cgraph.h': ['lib/render/fab-render-graphviz.c'],
    'gvc.h': ['lib/render/fab-render-graphviz.c'],
}

# Library code never prints, exits, or reads the clock.
FORBIDDEN = re.compile(r'\b(printf|fprintf|puts|fputs|putchar|exit|_exit|abort|time|clock|clock_gettime|gettimeofday|rand|srand|random|'
                       r'g_print|g_printerr|g_message|g_warning|g_get_real_time|g_get_monotonic_time|g_date_time_new_now\w*|g_random_\w+) *\(')

MAX_LINES = 600
MAX_COLUMNS = 170


def sources(root, *suffixes):
    tracked = subprocess.run(['git', '-C', root, 'ls-files', '-co', '--exclude-standard'], capture_output=True, text=True)
    if tracked.returncode == 0 and tracked.stdout:
        names = tracked.stdout.split('\n')
    else:   # a tarball
        names = [os.path.relpath(os.path.join(d, f), root) for d, _, fs in os.walk(root) for f in fs]
    return sorted(n for n in names if n.endswith(suffixes) and os.path.exists(os.path.join(root, n)))


def code_lines(root, name):
    """The lines without comments and strings, numbered from 1."""
    text = open(os.path.join(root, name), encoding='utf-8').read()
    text = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.S)
    for number, line in enumerate(text.split('\n'), 1):
        yield number, line if line.lstrip().startswith('#include') else re.sub(r'"(\\.|[^"\\])*"', '""', line)


def room_of(name):
    parts = name.split('/')
    if parts[0] == 'lib':
        return parts[1] if len(parts) > 2 else 'api'
    return parts[0]


def include_fault(name, included):
    """Why @name may not include @included, or None."""
    room = room_of(name)
    target = included.split('/')[0] if '/' in included else None
    if room in ROOMS:
        if target in ROOMS and ROOMS.index(target) > ROOMS.index(room):
            return f'{room} may not include {target}, which stands to its right'
        if target in ('render', 'sim', 'tools'):
            return f'lib may not include {target}'
    if room == 'render' and target is not None:
        return 'render includes lib/*.h only'
    if room == 'sim' and target in ROOMS and not included.endswith('-private.h'):
        return 'sim includes lib/*.h and private headers of lib only'
    if room == 'tools' and included not in ('fab-command.h', 'fab-draw.h', 'fabsim.h', 'fabsim-render.h'):
        return 'tools include <fabsim.h> and <fabsim-render.h> only'
    if room == 'examples' and included not in ('fabsim.h', 'fabsim-render.h'):
        return 'examples include <fabsim.h> and <fabsim-render.h> only'
    return None


def check_includes(root):
    for name in sources(root, '.c', '.h'):
        if name.startswith('tests/'):
            continue
        for number, line in code_lines(root, name):
            found = re.match(r'\s*#include [<"]([^>"]+)[>"]', line)
            if not found:
                continue
            included = found.group(1)
            own = '-private.h' in included or included.startswith('fab') or '/fab-' in included
            fault = include_fault(name, included) if own else None
            if fault:
                yield f'{name}:{number}: {fault}: {included}'
            for header, homes in HOMES.items():
                if included.startswith(header) and name not in homes:
                    yield f'{name}:{number}: {included} has its home in {", ".join(homes)}'


def check_calls(root):
    for name in sources(root, '.c'):
        if not name.startswith(('lib/', 'sim/')):
            continue
        for number, line in code_lines(root, name):
            found = FORBIDDEN.search(line)
            if found:
                yield f'{name}:{number}: library code calls {found.group(1)}()'


def check_files(root):
    seen = {}
    for name in sources(root, '.c', '.h'):
        base = os.path.basename(name)
        if base in seen:
            yield f'{name}: a second file of this name; the first is {seen[base]}'
        seen[base] = name
        lines = open(os.path.join(root, name), encoding='utf-8').read().split('\n')
        if len(lines) > MAX_LINES:
            yield f'{name}: {len(lines)} lines: it wants to be two files'
        if not lines[0].startswith('/* ' + base):
            yield f'{name}:1: expected a first line that says what the file is: /* {base}…'
        for number, line in enumerate(lines, 1):
            if '\t' in line or line != line.rstrip():
                yield f'{name}:{number}: tab or trailing space'
            if len(line) > MAX_COLUMNS:
                yield f'{name}:{number}: {len(line)} columns'


def check_headers(root):
    """Each public header compiles alone."""
    flags = subprocess.run(['pkg-config', '--cflags', 'glib-2.0'], capture_output=True, text=True).stdout.split()
    version_dir = os.environ.get('FAB_BUILD_LIB', os.path.join(root, 'build', 'lib'))
    for name in sources(root, '.h'):
        if not re.match(r'lib/(render/fabsim-render|[^/]+)\.h$', name):
            continue
        run = subprocess.run(['cc', '-std=gnu11', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-x', 'c', '-I' + os.path.join(root, 'lib'),
                              '-I' + version_dir, *flags, '-'], input=f'#include "{os.path.join(root, name)}"\n', capture_output=True, text=True)
        if run.returncode:
            yield f'{name}: does not compile alone: {run.stderr.splitlines()[0]}'


def exported(library):
    run = subprocess.run(['nm', '-D', '--defined-only', library], capture_output=True, text=True, check=True)
    return sorted(line.split()[2] for line in run.stdout.splitlines() if line.split()[1] in 'TDBR')


def check_symbols(root):
    """What the libraries export is the list in tests/lint/*.symbols; LINT_REWRITE=1 writes it anew."""
    for library in os.environ['FAB_LIBRARIES'].split(os.pathsep):
        stem = os.path.basename(library).split('.')[0]
        listed = os.path.join(root, 'tests', 'lint', stem + '.symbols')
        names = exported(library)
        for name in names:
            if not re.match(r'fab_[a-z]', name):
                yield f'{stem}: exports {name}'
        if os.environ.get('LINT_REWRITE'):
            open(listed, 'w', encoding='utf-8').write('\n'.join(names) + '\n')
        expected = open(listed, encoding='utf-8').read().split()
        for name in sorted(set(names) ^ set(expected)):
            yield f'{stem}: {name} is {"not listed" if name in names else "listed but not exported"} in tests/lint/{stem}.symbols'


def check_docs(root):
    """The tree in docs/architecture.md is the tree there is."""
    text = open(os.path.join(root, 'docs/architecture.md'), encoding='utf-8').read()
    block = re.search(r'```tree\n(.*?)```', text, flags=re.S)
    said = set(re.findall(r'^([a-z][a-z./_-]*/)', block.group(1), flags=re.M)) if block else set()
    there = {'/'.join(n.split('/')[:-1]) + '/' for n in sources(root, '.c', '.h', '.py', '.yaml', '.md') if '/' in n}
    there = {d for d in there if d.count('/') <= 2 and not d.startswith('.')}
    there |= {d.split('/')[0] + '/' for d in there}
    for name in sorted(there - said):
        yield f'docs/architecture.md: the tree lacks {name}'
    for name in sorted(said - there):
        yield f'docs/architecture.md: the tree has {name}, which is not there'
    readme = open(os.path.join(root, 'README.md'), encoding='utf-8').read()
    for command in ('tools/dev run', 'tools/dev test'):
        if command not in readme:
            yield f'README.md: lacks the command {command}'


CHECKS = {'includes': check_includes, 'calls': check_calls, 'files': check_files, 'headers': check_headers, 'symbols': check_symbols, 'docs': check_docs}


def main():
    root, names = sys.argv[1], sys.argv[2:] or list(CHECKS)
    print(f'1..{len(names)}')
    for number, name in enumerate(names, 1):
        faults = list(CHECKS[name](root))
        for fault in faults:
            print('# ' + fault)
        print(f'{"not ok" if faults else "ok"} {number} - lint {name}')


main()
