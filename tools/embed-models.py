#!/usr/bin/env python3
"""Writes the texts of models/ as one C file: embed-models.py OUT ROOT FILE..."""
import os
import sys

out, root, *files = sys.argv[1:]
with open(out, 'w', encoding='utf-8') as c:
    c.write('/* generated: the texts of models/ */\n#include "catalog/fab-part-private.h"\n\n')
    names = []
    for i, path in enumerate(files):
        data = open(path, 'rb').read()
        c.write(f'static const char text_{i}[] = {{\n')
        for at in range(0, len(data), 24):
            c.write('  ' + ' '.join(f'{b if b < 128 else b - 256},' for b in data[at:at + 24]) + '\n')
        c.write('  0 };\n')
        names.append((os.path.relpath(path, root), i, len(data)))
    c.write('\nconst FabModelText fab__model_texts[] = {\n')
    for name, i, size in names:
        c.write(f'  {{ "{name}", text_{i}, {size} }},\n')
    c.write('  { NULL, NULL, 0 },\n};\n')
