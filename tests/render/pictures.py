#!/usr/bin/env python3
"""Draws a list of designs as SVG and measures what is on them: pictures.py FABSIM SOURCE. Speaks TAP.

No text overlaps another, leaves its box or the page, is struck through by a line or cut by a frame; no line runs behind a box; every
line says on hover what it is. Texts are measured in DejaVu Sans, wide among the usual fonts.
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

command, source = sys.argv[1:3]

SVG, TITLE = '{http://www.w3.org/2000/svg}', '{http://www.w3.org/1999/xlink}title'

# Thousandths of the size, U+0020 to U+007E.
ADVANCES = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635,
    634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838]
OTHERS = {'×': 838, '·': 318, '–': 500, '…': 1000, '→': 838}

CABLES = '    host_link: {speed: NDR, cable: mma4z00, length: 30m}\n    uplink: {speed: NDR, cable: mma4z00, length: 20m}\n'


def tree(half, count, node='host-1nic'):
    return ('fabsim: 1\nname: tree\nnodes: {h: {type: %s, count: %d, digits: 4}}\nplanes:\n  compute:\n    link: infiniband\n'
            '    topology: {family: fat-tree, tiers: 3, leaf: qm9700, spine: qm9700, core: qm9700, hosts_per_leaf: %d, uplinks: %d, '
            'spines: %d, leaves_per_pod: %d, core_uplinks: %d, cores: %d}\n%s'
            'workloads:\n  shift: {pattern: shift, by: 17, bytes: 64MiB, plane: compute}\n'
            % (node, count, half, half, half, half, half, half * half, CABLES))


def groups(number):
    """Groups of two leaves under two spines, all spines of different groups joined: a small dragonfly."""
    used = {}

    def link(a, b):
        for end in (a, b):
            used[end] = used.get(end, 2) + 1
        return f'      - {{a: {a}/p{used[a]}, b: {b}/p{used[b]}, speed: NDR}}\n'

    two = 2 * number
    return (f'fabsim: 1\nname: groups\nnodes: {{n: {{type: host-1nic, count: {2 * two}, digits: 2}}}}\nplanes:\n  compute:\n'
            f"    link: infiniband\n{CABLES}    switches: [{{names: 'leaf[1-{two}]', part: qm9700, tier: leaf}}, "
            f"{{names: 'spine[1-{two}]', part: qm9700, tier: spine}}]\n    links:\n"
            + ''.join(f'      - {{a: n{n + 1:02}/nic0/p1, b: leaf{n // 2 + 1}/p{n % 2 + 1}, speed: NDR}}\n' for n in range(2 * two))
            + ''.join(link(f'leaf{2 * g + i}', f'spine{2 * g + j}') for g in range(number) for i in (1, 2) for j in (1, 2))
            + ''.join(link(f'spine{a}', f'spine{b}') for a in range(1, two + 1) for b in range(a + 1, two + 1) if (a - 1) // 2 != (b - 1) // 2))


DESIGNS = {
    'rails': 'fabsim: 1\nname: rails\nmodels: {qm9700: {ports: 256}, qm8700: {ports: 512}, sn2201: {ports: 64}}\n'
             'nodes: {gpu: {type: hgx-h100-8, count: 1000, digits: 4}, store: {type: storage-server, count: 40, digits: 2}}\nplanes:\n'
             '  compute:\n    link: infiniband\n    topology: {family: rail-optimized, rails: 8, leaf: qm9700, leaves_per_rail: 16, '
             'spine: qm9700, spines: 32, uplinks_per_spine: 2}\n' + CABLES +
             '  storage:\n    link: infiniband\n    topology: {family: fat-tree, leaf: qm8700, spine: qm8700, hosts_per_leaf: 27, '
             'uplinks: 12, spines: 2}\n    host_link: {speed: HDR, cable: aoc-hdr, length: 20m}\n'
             '    uplink: {speed: HDR, cable: aoc-hdr, length: 10m}\n'
             '  oob:\n    link: ethernet\n    topology: {family: fat-tree, leaf: sn2201, spine: sn2201, hosts_per_leaf: 40, uplinks: 2, '
             'spines: 1}\n    host_link: {speed: 1GbE, cable: cat6, length: 20m}\n    uplink: {speed: 1GbE, cable: cat6, length: 10m}\n',
    'tree-4': tree(2, 16),
    'tree-8': tree(4, 128),
    'tree-16': tree(8, 1024),
    'many-pods': 'fabsim: 1\nname: pods\nnodes: {gpu: {type: hgx-h100-8, count: 1020, digits: 4}}\nplanes:\n  compute:\n'
                 '    link: infiniband\n    topology: {family: fat-tree, tiers: 3, leaf: qm9700, spine: qm9700, core: qm9700, '
                 'hosts_per_leaf: 32, uplinks: 32, spines: 8, leaves_per_pod: 8, core_uplinks: 32}\n' + CABLES,
    'groups': 'fabsim: 1\nname: groups\nnodes:\n' + ''.join(
              f'  group-{c}-: {{type: host-1nic, count: 5}}\n' for c in 'abcdefghij') +
              'planes:\n  compute:\n    link: infiniband\n    topology: {family: fat-tree, leaf: qm9700, spine: qm9700, '
              'hosts_per_leaf: 32, uplinks: 4, spines: 1}\n' + CABLES,
    'names': 'fabsim: 1\nname: a-design-with-a-name-longer-than-what-is-drawn-below-it\nnodes:\n'
             "  n: {type: host-1nic, names: 'alpha,bravo,charlie,delta,echo,foxtrot,golf,hotel,india,juliett,kilo'}\nplanes:\n"
             '  a-plane-with-a-rather-long-name:\n    link: infiniband\n    ports: compute\n' + CABLES +
             "    switches: [{names: 'a-leaf-in-the-first-rack-of-the-first-hall', part: qm9700, tier: leaf}]\n    links:\n" + ''.join(
             f'      - {{a: {n}/nic0/p1, b: a-leaf-in-the-first-rack-of-the-first-hall/p{i + 1}, speed: NDR, cable: mma4z00, length: 30m}}\n'
             for i, n in enumerate(['alpha', 'bravo', 'kilo'])),
    'dragonfly': groups(3),
    'dragonflies': groups(11),
    'ring': 'fabsim: 1\nname: ring\nnodes:\n  n: {type: host-1nic, count: 6}\nplanes:\n  compute:\n    link: infiniband\n' + CABLES +
            "    switches: [{names: 'leaf[1-6]', part: qm9700, tier: leaf}]\n    links:\n" + ''.join(
            f'      - {{a: n{i}/nic0/p1, b: leaf{i}/p1, speed: NDR, cable: mma4z00, length: 30m}}\n'
            f'      - {{a: leaf{i}/p2, b: leaf{i % 6 + 1}/p3, speed: NDR, cable: mma4z00, length: 20m}}\n' for i in range(1, 7)),
}

PLAN = 'examples/l40s-384.yaml'
PICTURES = [
    ('the plan', PLAN, []),
    ('the plan as written', 'examples/l40s-384-as-written.yaml', []),
    ('one plane', PLAN, ['--plane', 'compute']),
    ('a plane of dots', PLAN, ['--plane', 'management']),
    ('a node', PLAN, ['--node', 'gpu001']),
    ('a storage server', PLAN, ['--node', 'store1']),
    ('a node, loaded, with a path', PLAN, ['--node', 'gpu001', '--load', 'gradients', '--path', 'gpu001/gpu0,gpu001/gpu5']),
    ('the plan, loaded', PLAN, ['--load', 'gradients']),
    ('a plane, loaded', PLAN, ['--plane', 'compute', '--load', 'flat']),
    ('storage, loaded', PLAN, ['--load', 'checkpoint']),
    ('a path', PLAN, ['--path', 'gpu001/gpu0,gpu048/gpu5']),
    ('a path on a plane', PLAN, ['--plane', 'compute', '--path', 'gpu024/gpu0,gpu025/gpu7']),
    ('a path, loaded', PLAN, ['--plane', 'compute', '--load', 'gradients', '--path', 'gpu001/gpu0,gpu048/gpu5']),
    ('faults', PLAN, ['--fail', 'compute/spine2', '--fail', 'gpu003', '--fail', 'compute/leaf1/p25', '--fail', 'storage/leaf2']),
    ('1,000 nodes on eight rails', 'rails', []),
    ('a rail plane of many leaves', 'rails', ['--plane', 'compute']),
    ('faults among 1,000 nodes', 'rails', ['--fail', 'compute/leaf7', '--fail', 'gpu0005', '--fail', 'compute/spine[1-2]']),
    ('a path among 1,000 nodes', 'rails', ['--plane', 'compute', '--path', 'gpu0001/gpu0,gpu1000/gpu5']),
    ('an NVSwitch', 'rails', ['--node', 'gpu0001']),
    ('k = 4', 'tree-4', []),
    ('a Pod of k = 4', 'tree-4', ['--pod', 'pod4']),
    ('k = 4, loaded', 'tree-4', ['--load', 'shift']),
    ('k = 8', 'tree-8', []),
    ('k = 8, loaded', 'tree-8', ['--load', 'shift']),
    ('a Pod of k = 8, loaded', 'tree-8', ['--pod', 'pod2', '--load', 'shift']),
    ('k = 16', 'tree-16', []),
    ('a path in k = 16', 'tree-16', ['--path', 'h0001/cpu0,h1024/cpu0']),
    ('a Pod of k = 16', 'tree-16', ['--pod', 'pod3']),
    ('a Pod of k = 16 with a path', 'tree-16', ['--pod', 'pod1', '--path', 'h0001/cpu0,h0500/cpu0']),
    ('faults in k = 16', 'tree-16', ['--fail', 'compute/leaf7', '--fail', 'compute/spine3', '--fail', 'h0100', '--fail', 'compute/core9']),
    ('32 Pods', 'many-pods', []),
    ('a Pod of 32', 'many-pods', ['--pod', 'pod32']),
    ('ten groups of nodes', 'groups', []),
    ('long names', 'names', []),
    ('a dragonfly of three groups', 'dragonfly', []),
    ('a path from group to group', 'dragonfly', ['--path', 'n01/cpu0,n12/cpu0']),
    ('a group of three', 'dragonfly', ['--pod', 'pod2']),
    ('a dragonfly of eleven groups', 'dragonflies', []),
    ('a ring of leaves', 'ring', []),
]


# ---- what an SVG holds ----

def numbers(text):
    return [float(n) for n in re.findall(r'-?[\d.]+', text)]


def extent(points):
    return min(points[0::2]), min(points[1::2]), max(points[0::2]), max(points[1::2])


def read_text(element):
    text, size = element.text or '', float(element.get('font-size'))
    bold = 1.15 if element.get('font-weight') == 'bold' else 1
    width = sum(OTHERS.get(c, 1000) if not ' ' <= c <= '~' else ADVANCES[ord(c) - 32] for c in text) * size * bold / 1000
    x, y = float(element.get('x')), float(element.get('y'))
    left = {'middle': x - width / 2, 'start': x, None: x, 'end': x - width}[element.get('text-anchor')]
    return {'text': text, 'size': size, 'area': (left, y - 0.78 * size, left + width, y + 0.22 * size)}


def read_svg(text):
    root = xml.fromstring(text)
    picture = {'page': None, 'boxes': [], 'lines': [], 'texts': []}
    for group in root.iter(SVG + 'g'):
        kind = group.get('class')
        if kind == 'graph':
            page = next(group.iter(SVG + 'polygon'))
            picture['page'] = extent(numbers(page.get('points')))
            head = [e for link in group if link.get('id', '').startswith('a_graph') for e in link.iter(SVG + 'text')]
            picture['texts'] += [dict(read_text(e), box=None) for e in head]
        elif kind == 'node':
            shape = next((e for e in group.iter() if e.tag in (SVG + 'polygon', SVG + 'path', SVG + 'ellipse')), None)
            if shape is None or shape.tag == SVG + 'ellipse':
                continue
            texts = [read_text(e) for e in group.iter(SVG + 'text')]
            box = {'area': extent(numbers(shape.get('points') or shape.get('d'))), 'opaque': shape.get('fill') not in ('none', 'transparent'),
                   'visible': shape.get('stroke') not in ('none', 'transparent'), 'empty': not texts,
                   'down': shape.get('stroke') == '#c4161c', 'hop': shape.get('stroke') == '#7a1fa2'}
            picture['boxes'].append(box)
            picture['texts'] += [dict(t, box=box) for t in texts]
        elif kind == 'edge':
            path = next((e for e in group.iter(SVG + 'path')), None)
            if path is not None:
                points = numbers(path.get('d'))
                title = next((e.get(TITLE) for e in group.iter(SVG + 'a')), None)
                picture['lines'].append({'ends': points[:2] + points[-2:], 'title': title})
    return picture


# ---- what must not be ----

def overlap(a, b, slack=0.0):
    return a[0] < b[2] - slack and b[0] < a[2] - slack and a[1] < b[3] - slack and b[1] < a[3] - slack


def inside(a, b, slack=0.5):
    return a[0] >= b[0] - slack and a[1] >= b[1] - slack and a[2] <= b[2] + slack and a[3] <= b[3] + slack


def crosses(ends, area):
    """Whether a line runs through an area: Liang and Barsky's clipping."""
    (x1, y1, x2, y2), low, high = ends, 0.0, 1.0
    for delta, near, far in ((x2 - x1, area[0] - x1, area[2] - x1), (y2 - y1, area[1] - y1, area[3] - y1)):
        if delta == 0:
            if near > 0 or far < 0:
                return False
            continue
        enter, leave = sorted((near / delta, far / delta))
        low, high = max(low, enter), min(high, leave)
    return low < high


def shrink(area, by):
    return area[0] + by, area[1] + by, area[2] - by, area[3] - by


def faults(picture):
    texts, boxes = picture['texts'], picture['boxes']
    frames = [box for box in boxes if box['empty']]
    devices = [box for box in boxes if not box['empty'] and box['visible']]
    if len(texts) < 3 or len(boxes) < 3 or not picture['lines']:
        yield 'there is nothing on it'
    for i, text in enumerate(texts):
        name, area = f'“{text["text"]}”', text['area']
        if text['size'] < 10:
            yield f'{name} is smaller than 10 points'
        if not inside(area, picture['page']):
            yield f'{name} leaves the page'
        if text['box'] and not inside(area, text['box']['area']):
            yield f'{name} leaves its box'
        yield from (f'{name} overlaps “{other["text"]}”' for other in texts[:i] if overlap(area, other['area'], 0.2))
        yield from (f'{name} overlaps a box that is not its own' for box in devices if box is not text['box'] and overlap(area, box['area'], 0.2))
        yield from (f'{name} is cut by a frame' for frame in frames if overlap(area, frame['area']) and not inside(area, frame['area'], 0))
        if text['box'] is None or not (text['box']['opaque'] or text['box']['down']):
            yield from (f'{name} is struck through by “{line["title"]}”' for line in picture['lines'] if crosses(line['ends'], area))
    for line in picture['lines']:
        if not (line['title'] or '').strip():
            yield 'a line does not say what it is'
        if line['title'] != 'down':
            yield from (f'“{line["title"]}” runs behind a box' for box in devices
                       if not box['hop'] and crosses(line['ends'], shrink(box['area'], 3)))


def touches(point, area, slack=2.5):
    """Whether a point lies on the edge of an area or within it."""
    return area[0] - slack <= point[0] <= area[2] + slack and area[1] - slack <= point[1] <= area[3] + slack


def loose_ends(picture):
    """Lines of which an end meets neither a box nor the next stretch of the same line."""
    devices = [box['area'] for box in picture['boxes'] if not box['empty'] and box['visible']]
    ends = [(line['title'], end) for line in picture['lines'] for end in (tuple(line['ends'][:2]), tuple(line['ends'][2:]))]
    joints = {end for end in ends if ends.count(end) > 1}
    for title, end in ends:
        if (title, end) not in joints and not any(touches(end, area) for area in devices):
            yield f'“{title}” ends nowhere'


# ---- the test ----

def draw(directory, design, options):
    path = os.path.join(source, design)
    if design in DESIGNS:
        path = os.path.join(directory, design + '.yaml')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(DESIGNS[design])
    run = subprocess.run([command, 'render', path, '--format', 'svg', *options], capture_output=True, text=True, timeout=60, check=False)
    return run.stdout, run.stderr


def report(number, name, found):
    for line in found[:12]:
        print('# ' + line)
    print(f'{"not ok" if found else "ok"} {number} - {name}')


def with_line(svg, y):
    """The first line moved to the height y of the page, across all of it."""
    return re.sub(r'(class="edge">.*?) d="[^"]*"', rf'\1 d="M0,{y} 900,{y}"', svg, count=1, flags=re.S)


def broken(svg):
    """Pictures that are wrong, and what must be found in each."""
    lines = svg.split('\n')
    title, group = (float(re.search(rf' y="([^"]*)"[^>]*font-weight="bold"[^>]*>{start}', svg).group(1)) - 4 for start in ('compute', 'gpu'))
    moved = [line.replace(' x="', ' x="1') if '>48 × 200G<' in line else line for line in lines]
    return [
        ('letters too large for their boxes', svg.replace('font-size="10.00"', 'font-size="16.00"'), 'leaves its box'),
        ('letters too small to read', svg.replace('font-size="10.00"', 'font-size="8.00"'), 'smaller than 10 points'),
        ('a text on another', re.sub(r'[^"]*(" y="[^"]*"[^>]*>storage ·)', r'200\1', svg), 'overlaps “compute · infiniband · 8 switches”'),
        ('a text off its box', '\n'.join(moved), '“48 × 200G” leaves its box'),
        ('a line behind boxes', with_line(svg, group), 'runs behind a box'),
        ('a title struck through', with_line(svg, title), 'is struck through'),
        ('a line that ends nowhere', with_line(svg, title), 'ends nowhere'),
        ('a line that says nothing', re.sub(r'xlink:title="[^"]*leaf1: 48 × 200G"', 'xlink:title=" "', svg), 'does not say what it is'),
    ]


def check(svg, error):
    if not svg:
        return [error.strip()]
    picture = read_svg(svg)
    return list(faults(picture)) + list(loose_ends(picture))


def check_broken(svg, expected):
    found = check(svg, '')
    return [] if any(expected in fault for fault in found) else [f'expected “{expected}”, got {found[:3]}']


def main():
    with tempfile.TemporaryDirectory() as directory:
        plan = draw(directory, PLAN, [])[0]
        mistakes = broken(plan)
        print(f'1..{len(mistakes) + len(PICTURES) + 1}')
        for number, (name, svg, expected) in enumerate(mistakes, 1):
            report(number, f'{name} would be found', check_broken(svg, expected))
        for number, (name, design, options) in enumerate(PICTURES, len(mistakes) + 1):
            report(number, f'texts and lines of {name} stand clear', check(*draw(directory, design, options)))
        width = float(re.search(r'<svg width="(\d+)pt"', plan).group(1))
        report(len(mistakes) + len(PICTURES) + 1, 'the plan is no wider than a screen', [] if width <= 1200 else [f'{width} points wide'])


main()
