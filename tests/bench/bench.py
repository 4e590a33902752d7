#!/usr/bin/env python3
"""Prints the figures that docs and issues quote: bench.py FABSIM SOURCE. Whole processes, median of five; nothing fails by the clock."""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

command, source = sys.argv[1:3]
plan = os.path.join(source, 'examples', 'l40s-384.yaml')

K32 = """fabsim: 1
models: {r32: {kind: switch, summary: radix 32, protocols: [infiniband], speed: HDR, speeds: [HDR], ports: 32, latency: 130ns}}
nodes: {h: {type: host-1nic, count: 8192}}
planes:
  compute:
    link: infiniband
    topology: {family: fat-tree, tiers: 3, leaf: r32, spine: r32, core: r32}
    host_link: {speed: HDR}
    uplink: {speed: HDR}
"""
PERMUTATION = K32 + """    subnet: {routing: {engine: ftree}}
workloads: {permutation: {pattern: permutation, bytes: 2MiB}}
"""
ALL_TO_ALL = K32.replace('ports: 32', 'ports: 16').replace('8192', '1024') + """    subnet: {routing: {engine: ftree}}
workloads: {alltoall: {collective: alltoall, bytes: 64MiB}}
"""


def median_seconds(*arguments):
    def once():
        start = time.monotonic()
        subprocess.run([command, *arguments], stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - start
    once()
    return statistics.median(once() for _ in range(5))


def main():
    with tempfile.TemporaryDirectory() as work:
        tree, picture = os.path.join(work, 'k32.yaml'), os.path.join(work, 'fabric.svg')
        permutation, all_to_all = os.path.join(work, 'permutation.yaml'), os.path.join(work, 'all-to-all.yaml')
        for path, text in ((tree, K32), (permutation, PERMUTATION), (all_to_all, ALL_TO_ALL)):
            open(path, 'w', encoding='utf-8').write(text)
        rows = [
            ('run of the plan, all workloads', median_seconds('run', plan)),
            ('run of the plan, the main job', median_seconds('run', plan, 'gradients')),
            ('report of the plan with its diagram', median_seconds('report', plan, '--diagram', picture)),
            ('ring of 384 ranks by steps, 294,144 transfers', median_seconds('run', plan, 'flat', '--no-ranges', '--set', 'workloads.flat.form=steps')),
            ('three-tier k = 32 routed, and a random permutation of 2 MiB a host', median_seconds('run', permutation, '--no-ranges')),
            ('three-tier k = 16, direct all-to-all of 1,024 ranks', median_seconds('run', all_to_all, '--no-ranges')),
            ('what-if of the plan: the main job with a spine down', median_seconds('run', plan, 'gradients', '--no-ranges', '--fail', 'compute/spine1')),
            ('picture of k = 32 as SVG', median_seconds('render', tree, '-o', picture)),
            ('picture of k = 32 as PNG', median_seconds('render', tree, '-o', os.path.join(work, 'fabric.png'))),
            ('three-tier k = 32 routed by ftree and proved (1,280 switches)', median_seconds('route', tree, '--routing', 'ftree')),
            ('three-tier k = 32 built and counted (8,192 hosts)', median_seconds('show', tree)),
        ]
        for name, seconds in rows:
            print(f'{seconds * 1000:9.1f} ms  {name}')
    print(f'{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:9.1f} MiB largest process')


main()
