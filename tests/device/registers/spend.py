"""Counts registers and loads under way in the listing of spend.cu: spend.py LISTING > ptxas-spend.csv"""
import re
import sys

kernels, registers, name = {}, {}, None
for line in open(sys.argv[1]):
    if found := re.search(r"Function :? ?_Z5spendILi(\d+)ELi(\d+)", line):
        name = int(found[1]), int(found[2])
    elif found := re.search(r"/\*([0-9a-f]{4,})\*/\s+(.*?);", line):
        kernels.setdefault(name, []).append((int(found[1], 16), found[2]))
    elif found := re.search(r"REG:(\d+)", line):
        registers[name] = int(found[1])

print("sums,loads,registers,named,under_way")
for name in sorted(kernels):
    code = kernels[name]
    begin, end = next((int(found[1], 16), at) for at, text in code
                      if (found := re.search(r"BRA.* 0x([0-9a-f]+)", text)) and int(found[1], 16) < at)
    under_way, most = set(), 0
    for at, text in code:
        if not begin <= at <= end:
            continue
        if found := re.match(r"(@\S+ )?LDG\S* (R\d+)", text):
            under_way.add(found[2])
            most = max(most, len(under_way))
        else:
            under_way -= set(re.findall(r"R\d+", text.partition(",")[2]))
    named = set(re.findall(r"\bR\d+", " ".join(text for _, text in code)))
    print(*name, registers[name], len(named), most, sep=",")
