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
        prof = [p for p in prof if p[0] < length - cap[0][0]] + [(length - back, r1 * share) for back, share in cap]
    v = [tuple(Vector(start) + d * s + a * (r * math.cos(t)) + b * (r * math.sin(t))) for s, r in prof for t in np.linspace(0, 2 * math.pi, seg, endpoint=False)]
    f = [(i * seg + k, i * seg + (k + 1) % seg, (i + 1) * seg + (k + 1) % seg, (i + 1) * seg + k) for i in range(len(prof) - 1) for k in range(seg)]
    return v, f


SKIN = .003                                      # the cloth of the simulation lies 4 mm above the mannequin
# ends: distances from the end and shares of the half width; three rows are the groove of a seam
HIPS = ((.080, 1), (.056, .992), (.037, .980), (.034, .960), (.031, .977), (.018, .955), (.008, .925), (.002, .885), (0, .84), (0, .02))
NECK_SEAM = ((.040, 1), (.037, .955), (.034, 1))
FORM_ARM = .62                                   # share of the mannequin's arm


def dome(height):
    """Returns the end of a neck or an arm."""
    return [(height * (1 - math.sin(t)), math.cos(t)) for t in np.linspace(0, 1.55, 9)]


def torso(rings, low, high):
    """Returns the torso of a form, whose hips end at `low` and whose neck ends at `high`."""
    def end(z, sign, ring, shape):
        return [(z + sign * back, (ring[1] - SKIN) * share, (ring[2] - SKIN) * share, ring[3]) for back, share in shape]
    hips = end(low, 1, rings[0], HIPS)
    neck = end(high, -1, rings[-1], [*NECK_SEAM, *dome(.026)])
    return loft([*hips[::-1], *((z, rx - SKIN, ry - SKIN, cy) for z, rx, ry, cy in rings if hips[0][0] + .01 < z < neck[0][0] - .01), *neck])


def form(g):
    """Returns the parts of a form for images: a torso from the neck to the hips, and two arms that
    end in the sleeves of a T-shirt."""
    rings = torso_rings(g)
    angle, length, r0, r1 = g['arm']
    return [torso(rings, -.112, rings[-1][0] - .044), *(arm(shoulder(g, sx), angle, length * FORM_ARM, r0 - SKIN, r1 - SKIN, cap=dome(r1)) for sx in (1, -1))]
