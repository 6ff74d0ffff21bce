"""Adds collar or hood, pocket, cords and thickness to a draped sweatshirt and renders it.

    blender -b -P fleece_shoot.py -- <sweat|hoodie> <front|back|front-wearing> <folder with fleece.npz> [pixels] [samples]     -> <folder>/<item>-<angle>/
"""
import os, sys
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
from common import *
from fleece import *
from mannequin import arm, dome, torso
from mathutils.bvhtree import BVHTree

name, angle, folder = arguments()[:3]
res, samples = (int(a) for a in (arguments()[3:5] or (1600, 24)))
view, worn = angle.split('-')[0], angle.endswith('-wearing')
scene = reset()
z = np.load(os.path.join(folder, 'fleece.npz'))
g = build()
faces, part, uv, number, xy = (g[k] for k in ('faces', 'part', 'uv', 'number', 'xy'))
co, used = settled(z['co'].astype(float), g, float(z['share'])), np.unique(faces)
turn = np.array([1, 1, 1]) if view == 'front' else np.array([-1, -1, 1])     # a back view turns the item, not the light

cloth_m = material('cloth', .9, .25, .6)
trim_m = material('trim', .9, .25, .6)          # tinted, never printed
cord_m = material('cord', .8, .2, .5)
metal_m = material('metal', .35, .5)              # tips, lacquered in the color of the item
body_m = material('body', .75, .15)
objects = []


def surface(name, v, f, u, part_id, mat, index=1, levels=1, thickness=None):
    """u: (x, y) per point."""
    u = np.asarray(u, float)[np.asarray([k for q in f for k in q])]
    o = mesh(name, v, f, uvs=u + [10 * part_id, 0], material=mat, index=index)
    if thickness:
        m = o.modifiers.new('thickness', 'SOLIDIFY')
        m.thickness, m.offset = thickness, 1
    m = o.modifiers.new('round', 'SUBSURF')
    m.render_levels, m.levels = levels, 0
    objects.append(o)
    return o


def grid_faces(rows, cols, wrap=False):
    n = np.arange(rows * cols).reshape(rows, cols)
    if wrap:
        n = np.vstack([n, n[:1]])
    return [tuple(q) for q in np.stack([n[:-1, :-1], n[1:, :-1], n[1:, 1:], n[:-1, 1:]], -1).reshape(-1, 4).tolist()]


def lengths(p):
    return np.concatenate([np.zeros((1, *p.shape[1:-1])), np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=-1), axis=0)])


def tube(path, radius, seg=12):
    """Returns points, faces, uvs (around, along in metres) of a tube with closed ends."""
    path = np.asarray(path, float)
    radius = np.broadcast_to(radius, len(path))
    s, v, u = lengths(path), [], []
    for k, p in enumerate(path):
        d = path[min(k + 1, len(path) - 1)] - path[max(k - 1, 0)]
        a = np.cross(d, [0, 1, .01])
        a /= np.linalg.norm(a)
        b = np.cross(d, a) / np.linalg.norm(d)
        for t in np.arange(seg) / seg * 2 * np.pi:
            v.append(p + radius[k] * (a * np.cos(t) + b * np.sin(t)))
            u.append((t / (2 * np.pi), s[k]))
    f = [(r * seg + k, r * seg + (k + 1) % seg, (r + 1) * seg + (k + 1) % seg, (r + 1) * seg + k) for r in range(len(path) - 1) for k in range(seg)]
    return v, f + [tuple(range(seg))[::-1], tuple(len(v) - seg + k for k in range(seg))], u


# --- the garment
new = np.full(len(co), -1)
new[used] = np.arange(len(used))
shirt = mesh('shirt', co[used], new[faces], uvs=(uv + np.stack([10 * part, 0 * part], 1)[:, None]).reshape(-1, 2), material=cloth_m, index=1)
shirt.data.materials.append(trim_m)
shirt.data.polygons.foreach_set('material_index', (part != (BACK if view == 'back' else FRONT)).astype(np.int32))
m = shirt.modifiers.new('thickness', 'SOLIDIFY')
m.thickness, m.offset = .003, -1
m = shirt.modifiers.new('round', 'SUBSURF')
m.render_levels, m.levels = 2, 0
objects.append(shirt)
tree = BVHTree.FromPolygons([Vector(q) for q in co[used].tolist()], [tuple(q) for q in new[faces].tolist()])
neck = co[number[NECK]]

if name == 'sweat':
    p, _ = collar(neck)
    columns, points = p.shape[:2]
    u = np.stack([np.broadcast_to(lengths(p[:, 10])[:, None], (columns, points)), lengths(p.transpose(1, 0, 2)).T], 2)
    surface('collar', p.reshape(-1, 3), grid_faces(columns, points, True), u.reshape(-1, 2), COLLAR_RIB, trim_m)
else:
    p, around, e = hood(neck)
    columns, points = p.shape[:2]
    edge = points * 5 // 9                                  # the fold of the edge; v = distance from it, positive outside
    across = lengths(p.transpose(1, 0, 2)).T
    u = np.stack([np.broadcast_to(lengths(p[:, edge])[:, None], (columns, points)), across[:, edge:edge + 1] - across], 2)
    caps = [tuple(range(points)), tuple((columns - 1) * points + k for k in range(points))[::-1]]
    surface('hood', p.reshape(-1, 3), grid_faces(columns, points) + caps, u.reshape(-1, 2), HOOD_PART, trim_m)
    hood_tree = BVHTree.FromPolygons([Vector(q) for q in p.reshape(-1, 3).tolist()], grid_faces(columns, points))


def front_of(x, height):
    """Returns the frontmost y of the garment."""
    hits = [t.ray_cast(Vector((x, -1, height)), Vector((0, 1, 0)))[0] for t in (tree, hood_tree)]
    return min(h[1] for h in hits if h)


# --- kangaroo pocket: the cloth below it, lifted; open along the slanted sides
if name == 'hoodie' and view == 'front':
    lo, hi = RIB, ARMPIT
    columns = np.r_[90:120, 0:31]
    patch, flat = co[number[lo:hi + 1][:, columns]], xy[0, lo:hi + 1]
    rows, cols = 56, 96
    s, t = np.meshgrid(np.linspace(0, 1, cols + 1), np.linspace(0, 1, rows + 1))
    y = POCKET['bottom'] + (POCKET['top'] - POCKET['bottom']) * t
    slant = np.clip((y - POCKET['side']) / (POCKET['top'] - POCKET['side']), 0, 1)
    x = (POCKET['half'] + (POCKET['top_half'] - POCKET['half']) * slant ** 1.1) * (2 * s - 1)
    r = np.interp(y, flat[:, 30, 1], np.arange(len(flat)))
    c = 30 + x / np.interp(r, np.arange(len(flat)), np.gradient(flat[..., 0], axis=1)[:, 30])
    v = np.zeros((*x.shape, 3))
    for k in range(3):                              # bicubic: rows first, then columns
        for dr in range(-1, 3):
            for dc in range(-1, 3):
                ri, ci = np.floor(r).astype(int), np.floor(c).astype(int)
                wr, wc = (np.select([d == -1, d == 0, d == 1, d == 2], [-.5 * f ** 3 + f ** 2 - .5 * f, 1.5 * f ** 3 - 2.5 * f ** 2 + 1, -1.5 * f ** 3 + 2 * f ** 2 + .5 * f, .5 * f ** 3 - .5 * f ** 2])
                          for d, f in ((dr, r - ri), (dc, c - ci)))
                v[..., k] += wr * wc * patch[np.clip(ri + dr, 0, len(patch) - 1), np.clip(ci + dc, 0, 60), k]
    for _ in range(8):                              # the double cloth does not follow small folds
        v[1:-1, 1:-1] = v[1:-1, 1:-1] * .2 + .2 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:])
    normal = np.cross(np.gradient(v, axis=1), np.gradient(v, axis=0))
    normal /= np.linalg.norm(normal, axis=2)[..., None]
    sewn = np.minimum((1 - t) / .12, t / .12).clip(0, 1)
    side = np.minimum(s, 1 - s) / .10                                               # 0 at the sides
    loose = np.clip(slant / .2, 0, 1)
    loose = loose * loose * (3 - 2 * loose)
    sewn = np.minimum(sewn, side.clip(0, 1) * (1 - loose) + loose)
    lift = .0012 + (.0055 + .006 * np.exp(-(side / .6) ** 2) * loose) * np.sin(sewn * np.pi / 2)
    v += lift[..., None] * normal
    o = surface('pocket', v.reshape(-1, 3), grid_faces(rows + 1, cols + 1), np.stack([x, y], 2).reshape(-1, 2), POCKET_PART, trim_m, thickness=.0026)
    if (np.array([q.normal for q in o.data.polygons])[:, 1].mean()) > 0:
        o.data.flip_normals()

# --- cords: from eyelets at the front of the hood, above the print
if name == 'hoodie' and view == 'front':
    for side, length, bow in ((1, .088, .007), (-1, .079, .010)):
        k = np.argmin(np.abs(e - (OVERLAP + .40)) + 10 * ((around < np.pi) != (side > 0)))
        spot = p[k, points // 5]
        down = np.linspace(.05, 1, 40)
        path = np.stack([spot[0] + side * (.006 * down + bow * np.sin(2.6 * down)), 0 * down, spot[2] - length * down], 1)
        path[:, 1] = [front_of(x, height) - .0034 for x, _, height in path]
        tight = path[:, 1].copy()
        for _ in range(60):                                       # a cord bridges dips and does not enter the cloth
            path[1:-1, 1] = path[1:-1, 1] * .5 + (path[:-2, 1] + path[2:, 1]) * .25
            path[:, 1] = np.minimum(path[:, 1], tight)
        out = np.array([0, -1, .15])
        path = np.vstack([spot + [0, .004, .001], (spot[0], front_of(*spot[[0, 2]]) - .0025, spot[2]), path])
        surface('cord', *tube(path, .0030), CORD, cord_m)
        surface('tip', *tube(path[-1] + np.linspace(0, .017, 8)[:, None] * (path[-1] - path[-4]) / np.linalg.norm(path[-1] - path[-4]), np.array([.0032, .0036, .0036, .0035, .0034, .0034, .0033, .0026])), METAL, metal_m)
        ring = np.array([(spot[0] + .0052 * np.cos(t), 0, spot[2] + .0052 * np.sin(t)) for t in np.linspace(0, 2 * np.pi, 33)])
        ring[:, 1] = [front_of(q[0], q[2]) - .0006 for q in ring]
        surface('eyelet', *tube(ring, .0013, 8), CORD, cord_m)

# --- the form that wears the garment
if worn:
    v, f = torso(BODY, -.145, .80)
    surface('body', v, f, np.zeros((len(v), 2)), FORM, body_m, index=2)
    for side in (1, -1):
        v, f = arm(JOINT * [side, 1, 1], RAISED, ARM - .03, .045, .026, cap=dome(.026))
        surface('body', pose(np.array(v), side), f, np.zeros((len(v), 2)), FORM, body_m, index=2)

for o in objects:
    o.data.transform(Matrix.Diagonal((*turn, 1)))
bottom, top = co[used, 2].min(), co[used, 2].max()
size = (top - bottom) / .72
wall = studio((0, 0, (top + bottom) / 2), .22 + .13 * size)
camera_fit(objects, 3.2, .06, .84 if worn else .80)
out = os.path.join(folder, f'{name}-{angle}')
render(out, wall, res, samples, adaptive=.04)
mask(out, {'cloth': (1, 1, 0), 'trim': (1, 0, 0), 'cord': (1, 0, 0), 'metal': (1, 0, 0), 'body': (0, 0, 1)}, samples=32)
