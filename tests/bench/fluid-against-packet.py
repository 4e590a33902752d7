#!/usr/bin/env python3
"""Writes the table “fluid against packet” into docs/validation.md: fluid-against-packet.py FABSIM SOURCE.

Each scenario is a design, a workload and settings; both engines run it, and the gap is packet over fluid less one.
"""
import json
import os
import subprocess
import sys

command, source = sys.argv[1], sys.argv[2]
CLAIMS = 'examples/claims/'
BEGIN, END = '<!-- fluid against packet: begin -->', '<!-- fluid against packet: end -->'

# name, design, workload, settings, the reason of a gap
SCENARIOS = [
    ('shift within rails', CLAIMS + 'oversubscription.yaml', 'same-rail', [], ''),
    ('shift across rails, 1.5:1', CLAIMS + 'oversubscription.yaml', 'cross-rail', [], ''),
    ('shift across rails, adaptive', CLAIMS + 'oversubscription-adaptive.yaml', 'cross-rail', [], 'adaptive'),
    ('all to all the others, 1.5:1', CLAIMS + 'oversubscription.yaml', 'uniform', [], 'order'),
    ('random pairs, 1.5:1', CLAIMS + 'oversubscription.yaml', 'pairs', [], 'blocked'),
    ('random pairs, adaptive', CLAIMS + 'oversubscription-adaptive.yaml', 'pairs', [], 'adaptive'),
    ('all-to-all over spines', CLAIMS + 'alltoall-leaf-spine.yaml', 'across', [], 'order'),
    ('all-to-all along rails', CLAIMS + 'alltoall-rail-only.yaml', 'along-rails', [], ''),
    ('hierarchical all-reduce, aligned', CLAIMS + 'numa.yaml', 'near', [], ''),
    ('hierarchical all-reduce, misaligned', CLAIMS + 'numa.yaml', 'far', [], ''),
    ('hierarchical all-reduce, by modulo', CLAIMS + 'rail-mapping.yaml', 'by-number', [], ''),
    ('flat ring, 96 GPUs', CLAIMS + 'oversubscription.yaml', 'ring', ['workloads.ring={collective: allreduce, algorithm: ring, bytes: 16MiB}'], ''),
    ('incast of 95 to one', CLAIMS + 'oversubscription.yaml', 'incast', ['workloads.incast={pattern: incast, bytes: 1MiB}'], 'incast'),
    ('checkpoint to two servers', CLAIMS + 'storage-where.yaml', 'own-plane', [], ''),
]

REASONS = {
    'adaptive': 'queues choose: the fluid engine deals packets out evenly, a grade of local queues does not',
    'order': 'each GPU has a flow to every other: queues fill where several meet for a while and others behind them wait',
    'blocked': 'packets that wait for a full link hold up those behind them for others: a congestion tree',
    'incast': 'the receiver’s rail port idles now and then while inputs take turns; not traced further',
    '': 'short runs: the first packet’s way and the last one’s queue count',
}


def run(design, workload, settings, engine):
    options = [part for setting in settings for part in ('--set', setting)]
    result = subprocess.run([command, 'run', os.path.join(source, design), workload, '--engine', engine, '--no-ranges', '--format', 'json', *options],
                            capture_output=True, text=True, check=True)
    return json.loads(result.stdout)['workloads'][workload]


def rows():
    yield '| scenario | fluid | packet | gap | fluid calls itself blind | why |'
    yield '|---|---|---|---|---|---|'
    for name, design, workload, settings, reason in SCENARIOS:
        fluid, packet = run(design, workload, settings, 'fluid'), run(design, workload, settings, 'packet')
        gap = 100 * (packet['time_ns'] / fluid['time_ns'] - 1)
        blind = ', '.join(spot['kind'] for spot in fluid.get('blind', [])) or '–'
        why = REASONS[reason] if abs(gap) > 1 else '–'
        yield f'| {name} | {fluid["time_ns"] / 1e3:.1f} µs | {packet["time_ns"] / 1e3:.1f} µs | {gap:+.1f} % | {blind} | {why} |'


def main():
    page = os.path.join(source, 'docs', 'validation.md')
    text = open(page, encoding='utf-8').read()
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    open(page, 'w', encoding='utf-8').write(head + BEGIN + '\n' + '\n'.join(rows()) + '\n' + END + tail)


main()
