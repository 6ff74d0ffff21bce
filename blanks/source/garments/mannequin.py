"""The mannequin that garments are draped on (metres): invisible in most images, a form in
matte gray in those of the worn garment.
"""
import math
import numpy as np
from mathutils import Vector


def loft(rings, seg=48):
    v, f = [], []
    for z, rx, ry, cy in rings:
        for t in np.linspace(0, 2 * math.pi, seg, endpoint=False):
            c, s = math.cos(t), math.sin(t)
            v.append((rx * math.copysign(abs(c) ** .85, c), cy + ry * math.copysign(abs(s) ** .85, s), z))
    for r in range(len(rings) - 1):
        for k in range(seg):
            a, b = r * seg + k, r * seg + (k + 1) % seg
            f.append((a, b, b + seg, a + seg))
    return v, f


def torso_rings(g):
    """Returns the rings (height, half width, half depth, shift to the back) from hip to neck."""
    dz = g['top'] - .722
    wide = (g['shoulder'][0] + .02) / .244
    rings = [(-.20, .176, .108, .0), (.0, .174, .106, .0), (.1, .168, .101, .0), (.22, .162, .097, .0), (.34, .161, .097, -.002), (.44, .164, .100, -.004), (.52, .170, .100, -.004),
             (.565, .172, .092, .0), (.595, .168, .080, .003), (.617, .156, .068, .006), (.636, .132, .060, .009), (.652, .104, .055, .01), (.672, .076, .052, .01), (.70, .058, .05, .008), (.80, .055, .052, -.005)]
    return [(z + dz if z > 0 else z, rx * (1 + (wide - 1) * .6), ry, cy) for z, rx, ry, cy in rings]


def shoulder(g, sx):
    """Returns the start of an arm. sx: 1 or -1."""
    return (sx * (.15 + .6 * (g['shoulder'][0] - .224)), .004, .595 + g['top'] - .722)


def arm(start, angle, length, r0, r1, seg=24, cap=()):
    """Creates a capsule that hangs from `start`, `angle` degrees below the horizontal (start.x > 0:
    to the right). cap: distances from its end and shares of its radius, of an end that is not
    open."""
    sx = math.copysign(1, start[0])
    d = Vector((sx * math.cos(math.radians(angle)), 0, -math.sin(math.radians(angle))))
    a = Vector((0, 1, 0))
    b = d.cross(a)
    prof = [(-r0 * math.cos(t), r0 * math.sin(t)) for t in np.linspace(.05, math.pi / 2, 6)]
    prof += [(length * s, r0 + (r1 - r0) * s) for s in np.linspace(0, 1, 22)[1:]]
    if cap:
        prof[-1:] = [(length - back, r1 * share) for back, share in cap]
    v = [tuple(Vector(start) + d * s + a * (r * math.cos(t)) + b * (r * math.sin(t))) for s, r in prof for t in np.linspace(0, 2 * math.pi, seg, endpoint=False)]
    f = [(i * seg + k, i * seg + (k + 1) % seg, (i + 1) * seg + (k + 1) % seg, (i + 1) * seg + k) for i in range(len(prof) - 1) for k in range(seg)]
    return v, f


SKIN = .003                                      # the cloth of the simulation lies 4 mm above the mannequin
CUT = ((.010, 1), (.004, .985), (.001, .94), (0, .87), (0, .02))      # rounded edge of neck, arms and hips
BELOW_SLEEVE = .075                              # visible length of the arms of a T-shirt


def form(g):
    """Returns the parts of a form for images: a torso from the neck to the hips, and two arms."""
    rings = torso_rings(g)
    low, neck = rings[0], rings[-1]
    ends = [], []
    for z, ring, part, sign in ((-.085, low, 0, 1), (neck[0] - .048, neck, 1, -1)):
        for back, share in CUT:
            ends[part].append((z + sign * back, (ring[1] - SKIN) * share, (ring[2] - SKIN) * share, ring[3]))
    between = [(z, rx - SKIN, ry - SKIN, cy) for z, rx, ry, cy in rings if -.05 < z < neck[0] - .06]
    angle, length, r0, r1 = g['arm']
    arms = [arm(shoulder(g, sx), angle, length + BELOW_SLEEVE, r0 - SKIN, r1 - SKIN, cap=CUT) for sx in (1, -1)]
    return [loft(ends[0][::-1] + between + ends[1]), *arms]
