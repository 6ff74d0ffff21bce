"""Shapes of the bags (metres, numpy only): two sewn panels that hang or lie, and bands.

A panel is a grid; both panels of a bag have the same pattern coordinates. x to the right, y away
from the camera, z up.
"""
import numpy as np


def smooth(t):
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def noise(t, seed):
    """Smooth noise of t with one value per unit, about -1..1."""
    values = np.random.RandomState(seed).uniform(-1, 1, 1024)
    i = np.floor(t).astype(int)
    return values[i % 1024] + (values[(i + 1) % 1024] - values[i % 1024]) * smooth(t - i)


def drape(rest, force, wall, pins=None, filling=None, seed=1, bend=.02, gap=.0012, steps=400, iterations=5):
    """Returns the positions (panel, row, column, xyz) of two panels that are sewn at the sides and
    the bottom, and at the top unless there are pins. They do not stretch, and resist bending.

    rest: pattern (row, column, xz). force: movement per step, (panel, row, column, xyz). wall,
    filling: limits of y of all and of the near panel, per node or functions of x and z. pins:
    weights 0..1 (row, column), and positions (panel, row, column, xyz)
    """
    rows, cols = rest.shape[:2]
    u, v = np.meshgrid(np.linspace(0, 1, cols), np.linspace(0, 1, rows))
    rng = np.random.RandomState(seed)
    X = np.zeros((2, rows, cols, 3))
    X[..., 0::2] = rest
    for k, sign in ((0, -1), (1, 1)):
        waves = sum(rng.randn() / (a + b) * np.cos(np.pi * a * u + rng.rand() * 6) * np.cos(np.pi * b * v + rng.rand() * 6) for a in range(1, 6) for b in range(1, 5))
        X[k, ..., 1] = sign * (gap + .004 * np.sin(np.pi * u)) + .0022 * waves
    if pins:
        X[..., 1] += (pins[1][..., 1] * pins[0]).sum() / (2 * pins[0].sum())
    links = []                              # pairs of nodes that preserve their distance, in groups without a common node
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for odd in (0, 1):
            c = np.arange(max(0, -dc), cols - max(0, dc))
            r = np.arange(rows - dr)
            a = np.ix_(r, c[c % 2 == odd]) if dc else np.ix_(r[r % 2 == odd], c)
            b = (a[0] + dr, a[1] + dc)
            links.append((a, b, np.linalg.norm(rest[b] - rest[a], axis=-1), .5 if dr * dc == 0 else .17))
    edge = np.minimum.reduce([u * (cols - 1), (1 - u) * (cols - 1), v * (rows - 1)] + ([] if pins else [(1 - v) * (rows - 1)]))
    at = lambda limit, P: limit(P[..., 0], P[..., 2]) if callable(limit) else limit
    old = X.copy()
    for step in range(steps):
        X, old = X + (X - old) * (.96 - .25 * smooth(3 * step / steps - 2)) + force, X
        for _ in range(iterations):
            for k in (0, 1):
                for a, b, length, stiff in links:
                    d = X[k][b] - X[k][a]
                    d *= (stiff * (1 - length / np.maximum(np.sqrt((d * d).sum(-1)), 1e-9)))[..., None]
                    X[k][a] += d
                    X[k][b] -= d
            if pins:
                X += (pins[1] - X) * pins[0][None, ..., None]
        for axis in (1, 2):                 # bending: the gradient of the squared second differences
            d = np.diff(X, 2, axis)
            width = [(0, 0)] * 4
            width[axis] = (2, 2)
            X = X - bend * np.diff(np.pad(d, width), 2, axis)
        free = X.copy()
        near = np.minimum(0, (X[1, ..., 1] - X[0, ..., 1]) / 2 - gap * np.clip(edge, 0, 1))
        X[0, ..., 1] += near
        X[1, ..., 1] -= near
        if filling:
            X[0, ..., 1] = np.minimum(X[0, ..., 1], at(filling, X[0]))
        X[..., 1] = np.minimum(X[..., 1], at(wall, X))
        old = old + X - free                # contact does not bounce
        X[:, edge == 0] = X[:, edge == 0].mean(0)
    return X


def finer(X, times, axes=(-3, -2)):
    """Doubles the points of a grid (..., row, column, value) `times` times, on cubic curves."""
    for _ in range(times):
        for axis in axes:
            Y = np.moveaxis(X, axis, 0)
            ends = np.concatenate([2 * Y[:1] - Y[1:2], Y, 2 * Y[-1:] - Y[-2:-1]])
            out = np.empty((2 * len(Y) - 1, *Y.shape[1:]))
            out[0::2] = Y
            out[1::2] = (9 * (ends[1:-2] + ends[2:-1]) - ends[:-3] - ends[3:]) / 16
            X = np.moveaxis(out, 0, axis)
    return X


def rounded(x, z, left, low, right, high, r):
    """Returns the shift (xz) of points of a rectangle that rounds its corners."""
    a, b = np.maximum(np.maximum(left + r - x, x - right + r), 0) / r, np.maximum(np.maximum(low + r - z, z - high + r), 0) / r
    return np.stack([np.sign(x) * r * a * (np.sqrt(1 - b * b / 2) - 1), np.sign(z - (low + high) / 2) * r * b * (np.sqrt(1 - a * a / 2) - 1)], -1)


def blurred(a, n):
    """Returns values along a path, smoothed over about n of them; the ends stay."""
    for _ in range(int(n * n)):
        a = np.concatenate([a[:1], (a[:-2] + 2 * a[1:-1] + a[2:]) / 4, a[-1:]])
    return a


def resample(path, step):
    """Returns points along a path, about `step` apart."""
    s = lengths(path)
    t = np.linspace(0, s[-1], int(s[-1] / step) + 1)
    return np.stack([np.interp(t, s, path[:, k]) for k in range(path.shape[1])], 1)


def lengths(path):
    return np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])


def tangents(path):
    d = np.gradient(path, axis=0)
    return d / np.linalg.norm(d, axis=1)[:, None]


def band(path, across, width, thickness):
    """Returns vertices, faces and (across, distance to the nearer end) per vertex of a flat band
    with round edges. across: directions of its width."""
    t = tangents(path)
    across = across - (across * t).sum(1)[:, None] * t
    across /= np.linalg.norm(across, axis=1)[:, None]
    up = np.cross(across, t)
    a, h = width / 2 - thickness / 2, thickness / 2
    caps = [(a + h * np.cos(q), h * np.sin(q)) for q in np.linspace(-np.pi / 2, np.pi / 2, 7)]
    flat = [(x, h) for x in np.linspace(a, -a, 7)[1:-1]]
    ring = np.array(caps + flat + [(-x, -y) for x, y in caps] + [(-x, -y) for x, y in flat])
    n, m = len(path), len(ring)
    v = path[:, None] + ring[None, :, :1] * across[:, None] + ring[None, :, 1:] * up[:, None]
    i, k = np.meshgrid(np.arange(n - 1), np.arange(m), indexing='ij')
    j = (k + 1) % m
    faces = np.stack([i * m + k, i * m + j, (i + 1) * m + j, (i + 1) * m + k], -1).reshape(-1, 4)
    s = lengths(path)
    uv = np.stack(np.broadcast_arrays(ring[None, :, 0], np.minimum(s, s[-1] - s)[:, None]), -1)
    return v.reshape(-1, 3), [*faces.tolist(), list(range(m))[::-1], list(range((n - 1) * m, n * m))], uv.reshape(-1, 2)
