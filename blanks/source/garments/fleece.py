"""Sweatshirt and hoodie (metres, numpy only): rest shape, pose, collar, hood and print areas, shared by
simulation, render and layers.

The rest shape is one mesh of quads, with raised arms and more cloth than the mannequin needs. Its torso is
a grid of rings (column 0 = middle of the front, then to the right); each sleeve starts at a hole of the grid.
"""
import numpy as np

COLS, SIDE, HALF = 120, 30, 5                       # columns around the torso, of the right side, of half a hole
RIB, ARMPIT, SHOULDER, NECK = 7, 50, 69, 81         # rows
SLEEVE, CUFF = 60, 7                                # rows of a sleeve, of them rib
HEM = -.036                                         # height
JOINT, ELBOW, WRIST, ARM = np.array([.168, 0, .549]), .31, .568, .634     # shoulder joint; distances along the arm of elbow, cuff and its end
RAISED, LOWERED, BEND = 52, 70, 9                   # degrees below the horizontal; bend of the elbow
RISE, PUSH = .014, .030                             # of the hem's and the cuffs' ribs, for folds above them
SHARE = .85                                         # of the simulated folds in the result
FRONT, BACK, HEM_RIB, SLEEVES, CUFF_RIB, COLLAR_RIB, HOOD_PART, POCKET_PART, CORD, METAL, FORM = range(11)    # parts

# torso: height, half width, half depth, shift to the back
REST = np.array([(-.1, .226, .097, 0), (.014, .229, .098, 0), (.026, .231, .100, 0), (.036, .241, .107, 0), (.075, .247, .111, 0), (.22, .246, .110, 0), (.40, .247, .108, -.002), (.48, .244, .103, -.002),
                 (.54, .235, .097, .0), (.58, .219, .089, .003), (.605, .198, .081, .006), (.625, .174, .075, .008), (.643, .148, .069, .010), (.659, .125, .065, .010),
                 (.672, .107, .062, .010), (.684, .091, .060, .009), (.70, .076, .058, .007), (.76, .060, .055, .0)])
# sleeve: distance along the arm, radius
TUBE = np.array([(0, .083), (.06, .078), (.12, .072), (.20, .067), (.32, .060), (.44, .053), (.54, .048), (.560, .045), (.568, .037), (.7, .034)])

# the mannequin: as REST
BODY = [(-.24, .196, .094, 0), (-.04, .200, .094, 0), (.05, .202, .096, 0), (.22, .204, .098, 0), (.40, .212, .097, -.002), (.48, .213, .093, -.002), (.54, .208, .088, 0), (.58, .197, .081, .003),
        (.605, .182, .074, .006), (.625, .160, .068, .008), (.643, .136, .060, .010), (.659, .110, .056, .010), (.672, .091, .053, .010), (.69, .072, .051, .009), (.71, .060, .050, .008), (.80, .056, .052, -.004)]
POCKET = dict(half=.160, top_half=.106, bottom=.066, side=.120, top=.262)
# left, bottom, width and height on the garment
PRINT = {'sweat': dict(front=(-.15, .227, .30, .38), back=(-.15, .275, .30, .38)),
         'hoodie': dict(front=(-.14, .303, .28, .24), back=(-.15, .201, .30, .40))}


def at(table, s):
    return [np.interp(s, table[:, 0], table[:, k]) for k in range(1, table.shape[1])]


def axis(angle):
    return np.array([np.cos(np.radians(angle)), 0, -np.sin(np.radians(angle))])


def field(p):
    """Returns the approximate distance from the rest shape: a torso and two tubes, joined by a fillet."""
    p = p * np.where(p[:, :1] < 0, [[-1, 1, 1]], 1)
    a, b, cy = at(REST, p[:, 2])
    n = np.interp(p[:, 2], [.5, .65], [2.5, 2.1])
    torso = (((np.abs(p[:, 0]) / a) ** n + (np.abs(p[:, 1] - cy) / b) ** n) ** (1 / n) - 1) * b
    d = axis(RAISED)
    s = (p - JOINT) @ d
    tube = np.linalg.norm(p - JOINT - np.clip(s, 0, None)[:, None] * d, axis=1) - at(TUBE, s)[0]
    k = .045
    h = np.clip(.5 + .5 * (tube - torso) / k, 0, 1)
    return tube * (1 - h) + torso * h - k * h * (1 - h)


def project(p):
    """Moves points to the rest shape."""
    for _ in range(2):
        f, e = field(p), 1e-4
        g = np.stack([field(p + d) - field(p - d) for d in np.eye(3) * e], 1) / (2 * e)
        p = p - np.clip(f / np.maximum((g * g).sum(1), .1), -.03, .03)[:, None] * g
    return p


def neck_loop(columns):
    """Returns points of the neck seam."""
    t = np.asarray(columns) * 2 * np.pi / COLS
    front, back = np.clip(np.cos(t), 0, 1), np.clip(-np.cos(t), 0, 1)
    p = np.stack([.093 * np.sin(t), .008 - .076 * np.cos(t), .679 - .072 * front ** 1.4 + .014 * back ** 1.6], 1)
    return np.column_stack([p[:, 0], project(p)[:, 1:]])


def ring(z):
    """Returns COLS points, evenly spaced along the outline of the torso at height z."""
    a, b, cy = (float(v) for v in at(REST, z))
    t = np.linspace(0, 2 * np.pi, 2001)
    c, s, n = -np.cos(t), np.sin(t), 2.5
    x, y = a * np.sign(s) * np.abs(s) ** (2 / n), cy + b * np.sign(c) * np.abs(c) ** (2 / n)
    d = np.concatenate([[0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    q = np.linspace(0, d[-1], COLS + 1)[:-1]
    return np.stack([np.interp(q, d, x), np.interp(q, d, y), np.full(COLS, z)], 1)


def build():
    """Returns the rest shape: points `p`, `faces`, their `part`, the point on the garment of each of their
    corners (`uv`) and of the grid's front and back (`xy`), and the numbers of the points per row of the
    torso (`number`) and the `sleeves` (row 0: the hole)."""
    z = np.concatenate([np.linspace(HEM, HEM + .062, RIB + 1), np.linspace(HEM + .062, .42, ARMPIT - RIB + 1)[1:]])
    torso = np.zeros((NECK + 1, COLS, 3))
    for r in range(ARMPIT + 1):
        torso[r] = ring(z[r])
    c = np.arange(COLS)
    t = np.where(c <= 60, c, c - 120)
    u = np.clip((np.minimum(abs(t), 60 - abs(t)) / (SIDE - HALF)), 0, 1)            # 0 in the middle of front and back, 1 at the sleeve
    depth = np.where(u < 1, -.09 * np.cos(u * np.pi / 2 * .8) * np.where(abs(t) < 30, 1, -1), (abs(t) - 30) / HALF * .03)
    torso[SHOULDER] = np.stack([np.sign(t) * .216 * np.sin(u * np.pi / 2), depth, np.where(abs(t) < 30, .555, .60) * (1 - u ** 2) + .64 * u ** 2], 1)
    torso[NECK] = neck_loop(c)
    for lo, hi in ((ARMPIT, SHOULDER), (SHOULDER, NECK)):
        for r in range(lo + 1, hi):
            k = (r - lo) / (hi - lo)
            torso[r] = torso[lo] * (1 - k) + torso[hi] * k
    number = np.arange(torso[..., 0].size).reshape(NECK + 1, COLS)
    p = torso.reshape(-1, 3)
    lo, hi = SIDE - HALF, SIDE + HALF
    hole = [(ARMPIT, k) for k in range(lo, hi)] + [(r, hi) for r in range(ARMPIT, SHOULDER)] + [(SHOULDER, k) for k in range(hi, lo, -1)] + [(r, lo) for r in range(SHOULDER, ARMPIT, -1)]
    around = len(hole)
    d = axis(RAISED)
    up = np.array([-d[2], 0, d[0]])                                                # across the arm, away from the torso
    s = np.concatenate([np.linspace(.03, WRIST, SLEEVE - CUFF + 1), np.linspace(WRIST, ARM, CUFF + 1)[1:]])[1:]
    turn = (np.arange(around) - HALF) / around * 2 * np.pi                          # from the armpit to the back
    tube = JOINT + s[:, None, None] * d + at(TUBE, s)[0][:, None, None] * (-np.cos(turn)[:, None] * up + np.sin(turn)[:, None] * [0, 1, 0])
    sleeves, points, faces, part, place = [], [p], [], [], []
    for side in (1, -1):
        start = np.array([number[r, k if side > 0 else -k % COLS] for r, k in hole])
        base = sum(map(len, points))
        t = np.clip(np.arange(1, SLEEVE + 1) / 18, 0, 1)[:, None, None]                 # from the hole to the round tube
        points.append((p[start] * (1 - t) + (tube * [side, 1, 1])[np.maximum(np.arange(SLEEVE), 17)] * t).reshape(-1, 3))
        sleeves.append(np.vstack([start, base + np.arange(SLEEVE * around).reshape(SLEEVE, around)]))
    p = np.vstack(points)
    for r in range(NECK):
        for k in range(COLS):
            if ARMPIT <= r < SHOULDER and any(abs(k + .5 - m) < HALF for m in (SIDE, COLS - SIDE)):
                continue
            faces.append((number[r, k], number[r, (k + 1) % COLS], number[r + 1, (k + 1) % COLS], number[r + 1, k]))
            part.append(HEM_RIB if r < RIB else BACK if 30 <= k < 90 else FRONT)
            place.append([(r, k), (r, k + 1), (r + 1, k + 1), (r + 1, k)])
    torso_faces = len(faces)
    for m, sleeve in enumerate(sleeves):
        for r in range(SLEEVE):
            for k in range(around):
                q = [(r, k), (r, k + 1), (r + 1, k + 1), (r + 1, k)]
                faces.append(tuple(sleeve[a, b % around] for a, b in (q[::-1] if m else q)))
                part.append(SLEEVES if r < SLEEVE - CUFF else CUFF_RIB)
                place.append(q[::-1] if m else q)
    # even spacing on the rest shape; the lower torso, the neck and the cuffs stay
    fixed = np.zeros(len(p), bool)
    fixed[number[:ARMPIT - 12].ravel()] = fixed[number[NECK]] = True
    for sleeve in sleeves:
        fixed[sleeve[SLEEVE - CUFF:].ravel()] = True
    edges = np.unique(np.sort(np.array([(f[k], f[k - 1]) for f in faces for k in range(4)]), 1), axis=0)
    i, j = np.vstack([edges, edges[:, ::-1]]).T
    count = np.maximum(np.bincount(i, minlength=len(p)), 1)             # the points inside the holes are not used
    free = np.where(~fixed)[0]
    seam = np.concatenate([s[0] for s in sleeves])
    for k in range(400):
        mean = np.stack([np.bincount(i, p[j, m], len(p)) for m in range(3)], 1) / count[:, None]
        p[free] += .7 * (mean - p)[free]
        for s in sleeves:
            p[s[0]] = .5 * p[s[0]] + .25 * (np.roll(p[s[0]], 1, 0) + np.roll(p[s[0]], -1, 0))       # without the corners of the hole
        p[seam, 0] = np.sign(p[seam, 0]) * (.217 + .35 * np.clip(.53 - p[seam, 2], 0, 1) ** 2)      # the seam of a sleeve is nearly upright
        if k % 4 == 3:
            p[free] = project(p[free])
    grid, tubes = p[number], [p[s] for s in sleeves]
    # garment coordinates: metres from the middle of the front or back, height; around and along a sleeve
    x = np.zeros((NECK + 1, COLS + 1))
    x[:, 1:] = np.cumsum(np.linalg.norm(np.roll(grid, -1, 1) - grid, axis=2), axis=1)
    y = np.vstack([np.zeros(COLS), np.cumsum(np.linalg.norm(np.diff(grid, axis=0), axis=2), axis=0)])
    for m in (SIDE, COLS - SIDE):                                                       # above the holes
        k = np.arange(m - HALF + 1, m + HALF)
        y[SHOULDER:, k] += np.linspace(y[SHOULDER, m - HALF], y[SHOULDER, m + HALF], len(k) + 2)[1:-1] - y[SHOULDER, k]
    y = np.hstack([y, y[:, :1]])
    uv = []
    along = [np.vstack([np.zeros(around), np.cumsum(np.linalg.norm(np.diff(t, axis=0), axis=2), axis=0)]).mean(1) for t in tubes]
    for f, (kind, q) in enumerate(zip(part, place)):
        for r, k in q:
            if f < torso_faces:
                middle = 60 if 30 <= q[0][1] < 90 else 120 if q[0][1] >= 90 else 0
                uv.append((x[r, k] - x[r, middle], y[r, k]))
            else:
                m = int(f >= torso_faces + SLEEVE * around)
                wide = 2 * np.pi * np.interp(along[m][r], [0, along[m][-1]], [.08, .034])
                uv.append(((k / around - .5) * (wide if kind == SLEEVES else .22), along[m][r]))
    return dict(p=p, faces=np.array(faces), part=np.array(part), uv=np.array(uv).reshape(-1, 4, 2), number=number, sleeves=np.array(sleeves),
                xy=np.stack([np.stack([np.hstack([x[:, 90:] - x[:, -1:], x[:, 1:31]]), np.hstack([y[:, 90:], y[:, 1:31]])], 2), np.stack([x[:, 30:91] - x[:, 60:61], y[:, 30:91]], 2)]))


def turned(p, centre, across, degrees):
    """Rotates points around an axis, each by its own angle."""
    a = np.asarray(across, float) / np.linalg.norm(across)
    q, t = p - centre, np.radians(degrees)
    t = np.broadcast_to(t, len(p))[:, None]
    return centre + q * np.cos(t) + np.cross(a, q) * np.sin(t) + a * (q @ a)[:, None] * (1 - np.cos(t))


def pose(p, side, share=1.0):
    """Lowers points of an arm and bends its elbow. side: 1 or -1; share: of the way."""
    p = p * [side, 1, 1]
    d = axis(RAISED)
    s = (p - JOINT) @ d
    low = share * (LOWERED - RAISED + side * 1.0)
    fore = np.clip((s - ELBOW + .07) / .14, 0, 1)
    fore = fore * fore * (3 - 2 * fore) * share
    p = turned(p, JOINT + d * ELBOW, (0, 1, 0), fore * BEND)
    p = turned(p, JOINT + d * ELBOW, (d[2], 0, -d[0]), -fore * 9)
    return turned(p, JOINT, (0, 1, 0), low) * [side, 1, 1]


def posed(g):
    """Returns the rest shape with lowered arms and raised ribs, without folds."""
    p, number = g['p'].copy(), g['number']
    for r in range(ARMPIT):
        p[number[r], 2] += RISE * (1 - max(0, r - RIB) / (ARMPIT - RIB))
    for side, sleeve in zip((1, -1), g['sleeves']):
        for r in range(1, SLEEVE + 1):
            w = min(1, r / 20)
            p[sleeve[r]] = pose(p[sleeve[r]] - np.array([side, 1, 1]) * axis(RAISED) * PUSH * min(1, r / (SLEEVE - CUFF)), side, w * w * (3 - 2 * w))
    return p


def apart(co, g):
    """Moves the sides of the torso out of the sleeves that hang beside it."""
    co, rows = co.copy(), g['number'][:ARMPIT - 4]
    for sleeve in g['sleeves']:
        middle = co[sleeve[14:]].mean(1)
        radius = np.linalg.norm(co[sleeve[14:]] - middle[:, None], axis=2).mean(1) + .002
        p = co[rows]
        near = np.abs(p[:, :, None, 2] - middle[:, 2]).argmin(2)
        d = (p - middle[near])[..., :2]
        far = np.linalg.norm(d, axis=2)
        push = np.clip(radius[near] - far, 0, None) * np.clip((ARMPIT - 4 - np.arange(len(rows))) / 8, 0, 1)[:, None]
        co[rows, :2] += d / np.maximum(far, 1e-4)[..., None] * push[..., None]
    return co


def settled(co, g, share, rounds=30):
    """Returns a drape without its small creases, `share` of the way from the posed shape: fleece is stiffer
    than cloth that a simulation of this mesh can fold."""
    edges = np.unique(np.sort(np.array([(f[k], f[k - 1]) for f in g['faces'] for k in range(4)]), 1), axis=0)
    i, j = np.vstack([edges, edges[:, ::-1]]).T
    count = np.maximum(np.bincount(i, minlength=len(co)), 1)[:, None]
    still = np.concatenate([g['number'][NECK], g['number'][:RIB].ravel(), *(s[SLEEVE - CUFF + 1:].ravel() for s in g['sleeves'])])
    for k in range(rounds):                      # every second step goes back: does not shrink
        step = (np.stack([np.bincount(i, co[j, m], len(co)) for m in range(3)], 1) / count - co) * (.5 if k % 2 == 0 else -.47)
        step[still] = 0
        co = co + step
    rest = posed(g)
    return apart(rest + share * (co - rest), g)


def spline(p, n):
    """Returns n points of a smooth curve through the rows of p (evenly in the parameter)."""
    p = np.asarray(p, float)
    q = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    t = np.linspace(0, len(p) - 1, n)
    i = np.minimum(t.astype(int), len(p) - 2)
    t = (t - i).reshape((-1,) + (1,) * (p.ndim - 1))
    a, b, c, d = (q[i + k] for k in range(4))
    return .5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t ** 2 + (3 * b - a - 3 * c + d) * t ** 3)


# sections of a hood that lies on the back, from the outside over its edge to the inside: millimetres
# outwards and up from the neck seam, at degrees from the front
HOOD = {0: [(3, -15), (8, -13), (11, -8), (12, -2), (10, 4), (7, 6), (4, 4), (1, -2), (-2, -9), (-4, -20)],
        20: [(4, -14), (13, -8), (19, 4), (20, 18), (15, 31), (9, 35), (4, 31), (0, 16), (-3, 0), (-5, -20)],
        45: [(5, -16), (20, -6), (29, 13), (29, 35), (21, 51), (13, 56), (4, 50), (-1, 33), (-4, 6), (-6, -20)],
        90: [(30, -34), (47, -26), (56, -8), (55, 16), (45, 34), (31, 43), (17, 38), (6, 24), (-3, 4), (-6, -20)],
        135: [(16, -66), (50, -56), (70, -26), (69, 12), (53, 41), (38, 50), (24, 44), (12, 14), (2, 10), (-5, -18)],
        180: [(2, -94), (42, -88), (70, -48), (72, 0), (56, 46), (41, 60), (27, 52), (17, 6), (4, 12), (-4, -15)]}
OVERLAP = .20                                # radians that each edge of the hood goes beyond the middle of the front
# sections of the collar in the middle of the front, at the shoulder and in the middle of the back, as HOOD
COLLAR = np.array([[(1.0, -5), (1.6, 2), (-.6, 10), (-3.6, 17), (-7, 21.5), (-9.6, 22.5), (-11, 20.5), (-8.6, 14), (-5.2, 6), (-4, -6)],
                   [(3, -4), (.4, 1.8), (-6, 5.6), (-12, 9), (-17, 11.4), (-19.4, 10.8), (-19.4, 8.2), (-14, 4.6), (-7, .6), (-2, -6)],
                   [(1.0, -5), (1.0, 1.6), (-2.4, 7.8), (-7, 12.6), (-11.5, 15.2), (-14, 15.2), (-14.6, 13), (-11, 8), (-6, 2.4), (-4, -6)]]) / 1000


def around_neck(neck, turn, sections):
    """Sweeps sections (columns x points x (outwards, up), metres) along the neck seam. Returns a grid of
    points."""
    t = turn % (2 * np.pi) * COLS / (2 * np.pi)
    i, w = t.astype(int), (t % 1)[:, None]
    base = neck[i % COLS] * (1 - w) + neck[(i + 1) % COLS] * w
    out = np.stack([np.sin(turn), -np.cos(turn), np.zeros(len(turn))], 1)
    return base[:, None] + sections[..., :1] * out[:, None] + sections[..., 1:] * [0, 0, 1]


def hood(neck, columns=221, points=46):
    turn = np.linspace(-OVERLAP, 2 * np.pi + OVERLAP, columns)
    e = np.minimum(turn + OVERLAP, 2 * np.pi + OVERLAP - turn)                        # from the nearer edge
    keys = np.radians(list(HOOD)) * (np.pi + OVERLAP) / np.pi
    table = np.array([spline(np.array(s) / 1000, points) for s in HOOD.values()])
    k = np.interp(e, keys, np.arange(len(keys)))
    fine = spline(table, 1001)                                                      # smooth between the keys
    sections = fine[np.clip((k / (len(keys) - 1) * 1000).round().astype(int), 0, 1000)]
    for _ in range(120):
        sections[1:-1] = sections[1:-1] * .5 + (sections[:-2] + sections[2:]) * .25
    # folds along the hood, deepest below its edge, and a slow unevenness
    s = np.linspace(0, 1, points)[None]                                              # 0 at the bottom, .5 at the edge, 1 inside
    side = np.where(turn < np.pi, 1, -1)
    rise = np.zeros((columns, points))
    for at_e, at_s, slope, length, depth, only in FOLDS:
        rise -= (depth * np.exp(-((s - at_s - slope * (e - at_e)[:, None]) / .045) ** 2) * np.exp(-((e - at_e)[:, None] / length) ** 2)) * ((side == only) | (only == 0))[:, None]
    rise += .0022 * np.sin(3.1 * turn + .6)[:, None] * np.sin(np.pi * s) + .0012 * np.sin(7.3 * turn + 2)[:, None] * np.sin(np.pi * s)
    d = np.gradient(sections, axis=1)
    d /= np.linalg.norm(d, axis=2)[..., None] + 1e-9
    sections = sections + rise[..., None] * np.stack([d[..., 1], -d[..., 0]], 2) * np.clip(e / .5, 0, 1)[:, None, None]
    sections[..., 0] += np.where(turn < 1, .0075 * np.clip(1 - (turn + OVERLAP) / .7, 0, 1), 0)[:, None]       # this edge lies over the other
    return around_neck(neck, turn, sections), turn, e


# folds of the hood: angle from its edge, place across (0 bottom, .5 edge), slope, length, depth, side (0: both)
FOLDS = [(1.0, .22, .05, .50, .005, 1), (1.5, .36, -.06, .55, .004, 1), (1.9, .16, .04, .60, .006, 1), (2.5, .30, -.05, .50, .004, 1),
         (1.1, .30, -.07, .55, .005, -1), (1.7, .17, .05, .60, .006, -1), (2.2, .36, .03, .55, .004, -1), (2.8, .20, -.04, .45, .005, -1),
         (1.4, .68, .05, .7, .005, 0), (2.4, .64, -.04, .6, .004, 0)]


def collar(neck, columns=180, points=30):
    turn = np.linspace(0, 2 * np.pi, columns + 1)[:-1]
    side, front = np.sin(turn)[:, None, None] ** 2, .5 + .5 * np.cos(turn)[:, None, None]
    edge, shoulder, back = (spline(q, points) for q in COLLAR)
    sections = shoulder * side + (1 - side) * (edge * front + back * (1 - front))
    return around_neck(neck, turn, sections), turn
